import AssayCore
import AssayOTLP
import AssaySimulator
import AssayTesting
import AssayTraceExport
import AssayTracing
import SwiftProtobuf
import Testing

@Suite("The export of traces", .timeLimit(.minutes(30)))
struct SpanExporterTests {
    private func settings(
        _ address: String, headers: [TraceExportSettings.Header] = [], roots: [UInt8] = []
    ) throws -> TraceExportSettings {
        TraceExportSettings(
            endpoint: try TraceEndpoint(address), rule: .init(share: 1), headers: headers, roots: roots)
    }

    @Test("A batch is OTLP: its resource, its spans, their parents, kinds, times, attributes and status")
    func batch() async throws {
        let collector = try await StandInCollector()
        let running = try RunningExporter(
            try settings(collector.server.address, headers: [.init(name: "x-tenant", value: "secret-word")]))
        let trace = try #require(
            running.exporter.tracer.begin(
                "assay.v1.Attestation/Verify", received: 2_000_000,
                parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=1"))
        trace.note([SpanAttribute("assay.app", "camera"), SpanAttribute("a.truth", isTrue: true)])
        let child = trace.root.open("ask outside")
        child.end(.error("timed_out"), [SpanAttribute("assay.group.requests", 7)])
        trace.end()
        try await eventually("the exporter counts it") { running.counts.exported == 2 }
        let request = try #require(collector.server.requests.first)
        #expect(request.method == "POST" && request.path == "/v1/traces")
        #expect(request.header("content-type") == "application/x-protobuf" && request.header("x-tenant") == "secret-word")
        let batch = try #require(try collector.batches().first)
        let resource = batch.resourceSpans.first?.resource.attributes.map { "\($0.key)=\($0.value.stringValue)" }
        #expect(resource == ["service.name=assayd", "service.version=1.2.3", "service.instance.id=here"])
        #expect(batch.resourceSpans.first?.scopeSpans.first?.scope.name == "assay")
        #expect(batch.spans.count == 2)
        let (call, ask) = (try #require(batch.spans.first), try #require(batch.spans.last))
        #expect(Hex.encode(Array(call.traceID)) == "4bf92f3577b34da6a3ce929d0e0e4736" && call.traceID == ask.traceID)
        #expect(Hex.encode(Array(call.parentSpanID)) == "00f067aa0ba902b7" && ask.parentSpanID == call.spanID)
        #expect(call.spanID.count == 8 && call.spanID == ask.parentSpanID && call.spanID != ask.spanID)
        #expect(call.kind == .server && ask.kind == .internal && call.traceState == "a=1")
        #expect(call.flags == 0x301 && ask.flags == 0x101)
        #expect(call.name == "assay.v1.Attestation/Verify" && ask.name == "ask outside")
        #expect(call.endTimeUnixNano - call.startTimeUnixNano >= 2_000_000)
        #expect(call.startTimeUnixNano <= ask.startTimeUnixNano && ask.endTimeUnixNano <= call.endTimeUnixNano)
        let now = UInt64(SystemClock().now().unixMilliseconds) * 1_000_000
        #expect(now - call.endTimeUnixNano < 60_000_000_000, "times are of the system's clock")
        #expect(call.status.code == .unset && ask.status.code == .error && ask.status.message == "timed_out")
        #expect(call.attributes.first?.value.stringValue == "camera" && call.attributes.last?.value.boolValue == true)
        #expect(ask.attributes.first?.key == "assay.group.requests" && ask.attributes.first?.value.intValue == 7)
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("Over TLS only the given CA is trusted, and what it did not issue gets no span and no header")
    func tls() async throws {
        let authority = try TestTLSAuthority("collectors")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        let server = try await TestHTTPSServer(certificate: issued.certificate, privateKey: issued.privateKey) { _ in
            TestHTTPSAnswer(200)
        }
        let trusting = try RunningExporter(try settings(server.address, roots: Array(authority.pem.utf8)))
        trusting.call("good")
        try await eventually("the exporter counts it") { trusting.counts.exported == 1 }
        try await trusting.stop()
        let other = try TestTLSAuthority("another CA")
        let wary = try RunningExporter(try settings(server.address, roots: Array(other.pem.utf8))) {
            $0.patience = .milliseconds(100)
        }
        wary.call("kept back")
        try await eventually("the exporter counts it") { wary.counts.dropped[.unreachable] == 1 }
        #expect(server.requests.count == 1)
        try await wary.stop()
        try await server.stop()
    }

    @Test("Roots that are no certificates are refused")
    func roots() { #expect(!SpanExporter.canTrust([]) && !SpanExporter.canTrust(Array("no PEM".utf8))) }

    @Test("Answers that allow another try get one, and no span is lost", arguments: [429, 502, 503, 504])
    func retried(_ status: Int) async throws {
        let collector = try await StandInCollector()
        collector.server.answerNext(TestHTTPSAnswer(status), TestHTTPSAnswer(status))
        let running = try RunningExporter(try settings(collector.server.address))
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        let batches = try collector.batches()
        #expect(batches.count == 3 && batches.allSatisfy { $0 == batches.first })
        #expect(running.counts.dropped.isEmpty)
        let lines = running.log.lines.filter { $0.contains("traces") }
        #expect(lines.count == 2 && lines.first?.contains("status \(status)") == true, "\(lines)")
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("Retry-After is waited for", .timeLimit(.minutes(30)))
    func retryAfter() async throws {
        let collector = try await StandInCollector()
        collector.server.answerNext(TestHTTPSAnswer(503, headers: [("retry-after", "1")]))
        // Its patience would be over before the pause is.
        let running = try RunningExporter(try settings(collector.server.address)) { $0.patience = .milliseconds(500) }
        let begun = ContinuousClock.now
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        #expect(ContinuousClock.now - begun >= .milliseconds(900))
        #expect(collector.server.requests.count == 2)
        try await running.stop()
        try await collector.server.stop()
    }

    @Test(
        "An answer that allows no other try drops the batch, and the next batch is sent", arguments: [301, 400, 401, 404, 500])
    func refused(_ status: Int) async throws {
        let collector = try await StandInCollector()
        collector.server.answerNext(TestHTTPSAnswer(status))
        let running = try RunningExporter(try settings(collector.server.address))
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.dropped[.refused] == 1 }
        running.call("two")
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        #expect(collector.server.requests.count == 2)
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("Spans that the collector says it dropped are counted so")
    func partial() async throws {
        let answer: [UInt8] = try ExportResponse.with { $0.partialSuccess.rejectedSpans = 2 }.serializedBytes()
        let collector = try await StandInCollector { _ in TestHTTPSAnswer(200, answer) }
        let running = try RunningExporter(try settings(collector.server.address)) { $0.delay = .seconds(2) }
        for name in ["one", "two", "three"] { running.call(name) }
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        #expect(running.counts.dropped == [.refused: 2])
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("While no collector is there, calls end at once, spans wait up to the bound, and arrive when it comes")
    func down() async throws {
        let collector = try await StandInCollector()
        let (port, address) = (collector.server.port, collector.server.address)
        try await collector.server.stop()
        let running = try RunningExporter(try settings(address), queue: SpanQueue(capacity: 50))
        let begun = ContinuousClock.now
        for number in 0..<1000 { running.call("call \(number)") }
        #expect(ContinuousClock.now - begun < .seconds(60))
        try await eventually("the exporter counts it") { (running.counts.dropped[.queueFull] ?? 0) >= 900 }
        #expect(running.exporter.tracer.queue.count <= 50)
        let back = try await TestHTTPSServer.plain(port: port) { _ in TestHTTPSAnswer(200) }
        // A batch that is on its way is in no count, and has left the queue.
        try await eventually("each span is exported or was dropped") {
            let (exported, dropped) = running.counts
            return exported > 0 && exported + (dropped[.queueFull] ?? 0) == 1000
        }
        try await running.stop()
        try await back.stop()
    }

    @Test("A collector that does not answer costs a batch its time-out, and is tried again")
    func slow() async throws {
        let collector = try await StandInCollector()
        collector.server.answerNext(.silence, TestHTTPSAnswer(200, [1, 2, 3], ending: .stalled), .hangUp)
        let running = try RunningExporter(try settings(collector.server.address)) { $0.timeout = .seconds(3) }
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        #expect(collector.server.requests.count == 4)
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("A batch that no try delivers within the patience is dropped and counted")
    func patience() async throws {
        let collector = try await StandInCollector { _ in TestHTTPSAnswer(503) }
        let running = try RunningExporter(try settings(collector.server.address)) { $0.patience = .seconds(3) }
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.dropped[.unreachable] == 1 }
        #expect(collector.server.requests.count > 1)
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("Many spans go in batches of the size that is set")
    func batches() async throws {
        let collector = try await StandInCollector()
        let running = try RunningExporter(try settings(collector.server.address)) {
            ($0.batch, $0.delay) = (10, .seconds(30))
        }
        for number in 0..<40 { running.call("call \(number)") }
        // A whole batch does not wait for the delay.
        try await eventually("the exporter counts it") { running.counts.exported == 40 }
        #expect(try collector.batches().map(\.spans.count) == [10, 10, 10, 10])
        try await running.stop()
        try await collector.server.stop()
    }

    @Test("A graceful stop sends the spans that wait")
    func flushed() async throws {
        let collector = try await StandInCollector()
        let running = try RunningExporter(try settings(collector.server.address)) { $0.delay = .seconds(3600) }
        running.call("one")
        try await Task.sleep(for: .milliseconds(50))
        running.call("two")
        #expect(collector.server.requests.isEmpty)
        try await running.stop()
        #expect(try collector.batches().flatMap(\.spans).map(\.name) == ["one", "two"])
        #expect(running.counts.exported == 2 && !running.exporter.tracer.isOn)
        try await collector.server.stop()
    }

    @Test("A graceful stop waits for a silent collector no longer than its bound, and counts what is lost")
    func boundedFlush() async throws {
        let collector = try await StandInCollector { _ in .silence }
        let running = try RunningExporter(try settings(collector.server.address)) {
            ($0.delay, $0.timeout, $0.flush) = (.seconds(3600), .seconds(60), .milliseconds(200))
        }
        for number in 0..<600 { running.call("call \(number)") }
        let begun = ContinuousClock.now
        try await running.stop()
        #expect(ContinuousClock.now - begun < .seconds(50))
        #expect(running.counts.exported == 0 && running.counts.dropped[.stopped] == 600)
        try await collector.server.stop()
    }

    @Test("A reload exchanges the collector, and ends tracing where the section is gone")
    func reload() async throws {
        let (first, second) = (try await StandInCollector(), try await StandInCollector())
        let running = try RunningExporter(try settings(first.server.address))
        running.call("one")
        try await eventually("the exporter counts it") { running.counts.exported == 1 }
        try running.exporter.prepare(try settings(second.server.address))()
        running.call("two")
        try await eventually("the exporter counts it") { running.counts.exported == 2 }
        #expect(try second.batches().flatMap(\.spans).map(\.name) == ["two"])
        try running.exporter.prepare(nil)()
        running.call("three")
        #expect(!running.exporter.tracer.isOn && running.exporter.tracer.queue.count == 0)
        try await running.stop()
        #expect(first.server.requests.count + second.server.requests.count == 2)
        for collector in [first, second] { try await collector.server.stop() }
    }
}
