/// A device record: one attested key of one app. The same phone after a reinstall is another record.
public struct Device: Hashable, Sendable {
    public let id: DeviceID
    public let app: AppID
    /// Keyed hash of the caller's subject, 32 bytes; `nil` where none was given.
    public let subject: [UInt8]?
    public let registration: Registration
    public let registeredAt: Timestamp
    /// Set where an operator blocked the device.
    public var block: Block?
    /// The highest accepted counter.
    public var counter: UInt32
    /// Which of the 64 values up to `counter` were accepted: bit 0 is `counter` itself. Kept for apps with a window.
    public var counterWindow: UInt64
    /// When evidence of this device was last accepted, as far as the ledger remembers.
    public var lastAcceptedAt: Timestamp

    public struct Block: Hashable, Sendable {
        public let reason: String
        public let since: Timestamp
        public init(reason: String, since: Timestamp) { (self.reason, self.since) = (reason, since) }
    }

    public init(
        id: DeviceID, app: AppID, subject: [UInt8]?, registration: Registration, registeredAt: Timestamp, block: Block? = nil,
        counter: UInt32 = 0, counterWindow: UInt64 = 1, lastAcceptedAt: Timestamp? = nil
    ) {
        self.id = id
        self.app = app
        self.subject = subject
        self.registration = registration
        self.registeredAt = registeredAt
        self.block = block
        self.counter = counter
        self.counterWindow = counterWindow
        self.lastAcceptedAt = lastAcceptedAt ?? registeredAt
    }
}

/// What makes a device record unique within the registry. Key ids of different formats cannot meet: each is a digest of its key.
public struct DeviceKey: Hashable, Sendable {
    public let app: AppID
    public let keyID: [UInt8]
    public init(app: AppID, keyID: [UInt8]) { (self.app, self.keyID) = (app, keyID) }
}
