package import SwiftProtobuf

/// How a method works on its calls. Handlers run on the global executor, never on an event loop.
package enum RPCHandler: Sendable {
    /// For the hot path. Consecutive calls of one read burst that name the same method come together, at most 32; the handler
    /// answers each through the call. A call that is left unanswered is answered INTERNAL, `unanswered`. The answers are sent
    /// together when the handler returns.
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
        if case .stream = self { true } else { false }
    }
}

/// A method that a server answers.
package struct RPCMethod: Sendable {
    /// The gRPC path, such as `/assay.v1.Attestation/Verify`. Compared as bytes.
    package let path: String
    package let handler: RPCHandler

    package init(path: String, handler: RPCHandler) { (self.path, self.handler) = (path, handler) }
}
