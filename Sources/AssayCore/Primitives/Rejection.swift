/// A rejection of evidence. `code` is the contract; `detail` is for people and never parsed.
///
/// Two rejections are equal if their codes are.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: FailureCode
    /// One sentence without secrets or personal identifiers.
    public let detail: String
    /// The reader's offset in the bytes as received; `nil` if an offset has no meaning.
    public let offset: Int?
    /// What the relying party may do next.
    public let retry: RetryClass

    public init(_ code: ReasonCode, _ detail: String, offset: Int? = nil) {
        (self.code, self.detail, self.offset, retry) = (FailureCode(code), detail, offset, code.retry)
    }

    /// - Parameter retry: for a code that is not built in; `nil`: `contactOperator`. A built-in code has that of its table.
    public init(_ code: FailureCode, _ detail: String, retry: RetryClass? = nil, offset: Int? = nil) {
        (self.code, self.detail, self.offset) = (code, detail, offset)
        self.retry = code.builtIn?.retry ?? retry ?? .contactOperator
    }

    public var description: String { "\(code.rawValue): \(detail)" }
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
