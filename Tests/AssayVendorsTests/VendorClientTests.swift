import AssayMetrics
import AssaySimulator
import AssayTesting
import Logging
import ServiceLifecycle
import Testing

@testable import AssayVendors

@Suite("Vendor client", .timeLimit(.minutes(30)))
struct VendorClientTests {
    private static let short = VendorSettings(connectMilliseconds: 50_000, totalMilliseconds: 300)

    private static func patient(_ change: (inout VendorSettings) -> Void) -> VendorSettings {
        var settings = Vendor.patient
        change(&settings)
        return settings
    }

    @Test("The request is sent unchanged, and the answer returned unchanged")
    func roundTrip() async throws {
        let answer = TestHTTPSAnswer(
            203, text: "good",
            headers: [
                ("Cache-Control", "max-age=60"), ("ETag", "\"7\""), ("Age", "5"), ("Retry-After", "9"),
                ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:38 GMT"),
                ("X-Other", "x"),
            ])
        try await Vendor.run(answer: { _ in answer }) { vendor in
            let request = VendorRequest(
                .post, "/v1/things?now=1", headers: [("authorization", "secret"), ("if-none-match", "\"6\"")],
                body: [1, 0, 255])
            let got = try await vendor.client.call(request, at: vendor.address)
            #expect(got.status == 203)
            #expect(got.text == "good")
            #expect(got.headers.cacheControl == "max-age=60")
            #expect(got.headers.eTag == "\"7\"")
            #expect(got.headers.age == "5")
            #expect(got.headers.retryAfter == "9")
            #expect(got.headers.lastModified == "Sun, 06 Nov 1994 08:49:37 GMT")
            #expect(got.headers.date == "Sun, 06 Nov 1994 08:49:38 GMT")
            let asked = try #require(vendor.server.requests.first)
            #expect(asked.method == "POST")
            #expect(asked.path == "/v1/things?now=1")
            #expect(asked.header("Authorization") == "secret")
            #expect(asked.header("if-none-match") == "\"6\"")
            #expect(asked.header("user-agent") == "assay")
            #expect(asked.body == [1, 0, 255])
        }
    }

    @Test("Calls are counted by host and outcome, and nothing of a request is in the metrics")
    func metrics() async throws {
        try await Vendor.run(answer: { _ in TestHTTPSAnswer(503) }) { vendor in
            let request = VendorRequest(.get, "/v1/secret", headers: [("authorization", "secret")])
            for _ in 0..<2 { _ = try await vendor.client.call(request, at: vendor.address) }
            vendor.client.close()
            await #expect(throws: VendorError.closed) { _ = try await vendor.client.call(request, at: vendor.address) }
            let text = String(
                decoding: MetricsText.prometheus.write(MetricsRegistry([vendor.client]).exposition()), as: UTF8.self)
            let host = vendor.address.host
            #expect(text.contains("assay_vendor_calls_total{host=\"\(host)\",outcome=\"5xx\"} 2\n"))
            #expect(text.contains("assay_vendor_calls_total{host=\"\(host)\",outcome=\"closed\"} 1\n"))
            #expect(text.contains("assay_vendor_call_duration_seconds_count 2\n"))
            #expect(!text.contains("secret"))
        }
    }

    @Test(
        "Every status is an answer, and redirects are not followed", arguments: [204, 301, 302, 304, 307, 400, 404, 500, 503])
    func statuses(_ status: Int) async throws {
        let answer = TestHTTPSAnswer(status, headers: [("location", "https://localhost:1/elsewhere")])
        try await Vendor.run(answer: { _ in answer }) { vendor in
            let got = try await vendor.call()
            #expect(got.status == status)
            #expect(vendor.server.requests.count == 1)
        }
    }

    @Test("A connection is reused while it is open")
    func reuse() async throws {
        try await Vendor.run { vendor in
            for _ in 0..<4 { _ = try await vendor.call() }
            #expect(vendor.server.connectionCount == 1)
        }
    }

    @Test(
        "A silent server, and one that stalls inside the body, time out", arguments: [TestHTTPSAnswer.Ending.silent, .stalled])
    func timeOut(_ ending: TestHTTPSAnswer.Ending) async throws {
        let answer = TestHTTPSAnswer(200, text: "half", ending: ending)
        try await Vendor.run(Self.short, answer: { _ in answer }) { vendor in
            #expect(await vendor.problem() == .timedOut(host: vendor.address.host, milliseconds: 300))
        }
    }

    @Test("A slow server is waited for")
    func delay() async throws {
        let answer = TestHTTPSAnswer(200, text: "late", delay: .milliseconds(50))
        try await Vendor.run(answer: { _ in answer }) { vendor in
            let got = try await vendor.call()
            #expect(got.text == "late")
        }
    }

    @Test("A broken answer is distinguished from none", arguments: [TestHTTPSAnswer.Ending.cutShort, .hungUp])
    func broken(_ ending: TestHTTPSAnswer.Ending) async throws {
        let answer = TestHTTPSAnswer(200, text: "half", ending: ending)
        try await Vendor.run(answer: { _ in answer }) { vendor in
            #expect(await vendor.problem() == .broken(host: vendor.address.host))
        }
    }

    @Test("A body is read up to its limit and not a byte more")
    func tooLarge() async throws {
        try await Vendor.run(Self.patient { $0.answerLimit = 1000 }) { vendor in
            vendor.server.answerNext(.zeros(1000), .zeros(1001), .zeros(8 << 20))
            let got = try await vendor.call()
            #expect(got.body.count == 1000)
            #expect(await vendor.problem() == .tooLarge(host: vendor.address.host, limit: 1000))
            #expect(await vendor.problem() == .tooLarge(host: vendor.address.host, limit: 1000))
            #expect(await vendor.problem() == nil)
        }
    }

    @Test("A server of an unknown CA is refused")
    func untrusted() async throws {
        try await Vendor.run(trusted: false) { vendor in
            #expect(
                await vendor.problem() == .untrusted(host: vendor.address.host, why: "certificate_verify_failed"))
            #expect(vendor.server.requests.isEmpty)
        }
    }

    @Test("A server with a certificate for another name is refused")
    func wrongName() async throws {
        try await Vendor.run(names: [.dns("elsewhere.example")]) { vendor in
            #expect(
                await vendor.problem()
                    == .untrusted(host: vendor.address.host, why: "its certificate is for another name"))
            #expect(vendor.server.requests.isEmpty)
        }
    }

    @Test("A certificate with the server's IP address is not one for its name, also beside another name")
    func addressForName() async throws {
        for names in [
            [SubjectAlternativeName.ipAddress([127, 0, 0, 1])], [.ipAddress([127, 0, 0, 1]), .dns("elsewhere.example")],
        ] {
            try await Vendor.run(names: names) { vendor in
                for _ in 0..<2 {
                    #expect(
                        await vendor.problem()
                            == .untrusted(host: vendor.address.host, why: "its certificate is for another name"))
                }
                #expect(vendor.server.requests.isEmpty)
                // By its address it is that server.
                let address = try #require(VendorAddress(vendor.server.address.replacing("localhost", with: "127.0.0.1")))
                let answer = try await vendor.client.call(VendorRequest(.get, "/"), at: address)
                #expect(answer.status == 404 && vendor.server.requests.count == 1)
            }
        }
    }

    @Test("An address without a listening server is reported")
    func refused() async throws {
        try await Vendor.run { vendor in
            try await vendor.server.stop()
            #expect(
                await vendor.problem() == .unreachable(host: vendor.address.host, why: "the connection was refused"))
        }
    }

    @Test("Calls beyond the limit are refused, and accepted again when others have ended")
    func bound() async throws {
        try await Vendor.run(Self.patient { $0.callLimit = 2 }) { vendor in
            vendor.server.answerNext(.silence, .silence)
            let calls = (0..<2).map { _ in Task { await vendor.problem() } }
            _ = await vendor.server.requests(atLeast: 2)
            #expect(await vendor.problem() == .busy)
            for call in calls { call.cancel() }
            for call in calls { #expect(await call.value == .cancelled) }
            let after = await vendor.problem()
            #expect(after == nil)
        }
    }

    @Test("New settings are applied, and unusable ones leave the old settings in force")
    func reload() async throws {
        try await Vendor.run(trusted: false) { vendor in
            #expect(throws: (any Error).self) { try vendor.client.prepare(VendorSettings(extraRoots: Array("none".utf8))) }
            #expect(await vendor.problem() != nil)
            let exchange = try vendor.client.prepare(Self.patient { $0.extraRoots = Array(vendor.authority.pem.utf8) })
            #expect(await vendor.problem() != nil)
            exchange()
            #expect(await vendor.problem() == nil)
        }
    }

    @Test("The client stops with the daemon, and finishes calls in flight")
    func shutdown() async throws {
        try await Vendor.run { vendor in
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: vendor.client)], logger: .init(label: "test")))
            let running = Task { try await group.run() }
            vendor.server.answerNext(TestHTTPSAnswer(200, text: "late", delay: .milliseconds(100)))
            let late = Task { try await vendor.call() }
            _ = await vendor.server.requests(atLeast: 1)
            await group.triggerGracefulShutdown()
            try await running.value
            #expect(try await late.value.text == "late")
            #expect(await vendor.problem() == .closed)
        }
    }

    @Test("Error sentences contain no secrets")
    func secrecy() async throws {
        try await Vendor.run(Self.short, answer: { _ in .silence }) { vendor in
            let request = VendorRequest(
                .post, "/path-of-secrets", headers: [("authorization", "hush")], body: Array("hush".utf8))
            let text = try #require(await vendor.problem(request)?.description)
            #expect(text == "\(vendor.address.host) did not answer within 300ms")
        }
    }
}
