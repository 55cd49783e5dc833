package import SwiftProtobuf

/// How a method works on its calls. Handlers run on the global executor, never on an event loop.
package enum RPCHandler: Sendable {
    /// The hot path. Calls of one read burst that follow each other and name the same method come together, as many
    /// as ``CallChunks`` says; each is answered through the call. One that is not is answered INTERNAL, `unanswered`.
    /// The answers leave together when the handler returns.
    case batch(Batch)
    /// One task for each call, cancelled when the call is abandoned.
    case unary(Unary)
    /// One task for each call, cancelled when the call is abandoned. The stream ends when the handler returns or throws.
    case stream(Stream)

    package typealias Batch = @Sendable ([RPCCall]) async -> Void
    package typealias Unary = @Sendable (RPCCall) async throws(RPCError) -> any SwiftProtobuf.Message
    package typealias Stream = @Sendable (RPCCall, RPCStreamWriter) async throws(RPCError) -> Void

    var isBatch: Bool {
        if case .batch = self { true } else { false }
    }

    var isStream: Bool {
        switch self {
        case .batch, .unary: false
        case .stream: true
        }
    }
}

/// A method that a server answers.
package struct RPCMethod: Sendable {
    /// The gRPC path, e.g. `/assay.v1.Attestation/Verify`. Compared as bytes.
    package let path: String
    package let handler: RPCHandler

    package init(path: String, handler: RPCHandler) { (self.path, self.handler) = (path, handler) }
}
