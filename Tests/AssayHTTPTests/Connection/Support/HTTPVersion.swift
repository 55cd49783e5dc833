import AssayRPC

/// A version of HTTP, as a client that makes one request on a connection of its own.
enum HTTPVersion: String, CaseIterable, Sendable, CustomStringConvertible {
    case one = "HTTP/1.1"
    case two = "HTTP/2"

    var description: String { rawValue }

    struct Answer: Sendable {
        let status: Int?
        let body: [UInt8]
        /// The value of a field, by its name in lower case.
        let field: @Sendable (String) -> String?

        var text: String { String(decoding: body, as: UTF8.self) }
        /// Those in the body, if it consists of whole ones.
        var envelopes: [(flags: UInt8, message: [UInt8])]? { Enveloped.all(in: body) }
    }

    /// - Parameter type: the content type; `nil`: none is sent.
    func request(
        _ path: String, _ type: String?, _ body: [UInt8] = [], _ fields: [(String, String)] = [], method: String = "POST",
        at server: HTTPTestServer
    ) async throws -> Answer {
        let fields = (type.map { [("content-type", $0)] } ?? []) + fields
        switch self {
        case .one:
            let client = try await RawClient.connect(to: server.address)
            let length = method == "POST" ? [("content-length", "\(body.count)")] : []
            let lines = ([("host", "localhost")] + fields + length).map { "\($0): \($1)\r\n" }.joined()
            try await client.say(Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + body)
            let answer = try await client.answer(isToHead: method == "HEAD")
            return Answer(status: answer.status, body: answer.body) { answer[$0] }
        case .two:
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.open(path, fields, method: method, isEnd: body.isEmpty)
            if !body.isEmpty { client.send(body, on: stream, isEnd: true) }
            let answer = try await client.answer(stream)
            return Answer(status: answer.status, body: answer.body) { answer[$0] }
        }
    }

    /// The same with a text as the body.
    func post(
        _ path: String, _ type: String?, text: String, _ fields: [(String, String)] = [], at server: HTTPTestServer
    ) async throws -> Answer {
        try await request(path, type, Array(text.utf8), fields, at: server)
    }
}
