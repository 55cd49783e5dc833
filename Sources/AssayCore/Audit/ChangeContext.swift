/// What brought a change about that the audit log records.
public enum ChangeOrigin: Hashable, Sendable {
    /// A caller, by its name in the configuration.
    case caller(String)
    /// The start of the daemon.
    case start
    /// A signal that asked the daemon to load its configuration anew (SIGHUP).
    case signal

    /// The caller's name.
    public var caller: String? { if case .caller(let name) = self { name } else { nil } }

    /// As the canonical bytes number it.
    var code: UInt8 {
        switch self {
        case .caller: 1
        case .start: 2
        case .signal: 3
        }
    }

    /// `nil` for another number, and for a caller's name where there is no caller.
    init?(_ code: UInt8, caller: String) {
        switch (code, caller.isEmpty) {
        case (1, _): self = .caller(caller)
        case (2, true): self = .start
        case (3, true): self = .signal
        default: return nil
        }
    }
}

/// Who changes something in the ledger, when and why: what the audit record of the change says beside the change itself.
public struct ChangeContext: Hashable, Sendable {
    public let origin: ChangeOrigin
    public let time: Timestamp
    /// In the operator's words; may be empty. Kept in the audit log as it is.
    public let reason: String

    public init(_ origin: ChangeOrigin, at time: Timestamp, reason: String = "") {
        (self.origin, self.time, self.reason) = (origin, time, reason)
    }
}
