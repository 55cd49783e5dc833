/// A device record: one attested key of one app. The same phone after a reinstall is another record.
public struct Device: Hashable, Sendable {
    public let id: DeviceID
    public let app: AppID
    /// Keyed hash of the caller's subject, 32 bytes; `nil` where none was given.
    public let subject: [UInt8]?
    public let registration: Registration
    public let registeredAt: Timestamp
    /// What keeps the device from being accepted: its own block, that of its subject, that of its key, in this order.
    public var blocks: [Block]
    /// The highest accepted counter.
    public var counter: UInt32
    /// Which of the 64 values up to `counter` were accepted: bit 0 is `counter` itself. Kept for apps with a window.
    public var counterWindow: UInt64
    /// When evidence of this device was last accepted, as far as the ledger remembers.
    public var lastAcceptedAt: Timestamp
    /// What becomes of its receipt.
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
    /// The app and key under which it is registered.
    public var key: DeviceKey { DeviceKey(app: app, keyID: registration.keyID) }

    /// True if an operator blocked it, its subject, or its key.
    public var isBlocked: Bool { !blocks.isEmpty }
}

/// What makes a device record unique within the registry. Key ids of different formats cannot meet: each is a digest of its key.
public struct DeviceKey: Hashable, Sendable {
    public let app: AppID
    public let keyID: [UInt8]
    /// The longest key id that is looked for, in bytes. App Attest's have 32.
    public static let keyIDLimit = 64
    public init(app: AppID, keyID: [UInt8]) { (self.app, self.keyID) = (app, keyID) }
}
