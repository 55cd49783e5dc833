import AssayRPC
import Synchronization
import Testing

@testable import AssayOperations

@Suite("Operations address", .timeLimit(.minutes(30)))
struct OperationsServerTests {
    private static let feedMissing = Readiness.Cause(code: "feed_missing", message: "no list", app: "camera")

    @Test("Probes answer a peer that is no caller with the status and one word")
    func probes() async throws {
        let operations = try await TestOperations(open: [.probes])
        #expect(await operations.get("/livez")?.body == "alive\n")
        #expect(await operations.get("/readyz")?.body == "ready\n")
        operations.state.withLock {
            $0.readiness = Readiness(causes: [Self.feedMissing])
            $0.liveness = Liveness(problem: "the writer is stuck")
        }
        try await Task.sleep(for: .milliseconds(150))
        let ready = try #require(await operations.get("/readyz", "Accept: application/json"))
        #expect(ready.status == 503 && ready.body == "not ready\n")
        let alive = try #require(await operations.get("/livez"))
        #expect(alive.status == 503 && alive.body == "stuck\n")
        #expect(await operations.get("/metrics")?.status == 403)
        #expect(await operations.get("/status")?.status == 403)
        await operations.server.stop()
    }

    @Test("A caller that observes sees by name what is not ready, as text or JSON")
    func details() async throws {
        let operations = try await TestOperations(open: []) { _ in TestOperations.all }
        operations.state.withLock {
            $0.readiness = Readiness(
                causes: [Self.feedMissing], others: [Readiness.Cause(code: "disk_low", message: "nearly full")])
        }
        let text = try #require(await operations.get("/readyz"))
        #expect(text.status == 503)
        #expect(text.body == "not ready\nfeed_missing (camera): no list\nattention: disk_low: nearly full\n")
        let json = try #require(await operations.get("/readyz", "Accept: application/json"))
        #expect(json.headers["content-type"] == "application/json")
        #expect(
            json.body
                == #"{"attention":[{"code":"disk_low","message":"nearly full"}],"not_ready":[{"app":"camera","code":"feed_missing","message":"no list"}],"ready":false}"#
        )
        #expect(await operations.get("/status")?.body.contains("tcp 127.0.0.1") == true)
        await operations.server.stop()
    }

    @Test("Nothing is answered to a peer that is no caller unless the rule opens it")
    func closed() async throws {
        let operations = try await TestOperations(open: [])
        for path in ["/livez", "/readyz", "/metrics", "/status"] {
            let answer = try #require(await operations.get(path))
            #expect(answer.status == 403 && answer.body == "not permitted\n", "\(path)")
        }
        #expect(operations.state.withLock { $0.metricsAsked } == 0)
        operations.server.use(OperationsRule(open: [.metrics], openToTheNetwork: [], caller: { _ in nil }))
        #expect(await operations.get("/metrics")?.status == 200)
        #expect(await operations.get("/livez")?.status == 403)
        await operations.server.stop()
    }

    @Test(
        "A credential makes a peer the caller that it stands for, and one that is refused is answered 401, also where something is open"
    )
    func credentials() async throws {
        let operations = try await TestOperations(open: [])
        operations.server.use(
            OperationsRule(
                open: [.probes], openToTheNetwork: [],
                caller: { peer in
                    if case .key(name: "watch", origin: .tcp) = peer { TestOperations.all } else { nil }
                },
                identify: { peer, credential in credential == "Bearer good" ? .key(name: "watch", origin: peer) : nil }))
        #expect(await operations.get("/metrics")?.status == 403)
        #expect(await operations.get("/metrics", "Authorization: Bearer good")?.status == 200)
        #expect(await operations.get("/status", "Authorization: Bearer good")?.body.contains("key watch") == true)
        for path in ["/livez", "/metrics", "/nothing"] {
            let refused = try #require(await operations.get(path, "Authorization: Bearer bad"))
            #expect(refused.status == 401 && refused.headers["www-authenticate"] == "Bearer", "\(path)")
            #expect(!refused.body.contains("bad"))
        }
        await operations.server.stop()
    }

    @Test("What is open on this machine is not open to the network, and what is open to the network is open here")
    func network() {
        let rule = OperationsRule(open: [.probes], openToTheNetwork: [.metrics], caller: { _ in nil })
        let (near, far) = (rule.grant(nil, isLocal: true), rule.grant(nil, isLocal: false))
        #expect(near.probes && near.metrics && !near.details && !near.status)
        #expect(!far.probes && far.metrics && !far.details && !far.status)
        #expect(
            !OperationsRule(open: [.probes], openToTheNetwork: [], caller: { _ in nil }).answersWithoutCertificate(
                isLocal: false))
    }

    @Test("The format of the metrics is the one that the client likes best")
    func negotiation() async throws {
        let operations = try await TestOperations()
        let prometheus =
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        let cases = [
            (prometheus, "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            ("*/*", "text/plain; version=0.0.4; charset=utf-8"), ("", "text/plain; version=0.0.4; charset=utf-8"),
            ("application/openmetrics-text;version=0.0.1", "text/plain; version=0.0.4; charset=utf-8"),
            ("text/plain, application/openmetrics-text;q=0.2", "text/plain; version=0.0.4; charset=utf-8"),
            ("application/openmetrics-text;q=0", "text/plain; version=0.0.4; charset=utf-8"),
            (
                "APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; q=1.0",
                "application/openmetrics-text; version=1.0.0; charset=utf-8"
            ),
            (";;;,,,q=q=;", "text/plain; version=0.0.4; charset=utf-8"),
        ]
        for (accept, type) in cases {
            #expect(await operations.get("/metrics", "Accept: \(accept)")?.headers["content-type"] == type, "\(accept)")
        }
        await operations.server.stop()
    }

    @Test("Only GET and HEAD of four paths are answered, and a connection serves several requests")
    func methods() async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        #expect(await client.get("/livez?verbose=1")?.status == 200)
        #expect(await client.get("/")?.status == 404)
        #expect(await client.get("/metrics/../status")?.status == 404)
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"] {
            let answer = await client.request("\(method) /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer?.status == 405 && answer?.headers["allow"] == "GET, HEAD", "\(method)")
        }
        let head = await client.request("HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n", hasBody: false)
        #expect(head?.status == 200 && head?.body == "")
        #expect(await client.get("/livez")?.body == "alive\n", "HEAD had no body")
        await operations.server.stop()
    }

    @Test("A request with a body is refused and ends its connection")
    func body() async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        let answer = await client.request("GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
        #expect(answer?.status == 400 && answer?.headers["connection"] == "close")
        #expect(await client.isClosedByPeer())
        await operations.server.stop()
    }

    @Test("Requests one after the other without waiting are answered in their order, and junk after them ends the connection")
    func pipelined() async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        await client.send(
            "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n\u{1}\u{2}garbage\r\n\r\n"
        )
        #expect(await client.response()?.body == "alive\n")
        #expect(await client.response()?.status == 404)
        #expect(await client.response()?.body == "ready\n")
        #expect(await client.isClosedByPeer())
        #expect(await operations.get("/livez")?.status == 200)
        await operations.server.stop()
    }

    @Test("A flood of scrapes makes at most ten texts a second")
    func flood() async throws {
        let operations = try await TestOperations()
        let client = try #require(operations.client())
        let begin = ContinuousClock.now
        for _ in 0..<200 { #expect(await client.get("/metrics")?.status == 200) }
        let tenths = Int((ContinuousClock.now - begin) / .milliseconds(100)) + 1
        #expect(operations.state.withLock { $0.metricsAsked } <= tenths)
        await operations.server.stop()
    }

    @Test("The user at a Unix socket is what the rule is asked about, and the socket's file goes with the server")
    func unixSocket() async throws {
        let path = "/tmp/assay-operations-\(UInt32.random(in: 0...(.max))).sock"
        let operations = try await TestOperations(open: [], at: .unix(path: path, mode: 0o600)) { peer in
            if case .unix = peer { TestOperations.all } else { nil }
        }
        let answer = await RawHTTP(path: path)?.get("/status")
        #expect(answer?.body.contains("unix uid=") == true)
        await operations.server.stop()
        #expect(RawHTTP(path: path) == nil)
    }

    @Test("An address that is in use is an error at the start")
    func inUse() async throws {
        let operations = try await TestOperations()
        await #expect(throws: RPCBindError.self) {
            _ = try await TestOperations(at: .tcp(host: "127.0.0.1", port: operations.port))
        }
        await operations.server.stop()
    }
}
