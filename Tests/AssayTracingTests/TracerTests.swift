import AssayMetrics
import AssayTracing
import Testing

@Suite("Which calls are traced")
struct TracerTests {
    private static let traced = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let untraced = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

    private func tracer(_ rule: Tracer.Rule?) -> Tracer {
        let tracer = Tracer()
        tracer.use(rule)
        return tracer
    }

    private func begins(_ tracer: Tracer, _ parent: String?, now: UInt64 = MonotonicTime.nanoseconds()) -> Bool {
        tracer.begin("assay.v1.Attestation/Verify", received: 0, parent: parent, state: nil, now: now) != nil
    }

    @Test("While tracing is off, or was turned off, no call is traced")
    func off() {
        let tracer = Tracer()
        #expect(!tracer.isOn)
        tracer.use(.init(share: 1))
        #expect(tracer.isOn && begins(tracer, nil))
        tracer.use(nil)
        #expect(!tracer.isOn && !begins(tracer, nil) && !begins(tracer, Self.traced))
    }

    @Test("By default only calls are traced whose parent is sampled")
    func parents() {
        let tracer = tracer(.init())
        #expect(begins(tracer, Self.traced))
        #expect(!begins(tracer, nil) && !begins(tracer, Self.untraced) && !begins(tracer, "nonsense"))
    }

    @Test("A call whose parent is not sampled is not traced, whatever the share")
    func unsampled() { #expect(!begins(tracer(.init(share: 1)), Self.untraced)) }

    @Test("The share of the calls without a parent is traced", arguments: [0, 0.1, 0.5, 1])
    func share(_ share: Double) {
        let tracer = tracer(.init(share: share))
        let count = (0..<20_000).count { _ in begins(tracer, nil) }
        // Ten standard deviations, at most 707 calls.
        #expect(abs(Double(count) - share * 20_000) <= 10 * (20_000 * share * (1 - share)).squareRoot())
    }

    @Test("Sampled parents are followed up to so many a second, and the others are counted")
    func rate() {
        let tracer = tracer(.init(parentsPerSecond: 5))
        let now = MonotonicTime.nanoseconds()
        #expect((0..<100).count { _ in begins(tracer, Self.traced, now: now) } == 5)
        #expect((0..<100).count { _ in begins(tracer, Self.traced, now: now + 200_000_000) } == 1)
        #expect(
            (0..<100).count { _ in begins(tracer, Self.traced, now: now + 100_000_000_000) } == 5, "a pause saves up one second"
        )
        #expect((0..<100).count { _ in begins(tracer, Self.traced, now: now) } == 0, "an earlier instant gives nothing")
        var exposition = Exposition()
        tracer.collect(into: &exposition)
        let refused = exposition.families.first { $0.family.name == "assay_trace_parents_refused" }?.samples.first?.value
        #expect(refused == .integer(389))
    }

    @Test("With a rate of 0 no parent is followed")
    func noRate() { #expect(!begins(tracer(.init(parentsPerSecond: 0)), Self.traced)) }
}

@Suite("The spans of a call")
struct CallTraceTests {
    private func begin(_ parent: String?, state: String? = nil, received: UInt64 = 1_000_000) throws -> (CallTrace, SpanQueue) {
        let tracer = Tracer()
        tracer.use(.init(share: 1))
        let trace = try #require(tracer.begin("svc/Method", received: received, parent: parent, state: state))
        return (trace, tracer.queue)
    }

    @Test("A call's span stands below its caller's, in the caller's trace, and carries the caller's state")
    func parent() throws {
        let (trace, queue) = try begin("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=1, b=2")
        trace.note([SpanAttribute("assay.app", "camera")])
        let now = MonotonicTime.nanoseconds()
        trace.add("commit", from: now, to: now + 5000, .unset, [SpanAttribute("assay.group.requests", 3)])
        let open = trace.root.open("ask outside")
        open.active.open("GET", .client).end(.error("503"))
        open.end()
        #expect(queue.count == 0, "nothing is exported before the call has ended")
        trace.end(.unset, [SpanAttribute("rpc.response.status_code", "OK")])
        let spans = queue.take(100)
        let call = try #require(spans.first)
        #expect(spans.count == 4 && Set(spans.map(\.traceID)).count == 1 && Set(spans.map(\.id)).count == 4)
        #expect("\(call.traceID)" == "4bf92f3577b34da6a3ce929d0e0e4736" && call.parent.map { "\($0)" } == "00f067aa0ba902b7")
        #expect(call.parentIsRemote && call.kind == .server && call.state == "a=1,b=2" && call.name == "svc/Method")
        #expect(call.attributes.map(\.name) == ["assay.app", "rpc.response.status_code"])
        let commit = try #require(spans.first { $0.name == "commit" })
        #expect(commit.parent == call.id && commit.end - commit.start == 5000 && !commit.parentIsRemote && commit.state.isEmpty)
        let (ask, get) = (
            try #require(spans.first { $0.name == "ask outside" }), try #require(spans.first { $0.name == "GET" })
        )
        #expect(ask.parent == call.id && get.parent == ask.id && get.kind == .client && get.status == .error("503"))
        #expect(call.start <= ask.start && ask.start <= get.start && get.end <= ask.end && ask.end <= call.end)
        #expect(call.end - call.start >= 1_000_000, "it begins when the call was received")
    }

    @Test("A call without a parent begins a trace of its own, with no state")
    func root() throws {
        let (trace, queue) = try begin(nil, state: "a=1")
        trace.end()
        let span = try #require(queue.take(1).first)
        #expect(span.parent == nil && span.state.isEmpty && !span.parentIsRemote)
        let (other, _) = try begin(nil)
        #expect(other.traceID != trace.traceID)
    }

    @Test("The first end counts, and what comes after it is not kept")
    func once() throws {
        let (trace, queue) = try begin(nil)
        trace.end(.error("first"))
        trace.add("late", from: 0, to: 1)
        trace.end(.error("second"))
        #expect(queue.take(10).map(\.status) == [.error("first")])
    }

    @Test("A call keeps at most 64 spans below its own")
    func bounded() throws {
        let (trace, queue) = try begin(nil)
        for _ in 0..<1000 { trace.add("more", from: 0, to: 1) }
        trace.end()
        #expect(queue.take(10_000).count == 65)
    }
}

@Suite("The queue of spans")
struct SpanQueueTests {
    private func spans(_ count: Int) throws -> [Span] {
        let queue = SpanQueue()
        let tracer = Tracer(queue: queue)
        tracer.use(.init(share: 1))
        for _ in 0..<count { tracer.begin("a/b", received: 0, parent: nil, state: nil)?.end() }
        return queue.take(count)
    }

    @Test("What does not fit is dropped and counted, and what was there stays")
    func full() throws {
        let queue = SpanQueue(capacity: 3)
        let spans = try spans(5)
        queue.append(Array(spans.prefix(2)))
        queue.append(Array(spans.suffix(2)))
        queue.append([spans[2]])
        #expect(queue.take(10) == [spans[0], spans[1], spans[2]])
        #expect(queue.counts.dropped == [.queueFull: 2] && queue.count == 0)
    }

    @Test("A batch that is given back comes first again, and counts to the bound")
    func givenBack() throws {
        let queue = SpanQueue(capacity: 4)
        let spans = try spans(4)
        queue.append(spans)
        let batch = queue.take(3)
        queue.giveBack(batch)
        queue.append([spans[0]])
        #expect(queue.count == 4 && queue.counts.dropped == [.queueFull: 1])
        #expect(queue.take(10) == batch && queue.take(10) == [spans[3]])
    }

    @Test("Each reason of a drop has a series from the start")
    func series() {
        var exposition = Exposition()
        SpanQueue().collect(into: &exposition)
        let dropped = exposition.families.first { $0.family.name == "assay_trace_spans_dropped" }?.samples ?? []
        #expect(dropped.map(\.labels) == [["queue_full"], ["refused"], ["unreachable"], ["stopped"]])
        #expect(dropped.allSatisfy { $0.value == .integer(0) })
    }
}
