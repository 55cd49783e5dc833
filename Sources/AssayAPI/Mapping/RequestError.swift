/// A message that does not have the shape that the API demands. Answered INVALID_ARGUMENT; nothing was appraised.
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as the .proto file names it.
    public let field: String
    /// What is wrong with it, as the end of a sentence.
    public let problem: String

    public init(_ field: String, _ problem: String) { (self.field, self.problem) = (field, problem) }
    public var description: String { "\(field) \(problem)" }
}
