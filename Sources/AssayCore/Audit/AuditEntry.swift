/// The content of an audit record.
public enum AuditEntry: Hashable, Sendable {
    /// An accepted verdict.
    case verdict(AuditRecord)
    /// Any other change.
    case change(AuditChange)

    /// Decodes a row's canonical bytes. `nil` for bytes that this version does not know, such as those of a later version. Such a row is
    /// part of the chain all the same.
    public init?(decoding bytes: [UInt8]) {
        if let record = AuditRecord(decoding: bytes) {
            self = .verdict(record)
        } else if let change = AuditChange(decoding: bytes) {
            self = .change(change)
        } else {
            return nil
        }
    }

    /// `nil` if the record concerns all apps.
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

    /// The caller's name; `nil` if the change was not made for a caller.
    public var caller: String? {
        switch self {
        case .verdict(let record): record.caller
        case .change(let change): change.origin.caller
        }
    }
}
