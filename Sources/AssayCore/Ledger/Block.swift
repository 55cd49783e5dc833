extension Device {
    /// A reason for which a device is not accepted, whatever its evidence says.
    public struct Block: Hashable, Sendable {
        /// What was blocked.
        public let kind: BlockKind
        /// For operators; never shown to devices.
        public let reason: String
        public let since: Timestamp

        public init(_ kind: BlockKind, reason: String, since: Timestamp) {
            (self.kind, self.reason, self.since) = (kind, reason, since)
        }
    }
}

/// What a block is about. Raw values are bits, and stored.
public enum BlockKind: UInt8, CaseIterable, Hashable, Sendable {
    /// One device record.
    case device = 1
    /// Everything that is or will be registered for a subject.
    case subject = 2
    /// A key, whether it is registered or not.
    case key = 4
}

/// What is blocked: one device, or whatever is and will be registered for a subject or under a key.
public enum BlockTarget: Hashable, Sendable {
    case device(DeviceID)
    /// The keyed hash of the subject, 32 bytes.
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

/// What a block that was set or lifted came to.
public struct BlockChange: Hashable, Sendable {
    /// The target was blocked before.
    public let wasBlocked: Bool
    /// Registered devices that the target names.
    public let devices: Int
    /// Those of them that are blocked now, for this reason or another.
    public let blocked: Int

    public init(wasBlocked: Bool, devices: Int, blocked: Int) {
        (self.wasBlocked, self.devices, self.blocked) = (wasBlocked, devices, blocked)
    }
}

/// A device that is not on record any more.
public struct ForgottenDevice: Hashable, Sendable {
    /// It was blocked, and so its key is blocked now by itself.
    public let keyStaysBlocked: Bool
    public init(keyStaysBlocked: Bool) { self.keyStaysBlocked = keyStaysBlocked }
}

extension Device {
    /// What a block of some kind that concerns this device is about; `nil` where it has no subject.
    public func blockTarget(_ kind: BlockKind) -> BlockTarget? {
        switch kind {
        case .device: .device(id)
        case .subject: subject.map { .subject($0, of: app) }
        case .key: .key(key)
        }
    }
}
