import AssayAPI
import AssayFramedRPC
import AssayRPC

/// Calls the methods of a daemon, over one of its protocols. Nothing is added to a request, and nothing is repeated.
protocol MethodCaller: Sendable {
    /// Throws an `RPCError` for what the daemon answers with an error.
    func call<Method: APIMethod>(_ method: Method, _ request: Method.Request) async throws -> Method.Response
    func close() async
}

/// A caller over the framed protocol.
struct FramedCaller: MethodCaller {
    let connection: RPCConnection

    init(_ address: String) async throws {
        guard let address = RPCAddress(parsing: address) else { throw RPCError(.invalidArgument, "\(address) is no address") }
        connection = try await RPCConnection.connect(to: address)
    }

    func call<Method: APIMethod>(_ method: Method, _ request: Method.Request) async throws -> Method.Response {
        try await connection.call(method.path, request, timeout: TestPhone.patience)
    }

    func close() async { await connection.close() }
}
