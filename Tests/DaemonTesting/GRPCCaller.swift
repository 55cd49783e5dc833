import AssayAPI
import AssayRPC
import AssayTesting
import SwiftProtobuf
import Synchronization

/// A caller over gRPC, whose calls share a connection of HTTP/2.
struct GRPCCaller: MethodCaller {
    let client: TestHTTP2Client
    private let fields: [(String, String)]

    /// - Parameters:
    ///   - authority: PEM, the daemon's CA where it has TLS.
    ///   - key: the API key of the caller.
    init(port: Int, authority: String? = nil, key: String? = nil) async throws {
        client = try await TestHTTP2Client.connect(port: port, authority: authority)
        fields =
            [("content-type", "application/grpc"), ("te", "trailers")]
            + (key.map { [("authorization", "Bearer \($0)")] } ?? [])
    }

    func call<Method: APIMethod>(_ method: Method, _ request: Method.Request) async throws -> Method.Response {
        let message = Envelopes.wrap(try request.serializedBytes())
        let answer = try await client.post(method.path, fields + [("grpc-timeout", "60S")], message)
        try Self.check(answer)
        var envelopes = Envelopes(answer.body)
        guard let envelope = envelopes.next(), envelope.flags == 0, envelopes.isEmpty else { throw NoAnswer() }
        return try Method.Response(serializedBytes: envelope.message)
    }

    /// The messages of a stream, serialised, as they come. It ends with an `RPCError`, or when it is not read any more.
    func stream(_ path: String, _ request: [UInt8] = []) -> AsyncThrowingStream<[UInt8], any Error> {
        let (messages, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let task = Task {
            let received = Mutex(Envelopes())
            do {
                let answer = try await client.post(path, fields, Envelopes.wrap(request)) { bytes in
                    received.withLock { envelopes in
                        envelopes.add(bytes)
                        while let envelope = envelopes.next() { continuation.yield(envelope.message) }
                    }
                }
                try Self.check(answer)
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return messages
    }

    func close() async { await client.close() }

    private static func check(_ answer: TestHTTP2Client.Answer) throws {
        guard let status = TestCallStatus(grpc: answer) else { throw NoAnswer() }
        if status.code != 0 { throw RPCError(status) }
    }

    /// What came is not what gRPC answers with.
    struct NoAnswer: Error {}
}

extension RPCError {
    init(_ status: TestCallStatus) {
        self.init(
            RPCStatusCode(rawValue: Int32(status.code)) ?? .unknown, status.message, reason: status.reason,
            retryAfterMilliseconds: status.retryAfterMilliseconds == 0 ? nil : UInt32(clamping: status.retryAfterMilliseconds))
    }
}
