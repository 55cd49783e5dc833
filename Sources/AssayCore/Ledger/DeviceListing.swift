/// A question for some of the devices of an app.
public struct DeviceListing: Hashable, Sendable {
    public let app: AppID
    /// Only devices of this subject: its keyed hash.
    public let subject: [UInt8]?
    /// Only blocked devices, or only those that are not.
    public let isBlocked: Bool?
    /// The position behind which to go on; 0 is the beginning.
    public let position: Int64
    /// The most devices that the page may have.
    public let limit: Int

    public init(app: AppID, subject: [UInt8]? = nil, isBlocked: Bool? = nil, position: Int64 = 0, limit: Int) {
        self.app = app
        self.subject = subject
        self.isBlocked = isBlocked
        self.position = position
        self.limit = limit
    }
}

/// Some of the devices that were asked for.
public struct DevicePage: Hashable, Sendable {
    public let devices: [Device]
    /// Where the next page begins; `nil` after the last. A page may have few devices, or none, and others may follow: a
    /// ledger looks at a bounded number of records for each.
    public let next: Int64?

    public init(devices: [Device], next: Int64?) { (self.devices, self.next) = (devices, next) }
}
