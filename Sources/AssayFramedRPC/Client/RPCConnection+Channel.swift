package import AssayRPC
package import SwiftProtobuf

extension RPCConnection: RPCChannel {
    package func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, returning: Reply.Type, timeout: Duration?,
        metadata: RPCMetadata
    ) async throws(RPCError) -> Reply {
        try await call(
            method, request, returning: returning, timeout: timeout, enforcesTimeout: true, metadata: metadata)
    }
}
