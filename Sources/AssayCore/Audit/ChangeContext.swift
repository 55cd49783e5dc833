/// The origin of a change that the audit log records.
public enum ChangeOrigin: Hashable, Sendable {
    /// A caller, by its name in the configuration.
    case caller(String)
    /// The start of the daemon.
    case start
    /// A signal to reload the configuration (SIGHUP).
    case signal
    /// The daemon by itself, when the time for it has come.
    case schedule
    /// A plugin, by the id of its entry in the catalog.
    case plugin(String)

    /// The caller's name.
    public var caller: String? { if case .caller(let name) = self { name } else { nil } }

    /// The name in the canonical bytes: that of the caller or the plugin.
    var name: String {
        switch self {
        case .caller(let name), .plugin(let name): name
        case .start, .signal, .schedule: ""
        }
    }

    /// The number in the canonical bytes.
    var code: UInt8 {
        switch self {
        case .caller: 1
        case .start: 2
        case .signal: 3
        case .schedule: 4
        case .plugin: 5
        }
    }

    /// `nil` for an unknown number, and for a name with an origin that has none.
    init?(_ code: UInt8, caller: String) {
        switch (code, caller.isEmpty) {
        case (1, _): self = .caller(caller)
        case (2, true): self = .start
        case (3, true): self = .signal
        case (4, true): self = .schedule
        case (5, false): self = .plugin(caller)
        default: return nil
        }
    }
}

/// The origin, time and reason of a change of the ledger, for its audit record.
public struct ChangeContext: Hashable, Sendable {
    public let origin: ChangeOrigin
    public let time: Timestamp
    /// The operator's words; may be empty. The audit log stores them unchanged.
    public let reason: String

    public init(_ origin: ChangeOrigin, at time: Timestamp, reason: String = "") {
        (self.origin, self.time, self.reason) = (origin, time, reason)
    }
}
