/// A mark on a registered device that stands until an instant. It blocks nothing: the app's policy decides what follows from it.
public struct DeviceFlag: Hashable, Sendable {
    /// The most flags of a device, of all setters together.
    public static let countLimit = 8
    /// The longest name, in bytes.
    public static let nameLimit = 32
    /// The longest detail, in bytes.
    public static let detailLimit = 256
    /// How long a flag may stand from the time it is set, in milliseconds: 400 days.
    public static let longest: Int64 = 400 * 86_400_000

    /// `[a-z0-9_]{1,32}`.
    public let name: String
    public let setter: Setter
    /// A sentence for operators, at most 256 bytes of UTF-8; may be empty.
    public let detail: String
    /// When this setter set it first, without a break since.
    public let since: Timestamp
    /// From then on it does not stand.
    public let until: Timestamp

    public init(name: String, setter: Setter, detail: String, since: Timestamp, until: Timestamp) {
        (self.name, self.setter, self.detail, self.since, self.until) = (name, setter, detail, since, until)
    }

    /// Who set a flag. Only the same setter renews it; a plugin clears its own alone, a caller those of all setters.
    public enum Setter: Hashable, Sendable {
        /// By the id of its entry in the catalog.
        case plugin(String)
        /// By the caller's name in the configuration.
        case caller(String)

        public var name: String {
            switch self {
            case .plugin(let name), .caller(let name): name
            }
        }

        /// The number in the stored form.
        var code: UInt8 {
            switch self {
            case .plugin: 1
            case .caller: 2
            }
        }
    }

    public func stands(at now: Timestamp) -> Bool { now < until }

    /// Whether a text is the name of a flag.
    public static func isName(_ text: String) -> Bool {
        (1...nameLimit).contains(text.utf8.count) && text.utf8.allSatisfy(\.isOfWord)
    }
}

/// A change of the flags of a device.
public enum DeviceFlagChange: Hashable, Sendable {
    /// Sets a flag, or renews that of the same name and setter.
    case set(DeviceFlag)
    /// Clears the flag of a name. A setter clears its own; `nil`: those of all setters.
    case clear(name: String, setter: DeviceFlag.Setter?)
}

/// What came of a change of the flags of a device.
public enum DeviceFlagOutcome: Hashable, Sendable {
    /// The flag stands now, and did not stand before.
    case set
    /// The flag stood before, and has another end or detail now.
    case renewed
    case cleared
    /// The flag stands as it did before, or there was none to clear.
    case unchanged
    /// As many other flags stand on the device as it may have. Nothing was changed.
    case tooMany
}

/// The rules of flags, which every ledger applies inside its transaction.
extension [DeviceFlag] {
    /// The flags after a change, without those that do not stand at `now`, and what came of it.
    public func applying(_ change: DeviceFlagChange, at now: Timestamp) -> (flags: [DeviceFlag], outcome: DeviceFlagOutcome) {
        var flags = filter { $0.stands(at: now) }
        switch change {
        case .set(let flag):
            if let index = flags.firstIndex(where: { $0.name == flag.name && $0.setter == flag.setter }) {
                let known = flags[index]
                let renewed = DeviceFlag(
                    name: flag.name, setter: flag.setter, detail: flag.detail, since: known.since, until: flag.until)
                guard renewed != known else { return (self, .unchanged) }
                flags[index] = renewed
                return (flags, .renewed)
            }
            guard flags.count < DeviceFlag.countLimit else { return (self, .tooMany) }
            return (flags + [flag], .set)
        case .clear(let name, let setter):
            let kept = flags.filter { $0.name != name || (setter != nil && $0.setter != setter) }
            return kept.count == flags.count ? (self, .unchanged) : (kept, .cleared)
        }
    }

    /// The names of those that stand, each once, ascending.
    public func names(at now: Timestamp) -> [String] {
        Set(filter { $0.stands(at: now) }.map(\.name)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// The stored form: for each flag its name, setter (1 byte, then its name), detail, since and until. Internal; never on the wire.
extension [DeviceFlag] {
    /// Empty for no flags.
    package func encoded() -> [UInt8] {
        var fields = StoredFieldsWriter()
        for flag in self {
            fields.add(flag.name)
            fields.add([flag.setter.code] + Array<UInt8>(flag.setter.name.utf8))
            fields.add(flag.detail)
            fields.add(flag.since)
            fields.add(flag.until)
        }
        return fields.bytes
    }

    /// `nil` if `encoded()` did not make the bytes.
    package init?(decoding bytes: [UInt8]) {
        self = []
        var fields = StoredFieldsReader(bytes)
        while !fields.isAtEnd {
            guard count < DeviceFlag.countLimit, let name = fields.text(), DeviceFlag.isName(name), let setter = fields.bytes(),
                let setter = DeviceFlag.Setter(setter), let detail = fields.text(), let since = fields.time(),
                let until = fields.time()
            else { return nil }
            append(DeviceFlag(name: name, setter: setter, detail: detail, since: since, until: until))
        }
    }
}

extension DeviceFlag.Setter {
    fileprivate init?(_ bytes: [UInt8]) {
        guard let name = String(validating: bytes.dropFirst(), as: UTF8.self) else { return nil }
        switch bytes.first {
        case 1: self = .plugin(name)
        case 2: self = .caller(name)
        default: return nil
        }
    }
}

/// The flags of devices. `Device.flags` has them wherever a device is read.
public protocol DeviceFlagRegistry: Sendable {
    /// Changes the flags of a device of an app, as `[DeviceFlag].applying(_:at:)` defines, at the time of the context. What was set or
    /// cleared is recorded in the audit log in the same transaction, as `AuditChange.flag` says. Durable on return. `nil` if the app has no
    /// such device.
    func change(
        _ change: DeviceFlagChange, of id: DeviceID, app: AppID, _ context: ChangeContext
    ) async throws(LedgerError) -> DeviceFlagOutcome?
}
