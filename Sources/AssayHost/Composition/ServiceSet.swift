import AssayRPC
import AssayService

/// The services as one configuration has them: its callers, apps, policies and anchors, and nothing of another's.
struct ServiceSet: Sendable {
    let methods: [RPCMethod]
    let authorizer: CallAuthorizer
    private let handlers: [String: RPCHandler]

    init(_ methods: [RPCMethod], behind authorizer: CallAuthorizer) {
        (self.methods, self.authorizer) = (methods, authorizer)
        handlers = Dictionary(methods.map { ($0.path, $0.handler) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(path: String) -> RPCHandler? { handlers[path] }
}
