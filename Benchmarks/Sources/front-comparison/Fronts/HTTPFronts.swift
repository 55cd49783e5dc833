import AssayTesting

/// gRPC, on one connection of HTTP/2.
struct GRPCFront: Front {
    let name = "gRPC"
    private let client: TestHTTP2Client

    init(port: Int) async throws { client = try await TestHTTP2Client.connect(port: port) }

    func call(_ request: RecordedRequest) async throws -> CallOutcome {
        let fields = [("content-type", "application/grpc"), ("te", "trailers"), ("grpc-timeout", "60S")]
        let answer = try await client.post(
            "/" + request.method.path, fields + request.headerFields, Envelopes.wrap(request.httpMessage))
        guard answer.status == 200, let status = TestCallStatus(grpc: answer) else {
            throw ProtocolFault("an answer with status \(answer.status) that is none of gRPC")
        }
        guard status.code == 0 else {
            guard answer.body.isEmpty else { throw ProtocolFault("an error with \(answer.body.count) bytes of body") }
            return .error(status)
        }
        var envelopes = Envelopes(answer.body)
        guard let envelope = envelopes.next(), envelope.flags == 0, envelopes.isEmpty else {
            throw ProtocolFault("\(answer.body.count) bytes that are not one message")
        }
        return .answer(envelope.message)
    }
}

/// Connect's unary calls over HTTP/1.1: JSON, or protobuf where no JSON states a request.
struct ConnectFront: Front {
    let name = "Connect"
    let port: Int

    func call(_ request: RecordedRequest) async throws -> CallOutcome {
        let isJSON = request.form == .json
        let fields = [("content-type", isJSON ? "application/json" : "application/proto"), ("connect-timeout-ms", "60000")]
        let body = isJSON ? try request.method.json(request.httpMessage) : request.httpMessage
        let (status, answer) = try await TestHTTP1Client.post(
            port: port, "/" + request.method.path, fields + request.headerFields, body)
        if status == 200 { return .answer(isJSON ? try request.method.answer(answer) : answer) }
        guard let error = TestCallStatus(connect: answer), Self.statuses[error.code] == status else {
            throw ProtocolFault(
                "status \(status) with no error of Connect that belongs to it: \(String(decoding: answer, as: UTF8.self))")
        }
        return .error(error)
    }

    /// The HTTP status of each code of gRPC (connectrpc.com, "Error codes").
    private static let statuses = [
        1: 499, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501, 13: 500, 14: 503,
        15: 500, 16: 401,
    ]
}
