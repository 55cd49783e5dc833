/// A rejection of evidence. `code` is the contract; `detail` is for people and never parsed.
///
/// Two rejections are equal if their codes are.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: ReasonCode
    /// One sentence without secrets or personal identifiers.
    public let detail: String
    /// The reader's offset in the bytes as received; `nil` if an offset has no meaning.
    public let offset: Int?

    public init(_ code: ReasonCode, _ detail: String, offset: Int? = nil) {
        (self.code, self.detail, self.offset) = (code, detail, offset)
    }

    public var description: String { "\(code.rawValue): \(detail)" }
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
