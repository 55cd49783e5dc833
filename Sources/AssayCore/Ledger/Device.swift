/// A device record: one attested key of one app. A reinstalled app on the same phone registers another record.
public struct Device: Hashable, Sendable {
    public let id: DeviceID
    public let app: AppID
    /// The keyed hash of the caller's subject, 32 bytes; `nil` if the request named none.
    public let subject: [UInt8]?
    public let registration: Registration
    public let registeredAt: Timestamp
    /// The blocks that apply: of the device, of its subject, of its key, in this order.
    public var blocks: [Block]
    /// The highest accepted counter.
    public var counter: UInt32
    /// Which of the 64 values up to `counter` were accepted: bit 0 is `counter`, bit n is `counter - n`. Kept for apps with a window.
    public var counterWindow: UInt64
    /// The time of the last accepted evidence.
    public var lastAcceptedAt: Timestamp
    /// The state of the exchange of its receipt.
    public var exchange: ReceiptExchange

    public init(
        id: DeviceID, app: AppID, subject: [UInt8]?, registration: Registration, registeredAt: Timestamp, blocks: [Block] = [],
        counter: UInt32 = 0, counterWindow: UInt64 = 1, lastAcceptedAt: Timestamp? = nil,
        exchange: ReceiptExchange? = nil
    ) {
        self.id = id
        self.app = app
        self.subject = subject
        self.registration = registration
        self.registeredAt = registeredAt
        self.blocks = blocks
        self.counter = counter
        self.counterWindow = counterWindow
        self.lastAcceptedAt = lastAcceptedAt ?? registeredAt
        self.exchange = exchange ?? ReceiptExchange(of: registration, at: registeredAt)
    }
}

extension Device {
    /// The app and key of the registration.
    public var key: DeviceKey { DeviceKey(app: app, keyID: registration.keyID) }

    /// True if the device, its subject or its key is blocked.
    public var isBlocked: Bool { !blocks.isEmpty }
}

/// The unique key of a device record. Key ids of different formats do not collide: each is a digest of its public key.
public struct DeviceKey: Hashable, Sendable {
    public let app: AppID
    public let keyID: [UInt8]
    /// The longest key id that is looked up, in bytes. App Attest's have 32.
    public static let keyIDLimit = 64
    public init(app: AppID, keyID: [UInt8]) { (self.app, self.keyID) = (app, keyID) }
}
