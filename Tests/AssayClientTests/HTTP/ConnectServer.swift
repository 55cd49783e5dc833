import AssayAPI
import AssayClient
import AssayTesting
import Foundation
import SwiftProtobuf

/// A server whose answers a test writes byte by byte. What a client asks before its first call is answered by a proxy's 404.
struct ConnectServer {
    let http: TestHTTPSServer

    /// Runs it around `body`, without TLS, and stops it.
    ///
    /// - Parameter rule: makes the answers to calls.
    static func run(
        _ rule: @escaping TestHTTPSServer.Rule, _ body: (ConnectServer) async throws -> Void
    ) async throws {
        try await ConnectServer(http: try await TestHTTPSServer.plain(answer: onlyCalls(rule))).use(body)
    }

    static func onlyCalls(_ rule: @escaping TestHTTPSServer.Rule) -> TestHTTPSServer.Rule {
        { $0.method == "POST" ? rule($0) : TestHTTPSAnswer(404) }
    }

    func use(_ body: (ConnectServer) async throws -> Void) async throws {
        do { try await body(self) } catch {
            try await http.stop()
            throw error
        }
        try await http.stop()
    }

    /// The calls that reached it.
    var calls: [TestHTTPSRequest] { http.requests.filter { $0.method == "POST" } }

    func client(_ time: TestTime = TestTime(), _ options: ClientOptions = ClientOptions()) throws -> AssayClient {
        try AssayClient(address: http.address, options: options, time: time.time)
    }
}

extension TestHTTPSAnswer {
    /// A message, as the answer to a unary call.
    static func message(_ message: some SwiftProtobuf.Message) -> TestHTTPSAnswer {
        let bytes: [UInt8] = (try? message.serializedBytes()) ?? []
        return TestHTTPSAnswer(200, bytes, headers: [("content-type", "application/proto")])
    }

    /// A stream of the bytes of envelopes.
    static func stream(_ envelopes: [[UInt8]], ending: Ending = .whole) -> TestHTTPSAnswer {
        TestHTTPSAnswer(
            200, envelopes.flatMap { $0 }, headers: [("content-type", "application/connect+proto")], ending: ending)
    }

    static let html = TestHTTPSAnswer(502, text: "<html>Bad Gateway</html>", headers: [("content-type", "text/html")])
}

/// One envelope of a stream: flags, the length in four bytes, the bytes.
func envelope(_ flags: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    let length = UInt32(bytes.count)
    return [flags, UInt8(length >> 24 & 255), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)] + bytes
}
