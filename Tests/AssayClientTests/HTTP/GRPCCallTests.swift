import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import NIOHPACK
import Testing

@testable import AssayClient
@testable import AssayConfiguration
@testable import AssayHTTPClient

/// Calls to a daemon over HTTP in the forms that only the load generator takes.
@Suite("Call by gRPC and with JSON", .timeLimit(.minutes(30)))
struct GRPCCallTests {
    private func client(_ daemon: TestDaemon, _ calls: HTTPForm.Calls) async throws -> AssayClient {
        guard case .unix(let path, _)? = daemon.addresses.first else { throw ProtocolMismatch() }
        return try await AssayClient.connect(
            to: "http+unix:" + path, credentials: nil, key: nil, options: ClientOptions(retry: .once),
            form: HTTPForm(calls: calls))
    }

    private struct ProtocolMismatch: Error {}

    @Test("Calls, verdicts and errors with their reasons are those of the framed protocol", arguments: HTTPForm.Calls.allCases)
    func calls(_ calls: HTTPForm.Calls) async throws {
        try await TestDaemon.run(speaks: .http) { daemon in
            let client = try await client(daemon, calls)
            #expect(try await client.status().version.isEmpty == false)
            let app = try #require(AppID("camera"))
            let key = TestDaemon.makeKey()
            let challenge = try await client.issueChallenge(app: app, purpose: .register).bytes
            let data = try #require(ClientData(purpose: .register, challenge: challenge))
            let body = try key.attest(clientDataHash: data.hash, at: TestDaemon.opening)
            let verdict = try await client.verify(
                VerificationRequest(
                    app: app, purpose: .register, challenge: challenge,
                    evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)]))
            #expect(verdict.decision == .accepted && verdict.simulated, "\(verdict.reason)")
            let error = await #expect(throws: AssayError.self) {
                try await client.device(keyID: [UInt8](repeating: 7, count: 32), app: app)
            }
            #expect(
                error?.code == .notFound && error?.reason.isEmpty == false && error?.message.isEmpty == false, "\(error as Any)"
            )
            #expect(try await client.ping() > .zero)
            await client.close()
        }
    }

    @Test("Many calls go side by side over the one connection")
    func multiplexed() async throws {
        try await TestDaemon.run(speaks: .http) { daemon in
            let client = try await client(daemon, .grpc)
            let count = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { _ = try await client.status() } }
                return try await group.reduce(0) { count, _ in count + 1 }
            }
            #expect(count == 100)
            await client.close()
        }
    }

    @Test("A stream is read until it is left")
    func stream() async throws {
        try await TestDaemon.run(speaks: .http) { daemon in
            let client = try await client(daemon, .grpc)
            var isBegun = false
            for try await _ in try await client.watch() {
                isBegun = true
                break
            }
            #expect(isBegun)
            await client.close()
        }
    }

    @Test("A server that speaks no HTTP/2 without TLS is no server of gRPC")
    func notHTTP2() async throws {
        try await ConnectServer.run { _ in
            TestHTTPSAnswer(200)
        } _: { server in
            let error = await #expect(throws: AssayError.self) {
                try await AssayClient.connect(
                    to: server.http.address, credentials: nil, key: nil,
                    options: ClientOptions(retry: .once, timeout: .seconds(20)), form: HTTPForm(calls: .grpc))
            }
            #expect(error?.reason == "connect_failed", "\(error as Any)")
        }
    }

    // MARK: The status

    @Test("The status of a call is read from the trailers, details included")
    func status() {
        func error(_ fields: (String, String)...) -> RPCError? {
            .grpcStatus(HPACKHeaders(fields), httpStatus: 200, contentType: "application/grpc")
        }
        #expect(error(("grpc-status", "0")) == nil)
        let encoded = error(("grpc-status", "5"), ("grpc-message", "no device %22%C3%A9%22 at 100%"))
        #expect(encoded?.code == .notFound && encoded?.message == "no device \"é\" at 100%")
        #expect(error(("grpc-status", "99"))?.code == .unknown)
        #expect(error(("content-type", "text/html"))?.reason == "foreign_answer")
        #expect(error(("grpc-status", "no"))?.reason == "foreign_answer")
        // google.rpc.Status with ErrorInfo{reason: "r"} and RetryInfo{1.5 s}.
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        func any(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
            field(3, field(1, Array("type.googleapis.com/google.rpc.\(type)".utf8)) + field(2, bytes))
        }
        let info = any("ErrorInfo", field(1, Array("r".utf8)))
        let retry = any("RetryInfo", field(1, [1 << 3, 1, 2 << 3] + [0x80, 0xCA, 0xB5, 0xEE, 0x01]))
        let details = Base64.standard.encode([1 << 3, 8] + info + retry)
        let detailed = error(("grpc-status", "8"), ("grpc-status-details-bin", details))
        #expect(detailed?.reason == "r" && detailed?.retryAfterMilliseconds == 1500, "\(detailed as Any)")
        #expect(error(("grpc-status", "8"), ("grpc-status-details-bin", "!"))?.reason == "")
    }

    @Test(
        "A timeout has at most eight digits, and is never shorter than the call's",
        arguments: [
            (Duration.milliseconds(1), "1m"), (.microseconds(1500), "2m"), (.zero, "1m"), (.seconds(10), "10000m"),
            (.seconds(99_999), "99999000m"), (.seconds(100_000), "100001S"), (.seconds(Int64.max / 2), "99999999S"),
        ])
    func timeout(_ duration: Duration, _ text: String) { #expect(duration.grpcTimeout == text) }
}
