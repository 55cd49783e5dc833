/// Where and how an audit log is not what it was.
public struct AuditFault: Error, Hashable, Sendable {
    /// The raw values are for tools: never renamed.
    public enum Kind: String, CaseIterable, Sendable {
        /// The row is not the one that was chained.
        case changed
        case missing
        /// The row is there, in another place.
        case reordered
        /// A number that was there before, or one before the first.
        case repeated
        /// The log ends before a head that was expected.
        case truncated
        /// Every row is chained, but the head is another than the expected one: an earlier row was changed, and all heads
        /// after it were computed anew.
        case rewritten
        /// No row has the head that was expected.
        case headNotFound = "head_not_found"
        /// The expected head lies among the rows that were dropped from the front.
        case headDropped = "head_dropped"
        /// The log begins with another record than the expected one.
        case startMoved = "start_moved"
        /// A signed head whose signature is not by the ledger's key.
        case badSignature = "bad_signature"
    }

    public let kind: Kind
    /// The first number that is wrong, as far as can be told.
    public let number: Int64
    /// For people.
    public let detail: String

    public init(_ kind: Kind, at number: Int64, _ detail: String) {
        (self.kind, self.number, self.detail) = (kind, number, detail)
    }
}

extension AuditFault: CustomStringConvertible {
    public var description: String { "record \(number) (\(kind.rawValue)): \(detail)" }
}
