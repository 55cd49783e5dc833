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

    public init(wasBlocked: Bool, devices: Int, blocked: Int) {
        (self.wasBlocked, self.devices, self.blocked) = (wasBlocked, devices, blocked)
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
