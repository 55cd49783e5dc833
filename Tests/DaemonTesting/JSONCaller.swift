import AssayAPI
import AssayRPC
import AssayTesting
import SwiftProtobuf

/// A caller over Connect with JSON: HTTP/1.1 without TLS, and as many connections as calls are in flight. SwiftProtobuf writes and reads
/// the JSON.
struct JSONCaller: MethodCaller {
    let port: Int

    func call<Method: APIMethod>(_ method: Method, _ request: Method.Request) async throws -> Method.Response {
        let fields = [("content-type", "application/json"), ("connect-timeout-ms", "60000")]
        let (status, body) = try await TestHTTP1Client.post(port: port, method.path, fields, try request.jsonUTF8Bytes())
        guard status != 200 else { return try Method.Response(jsonUTF8Bytes: body) }
        guard let status = TestCallStatus(connect: body) else { throw GRPCCaller.NoAnswer() }
        throw RPCError(status)
    }

    /// Nothing: the connections are shared by all.
    func close() {}
}
