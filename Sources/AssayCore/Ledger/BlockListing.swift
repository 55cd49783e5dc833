/// A question for some of the blocks of an app.
public struct BlockListing: Hashable, Sendable {
    public enum Choice: Hashable, Sendable {
        case all
        case kind(BlockKind)
        /// The block of exactly this target, if there is one.
        case target(BlockTarget)
    }

    public let app: AppID
    public let choice: Choice
    /// Behind which to go on; `nil` is the beginning.
    public let position: BlockPosition?
    /// The most blocks that the page may have.
    public let limit: Int

    public init(app: AppID, _ choice: Choice = .all, position: BlockPosition? = nil, limit: Int) {
        self.app = app
        self.choice = choice
        self.position = position
        self.limit = limit
    }
}

/// Some of the blocks that were asked for.
public struct BlockPage: Hashable, Sendable {
    public let blocks: [BlockRecord]
    /// Where the next page begins; `nil` after the last.
    public let next: BlockPosition?

    public init(blocks: [BlockRecord], next: BlockPosition?) { (self.blocks, self.next) = (blocks, next) }
}

/// A block as it is kept, whether there are devices that it names or not.
public struct BlockRecord: Hashable, Sendable {
    public let target: BlockTarget
    /// For operators; never shown to devices.
    public let reason: String
    public let since: Timestamp

    public init(_ target: BlockTarget, reason: String, since: Timestamp) {
        (self.target, self.reason, self.since) = (target, reason, since)
    }
}

/// Where a block stands among those of its app. No block ever changes its place: by kind, then by the bytes of what it
/// is about. Keys come last, so that a device that is forgotten between two pages, which leaves its key blocked, is shown
/// by one or the other.
public struct BlockPosition: Hashable, Sendable, Comparable {
    public let kind: BlockKind
    /// A device's id, a subject's hash, or a key id.
    public let bytes: [UInt8]

    public init(_ kind: BlockKind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }

    public static func < (a: Self, b: Self) -> Bool {
        a.kind == b.kind ? a.bytes.lexicographicallyPrecedes(b.bytes) : a.kind.rawValue < b.kind.rawValue
    }
}

extension BlockTarget {
    /// The place of its block among those of its app.
    public var position: BlockPosition {
        switch self {
        case .device(let id): BlockPosition(.device, id.bytes)
        case .subject(let hash, _): BlockPosition(.subject, hash)
        case .key(let key): BlockPosition(.key, key.keyID)
        }
    }

    /// What the block at a place is about; `nil` if the place is that of a device, and its bytes are no device's id.
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
