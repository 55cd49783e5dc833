/// A method of the API without its messages: what authorising, logging, counting and a transport need of it.
package struct MethodDeclaration: Hashable, Sendable {
    /// How calls reach the body of a method.
    package enum Form: Hashable, Sendable {
        /// Each call by itself.
        case unary
        /// Calls that arrive together are handed over together: the hot path.
        case batch
        /// Each call by itself, answered by any number of messages.
        case stream
    }

    /// The gRPC path, such as `/assay.v1.Attestation/Verify`.
    package let path: String
    /// The caller needs one of these.
    package let roles: Set<Role>
    /// Whether a client may repeat a call.
    package let idempotency: Idempotency
    package let form: Form
    /// A call takes long, such as a thousand records to read, so that it waits for one of a few places after it was authorised.
    package let takesTurns: Bool
    /// The method changes something that belongs to all apps, so that a caller that is limited to some apps may not call it.
    package let changesAllApps: Bool

    /// All methods, in the order of `API.all`.
    package static let all = API.all.map(\.declaration)

    private static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The method of that path; `nil` if there is none.
    package static func at(_ path: String) -> MethodDeclaration? { byPath[path] }
}
