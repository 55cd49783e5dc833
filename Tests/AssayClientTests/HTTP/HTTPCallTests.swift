import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Call over HTTP", .timeLimit(.minutes(30)))
struct HTTPCallTests {
    private static let status = TestHTTPSAnswer.message(Assay_V1_StatusResponse.with { $0.version = "7" })

    private static func json(_ status: Int, _ text: String) -> TestHTTPSAnswer { .json(text, status: status) }

    private func request() throws -> VerificationRequest {
        VerificationRequest(
            app: try #require(AppID("camera")), purpose: .assert, challenge: [UInt8](repeating: 1, count: 54),
            evidence: [Evidence(format: .appAttestAssertion, keyID: [1], body: [2])])
    }

    @Test("A call is a POST of the message at the method's path, with its deadline and its trace")
    func success() async throws {
        try await ConnectServer.run { _ in
            Self.status
        } _: { server in
            let client = try server.client()
            let trace = try #require(TraceContext(traceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
            let response = try await TraceContext.$current.withValue(trace) { try await client.status(timeout: .seconds(20)) }
            #expect(response.version == "7")
            let call = try #require(server.calls.first)
            #expect(call.path == "/assay.v1.Operations/Status" && call.body.isEmpty)
            #expect(call.header("content-type") == "application/proto" && call.header("connect-protocol-version") == "1")
            #expect(call.header("connect-timeout-ms") == "20000" && call.header("traceparent") == trace.traceParent)
            #expect(call.header("authorization") == nil)

            let app = try #require(AppID("camera"))
            _ = try? await client.device(keyID: [1, 2, 3], app: app)
            let sent = try Assay_V1_GetDeviceRequest(serializedBytes: try #require(server.calls.last).body)
            #expect(sent.app == "camera" && Array(sent.keyID) == [1, 2, 3])
            await client.close()
        }
    }

    @Test("A path behind the host stands before the path of each method")
    func prefix() async throws {
        try await ConnectServer.run { _ in
            Self.status
        } _: { server in
            let client = try AssayClient(address: server.http.address + "/office/assay/")
            _ = try await client.status()
            #expect(server.calls.map(\.path) == ["/office/assay/assay.v1.Operations/Status"])
            await client.close()
        }
    }

    @Test(
        "Each of Connect's codes is an error with gRPC's name of it",
        arguments: [
            ("canceled", 499, AssayError.Code.cancelled), ("unknown", 500, .unknown),
            ("invalid_argument", 400, .invalidArgument),
            ("deadline_exceeded", 504, .deadlineExceeded), ("not_found", 404, .notFound),
            ("already_exists", 409, .alreadyExists),
            ("permission_denied", 403, .permissionDenied), ("resource_exhausted", 429, .resourceExhausted),
            ("failed_precondition", 400, .failedPrecondition), ("aborted", 409, .aborted), ("out_of_range", 400, .outOfRange),
            ("unimplemented", 501, .unimplemented), ("internal", 500, .internalError), ("unavailable", 503, .unavailable),
            ("data_loss", 500, .dataLoss), ("unauthenticated", 401, .unauthenticated),
        ])
    func codes(_ name: String, _ status: Int, _ code: AssayError.Code) async throws {
        try await ConnectServer.run { _ in
            Self.json(status, #"{"code":"\#(name)","message":"no"}"#)
        } _: { server in
            let client = try server.client(TestTime(), ClientOptions(retry: .once))
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error == AssayError(code, "no"))
            await client.close()
        }
    }

    @Test("An error's reason and the time of the next try are in its details")
    func details() async throws {
        let body = #"""
            {"code":"not_found","message":"no such \u0022device\u0022","details":[
              {"type":"google.rpc.Help","value":"AAAA"},
              {"type":"google.rpc.ErrorInfo","value":"Cg51bmtub3duX2RldmljZRIFYXNzYXk"},
              {"type":"google.rpc.RetryInfo","value":"CggIARCByrXuAQ","debug":{"retryDelay":"1.500000001s"}}]}
            """#
        try await ConnectServer.run { _ in
            Self.json(404, body)
        } _: { server in
            let client = try server.client()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            let expected = AssayError(
                .notFound, "no such \"device\"", reason: "unknown_device", retryAfterMilliseconds: 1501)
            #expect(error == expected, "\(error as Any)")
            await client.close()
        }
    }

    @Test(
        "Details that cannot be read are left out",
        arguments: [
            #"{"type":"google.rpc.ErrorInfo","value":"!"}"#, #"{"type":"google.rpc.ErrorInfo","value":"Cg51"}"#,
            #"{"type":"google.rpc.RetryInfo","value":"CgsI////////////AQ"}"#, #"{"type":7,"value":"AAAA"}"#, "7", "{}",
            #"{"type":"google.rpc.ErrorInfo"}"#,
        ])
    func badDetails(_ detail: String) async throws {
        try await ConnectServer.run { _ in
            Self.json(400, #"{"code":"invalid_argument","message":"no","details":[\#(detail)]}"#)
        } _: { server in
            let client = try server.client()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error == AssayError(.invalidArgument, "no"))
            await client.close()
        }
    }

    @Test(
        "An answer in another form is UNAVAILABLE and says so",
        arguments: [
            TestHTTPSAnswer.html, TestHTTPSAnswer(200, text: "<html>", headers: [("content-type", "text/html; charset=utf-8")]),
            TestHTTPSAnswer(404), json(404, #"{"message":"no Route matched"}"#), json(500, #"{"code":"weird","message":"no"}"#),
            json(500, "no JSON"), json(200, "{}"), TestHTTPSAnswer(302, headers: [("location", "https://elsewhere.example/")]),
            TestHTTPSAnswer(200, [1], headers: [("content-type", "application/proto"), ("content-encoding", "gzip")]),
        ])
    func foreign(_ answer: TestHTTPSAnswer) async throws {
        try await ConnectServer.run { _ in
            answer
        } _: { server in
            let client = try server.client(TestTime(), ClientOptions(retry: .once))
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .unavailable && error?.reason == "foreign_answer")
            #expect(error?.message.contains("status \(answer.status)") == true, "\(error as Any)")
            #expect(server.calls.count == 1, "no redirection is followed")
            await client.close()
        }
    }

    @Test("An answer that is no message of the method is INTERNAL")
    func undecodable() async throws {
        try await ConnectServer.run { _ in
            TestHTTPSAnswer(200, [255], headers: [("content-type", "application/proto")])
        } _: { server in
            let client = try server.client()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .internalError && error?.reason == "undecodable_reply")
            await client.close()
        }
    }

    @Test("An answer or a message that is too long is refused")
    func tooLong() async throws {
        try await ConnectServer.run { _ in
            TestHTTPSAnswer(
                200, [UInt8](repeating: 0, count: 1 << 20 + 1), headers: [("content-type", "application/proto")])
        } _: { server in
            let client = try server.client()
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .internalError && error?.reason == "reply_too_large")
            var long = try request()
            long.context = [UInt8](repeating: 0, count: 1 << 20)
            let count = server.calls.count
            let refused = await #expect(throws: AssayError.self) { try await client.verify(long) }
            #expect(refused?.reason == "message_too_large" && server.calls.count == count, "it is not sent")
            await client.close()
        }
    }

    @Test("A call ends at its deadline while the server is silent, and when its task is cancelled")
    func silence() async throws {
        try await ConnectServer.run { _ in
            .silence
        } _: { server in
            let client = try server.client(TestTime(), ClientOptions(retry: .once))
            let error = await #expect(throws: AssayError.self) { try await client.status(timeout: .seconds(2)) }
            #expect(error?.code == .deadlineExceeded && error?.reason == "deadline_exceeded")

            let before = server.http.requests.count
            let waiting = Task { try await client.status() }
            _ = await server.http.requests(atLeast: before + 1)
            waiting.cancel()
            let cancelled = await #expect(throws: AssayError.self) { try await waiting.value }
            #expect(cancelled?.code == .cancelled)
            await client.close()
        }
    }

    @Test("An answer that stops in its middle ends at the deadline too")
    func stalled() async throws {
        var answer = Self.status
        answer.ending = .stalled
        try await ConnectServer.run { [answer] _ in
            answer
        } _: { server in
            let client = try server.client(TestTime(), ClientOptions(retry: .once))
            let error = await #expect(throws: AssayError.self) { try await client.status(timeout: .seconds(2)) }
            #expect(error?.code == .deadlineExceeded)
            await client.close()
        }
    }

    // MARK: Repetition

    @Test("A call whose connection ends before the answer is repeated only if it may be")
    func lost() async throws {
        try await ConnectServer.run { _ in
            Self.status
        } _: { server in
            let time = TestTime()
            let client = try server.client(time, ClientOptions(idempotencyKeys: false))
            server.http.answerNext(TestHTTPSAnswer(404), .hangUp)
            #expect(try await client.status().version == "7")
            #expect(server.calls.count == 2 && time.pauses == [.seconds(1)])

            server.http.answerNext(.hangUp)
            let error = await #expect(throws: AssayError.self) { try await client.verify(try request()) }
            #expect(error?.code == .unavailable && error?.reason == "connection_lost" && server.calls.count == 3)
            await client.close()
        }
    }

    @Test("A call that the daemon did not begin is repeated, and one that a proxy answered only if it may be")
    func notBegun() async throws {
        let overloaded =
            #"{"code":"resource_exhausted","message":"full","details":[{"type":"google.rpc.ErrorInfo","value":"CgpvdmVybG9hZGVk"}]}"#
        try await ConnectServer.run { _ in
            .html
        } _: { server in
            let client = try server.client(TestTime(), ClientOptions(idempotencyKeys: false))
            server.http.answerNext(TestHTTPSAnswer(404), Self.json(429, overloaded))
            let error = await #expect(throws: AssayError.self) { try await client.verify(try request()) }
            #expect(error?.reason == "foreign_answer" && server.calls.count == 2)
            await #expect(throws: AssayError.self) { try await client.status() }
            #expect(server.calls.count == 7)
            await client.close()
        }
    }

    private final class Kept: Sendable {
        let server = Mutex<TestHTTPSServer?>(nil)
    }

    @Test("A server that is away is an error of the connection, and found when it comes back")
    func away() async throws {
        let server = try await TestHTTPSServer.plain()
        let (address, port) = (server.address, server.port)
        try await server.stop()
        let (time, kept) = (TestTime(), Kept())
        let once = await #expect(throws: AssayError.self) {
            try await AssayClient.connect(to: address, options: ClientOptions(retry: .once))
        }
        #expect(once?.code == .unavailable && once?.reason == "connect_failed", "\(once as Any)")
        #expect(once?.message.hasPrefix(address + ": ") == true && once?.retryAfterMilliseconds != nil)

        let client = try AssayClient(address: address, options: ClientOptions(idempotencyKeys: false), time: time.time)
        time.onPause { number in
            guard number == 2 else { return }
            let back = try await TestHTTPSServer.plain(
                port: port,
                answer: ConnectServer.onlyCalls { _ in .message(Assay_V1_Verdict.with { $0.decision = .accepted }) })
            kept.server.withLock { $0 = back }
        }
        #expect(try await client.verify(try request()).decision == .accepted, "it was never begun before")
        #expect(time.pauses.count >= 2)
        await client.close()
        try await kept.server.withLock { $0 }?.stop()
    }

    @Test("A client takes no calls once it is closed, and waits for those in flight")
    func closed() async throws {
        var slow = Self.status
        slow.delay = .milliseconds(200)
        try await ConnectServer.run { [slow] _ in
            slow
        } _: { server in
            let client = try server.client()
            let waiting = Task { try await client.status() }
            _ = await server.http.requests(atLeast: 2)
            await client.close()
            #expect(try await waiting.value.version == "7")
            let error = await #expect(throws: AssayError.self) { try await client.status() }
            #expect(error?.code == .unavailable && error?.reason == "connection_closed")
        }
    }

    @Test("A ping takes the time of a question that no method sees")
    func ping() async throws {
        try await ConnectServer.run { _ in
            Self.status
        } _: { server in
            let client = try server.client()
            #expect(try await client.ping() > .zero && server.calls.isEmpty)
            await client.close()
        }
    }
}
