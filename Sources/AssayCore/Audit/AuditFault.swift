/// The first place at which an audit log differs from what was written, and how.
public struct AuditFault: Error, Hashable, Sendable {
    /// Raw values are for tools and are never renamed.
    public enum Kind: String, CaseIterable, Sendable {
        /// The row differs from the one that was chained.
        case changed
        /// The row does not exist.
        case missing
        /// The row exists in another place.
        case reordered
        /// The number occurred before, or is lower than the first.
        case repeated
        /// The log ends before an expected head.
        case truncated
        /// All rows are chained, but the head differs from the expected one: an earlier row was changed, and the heads after it were
        /// computed again.
        case rewritten
        /// No row has the expected head.
        case headNotFound = "head_not_found"
        /// The expected head belongs to a row that was dropped from the front.
        case headDropped = "head_dropped"
        /// The log does not begin with the expected record.
        case startMoved = "start_moved"
        /// The signature of a signed head is not by the ledger's key.
        case badSignature = "bad_signature"
    }

    public let kind: Kind
    /// The number of the first wrong record, as far as it can be determined.
    public let number: Int64
    /// A sentence for operators.
    public let detail: String

    public init(_ kind: Kind, at number: Int64, _ detail: String) {
        (self.kind, self.number, self.detail) = (kind, number, detail)
    }
}

extension AuditFault: CustomStringConvertible {
    public var description: String { "record \(number) (\(kind.rawValue)): \(detail)" }
}
