/// What a row of the audit log is about.
public enum AuditEntry: Hashable, Sendable {
    /// An accepted verdict.
    case verdict(AuditRecord)
    /// Anything else that the log records.
    case change(AuditChange)

    /// Reads the canonical bytes of a row. `nil` for anything that this version does not know: a later version of the record, or
    /// none. Such a row is chained all the same.
    public init?(decoding bytes: [UInt8]) {
        if let record = AuditRecord(decoding: bytes) {
            self = .verdict(record)
        } else if let change = AuditChange(decoding: bytes) {
            self = .change(change)
        } else {
            return nil
        }
    }

    /// `nil` where all apps are concerned.
    public var app: AppID? {
        switch self {
        case .verdict(let record): record.app
        case .change(let change): change.app
        }
    }

    public var device: DeviceID? {
        switch self {
        case .verdict(let record): record.device
        case .change(let change): change.device
        }
    }

    /// `nil` where no caller asked for it.
    public var caller: String? {
        switch self {
        case .verdict(let record): record.caller
        case .change(let change): change.origin.caller
        }
    }
}
