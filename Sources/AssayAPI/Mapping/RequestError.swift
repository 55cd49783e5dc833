/// A request that breaks a rule of the API. It is answered INVALID_ARGUMENT, and nothing is appraised.
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as the .proto file names it.
    public let field: String
    /// What is wrong, as the end of a sentence that begins with the field.
    public let problem: String

    public init(_ field: String, _ problem: String) { (self.field, self.problem) = (field, problem) }
    public var description: String { "\(field) \(problem)" }
}
