/// Blocks of devices, subjects and keys.
///
/// - A block is in force when `block` returns, for registered devices and for later registrations: entries that are committed
///   after it are refused. The answer to an entry that was committed before may be sent after `block` returns; the audit log shows
///   the order.
/// - A block revokes the certificates of the target's registered devices for good (`privilegeWithdrawn`). A block of a key also revokes
///   the certificate of that key, whatever device it is of, and those that were renewed from it; and the key is not certified while it is
///   blocked.
/// - Each change is durable on return and recorded in the audit log in the same transaction.
public protocol BlockRegistry: Sendable {
    /// Blocks a target, and replaces its earlier block. Subjects and keys can be blocked without a registered device; `nil` if the
    /// target is a device that is not registered. The context's reason becomes the block's.
    func block(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange?

    /// Lifts the block of exactly this target. Other blocks of the same devices stay. `nil` if the target is a device that is not
    /// registered.
    func unblock(_ target: BlockTarget, _ context: ChangeContext) async throws(LedgerError) -> BlockChange?

    /// A page of the blocks of one app, ordered by `BlockPosition`, with or without registered devices; blocked keys of forgotten
    /// devices are included. A listing shows each block that is in force during all of it exactly once, even if
    /// blocks are set or lifted between its pages.
    func blocks(_ listing: BlockListing) async throws(LedgerError) -> BlockPage
}

// MARK: Blocks and their targets

extension Device {
    /// A block that applies to a device: no evidence of the device is accepted.
    public struct Block: Hashable, Sendable {
        /// The kind of its target.
        public let kind: BlockKind
        /// The operator's words. Devices never see them.
        public let reason: String
        public let since: Timestamp

        public init(_ kind: BlockKind, reason: String, since: Timestamp) {
            (self.kind, self.reason, self.since) = (kind, reason, since)
        }
    }
}

/// The kind of a block's target. Raw values are bits, and are stored.
public enum BlockKind: UInt8, CaseIterable, Hashable, Sendable {
    /// One device record.
    case device = 1
    /// All devices that are or will be registered for a subject.
    case subject = 2
    /// A key, registered or not.
    case key = 4
}

/// The target of a block: a device, or all devices that are or will be registered for a subject or with a key.
public enum BlockTarget: Hashable, Sendable {
    case device(DeviceID)
    /// A subject's keyed hash, 32 bytes.
    case subject([UInt8], of: AppID)
    case key(DeviceKey)

    public var kind: BlockKind {
        switch self {
        case .device: .device
        case .subject: .subject
        case .key: .key
        }
    }
}

/// The result of setting or lifting a block.
public struct BlockChange: Hashable, Sendable {
    /// True if the target was blocked before.
    public let wasBlocked: Bool
    /// The number of registered devices of the target.
    public let devices: Int
    /// The number of those that are blocked now, by this block or another.
    public let blocked: Int
    /// The number of certificates that the block revoked.
    public var revoked: Int

    public init(wasBlocked: Bool, devices: Int, blocked: Int, revoked: Int = 0) {
        (self.wasBlocked, self.devices, self.blocked, self.revoked) = (wasBlocked, devices, blocked, revoked)
    }
}

extension Device {
    /// The target of a block of one kind that applies to this device; `nil` for `.subject` if the device has none.
    public func blockTarget(_ kind: BlockKind) -> BlockTarget? {
        switch kind {
        case .device: .device(id)
        case .subject: subject.map { .subject($0, of: app) }
        case .key: .key(key)
        }
    }
}

// MARK: Listing

/// A query for a page of the blocks of one app.
public struct BlockListing: Hashable, Sendable {
    public enum Choice: Hashable, Sendable {
        case all
        case kind(BlockKind)
        /// The block of exactly this target, if there is one.
        case target(BlockTarget)
    }

    public let app: AppID
    public let choice: Choice
    /// The page begins after this position; `nil`: at the first block.
    public let position: BlockPosition?
    /// The most blocks on the page.
    public let limit: Int

    public init(app: AppID, _ choice: Choice = .all, position: BlockPosition? = nil, limit: Int) {
        self.app = app
        self.choice = choice
        self.position = position
        self.limit = limit
    }
}

/// A page of blocks.
public struct BlockPage: Hashable, Sendable {
    public let blocks: [BlockRecord]
    /// The position of the next page; `nil` on the last.
    public let next: BlockPosition?

    public init(blocks: [BlockRecord], next: BlockPosition?) { (self.blocks, self.next) = (blocks, next) }
}

/// A stored block. Its target may have no registered device.
public struct BlockRecord: Hashable, Sendable {
    public let target: BlockTarget
    /// The operator's words. Devices never see them.
    public let reason: String
    public let since: Timestamp

    public init(_ target: BlockTarget, reason: String, since: Timestamp) {
        (self.target, self.reason, self.since) = (target, reason, since)
    }
}

/// The position of a block in listings of its app: ordered by kind, then by the target's bytes. It never changes. Keys come last, so
/// that a listing shows a device that is forgotten between two pages by its own block or by that of its key.
public struct BlockPosition: Hashable, Sendable, Comparable {
    public let kind: BlockKind
    /// The device's id, the subject's keyed hash, or the key id.
    public let bytes: [UInt8]

    public init(_ kind: BlockKind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }

    public static func < (a: Self, b: Self) -> Bool {
        a.kind == b.kind ? a.bytes.lexicographicallyPrecedes(b.bytes) : a.kind.rawValue < b.kind.rawValue
    }
}

extension BlockTarget {
    /// The position of the target's block.
    public var position: BlockPosition {
        switch self {
        case .device(let id): BlockPosition(.device, id.bytes)
        case .subject(let hash, _): BlockPosition(.subject, hash)
        case .key(let key): BlockPosition(.key, key.keyID)
        }
    }

    /// The target of the block at a position; `nil` if the position is a device's and its bytes are not a device id (16 bytes).
    public init?(at position: BlockPosition, in app: AppID) {
        switch position.kind {
        case .device:
            guard let id = DeviceID(bytes: position.bytes) else { return nil }
            self = .device(id)
        case .subject: self = .subject(position.bytes, of: app)
        case .key: self = .key(DeviceKey(app: app, keyID: position.bytes))
        }
    }
}
