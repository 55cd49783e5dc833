import Logging
import Synchronization
import Testing

@testable import AssayRPC

@Suite("Load shedding")
struct LoadSheddingTests {
    /// A state whose queue has moved for a while and in which a flood waits.
    private struct Flooded {
        let state: ServingState
        let session: RPCSession
        var flood: CallerUsage { session.usage }

        init(maxWait: Duration = .seconds(10), waiting: Int = 1000) {
            var limits = CallLimits()
            limits.maxWait = maxWait
            state = ServingState(limits, processors: 1, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            session = RPCSession(
                .key(name: "flood", origin: .unix(userID: 1, groupID: 1, processID: 1)),
                in: RPCService(methods: [], state: state))
            let flood = session.usage
            for _ in 0..<(waiting + 21) { state.queue.add(of: flood) {} }
            for _ in 0..<20 { state.queue.begun() }
        }
    }

    private func call(_ deadline: Duration?, of session: RPCSession, to destination: Answers) -> RPCCall {
        let now = ContinuousClock.now
        return RPCCall(
            id: 1, method: "/m", message: [1, 2, 3], metadata: [:], received: now,
            timeout: deadline, isStream: false, session: session, destination: destination)
    }

    @Test("a call whose deadline is before its turn is refused at once with the wait, the others of its chunk are kept")
    func deadlines() throws {
        // A machine that stands still for a moment makes the wait longer.
        let flooded = Flooded(maxWait: .seconds(3600))
        let destination = Answers()
        let chunk = [.seconds(3600), .zero, nil].map { call($0, of: flooded.session, to: destination) }
        let kept = flooded.state.shed(chunk, of: flooded.session, to: destination)
        #expect(kept.map(\.deadline) == [chunk[0].deadline, nil])
        let error = try #require(destination.errors.first)
        #expect(destination.errors.count == 1 && destination.flushes == 1)
        #expect(error.code == .resourceExhausted && error.reason == "overloaded")
        #expect(error.retryAfterMilliseconds ?? 0 >= 100)
        #expect(flooded.state.statistics.refusedCalls == ["overloaded": 1])
    }

    @Test("a call without a deadline is refused when it would wait longer than the limit")
    func withoutDeadline() {
        let flooded = Flooded(maxWait: .zero)
        let destination = Answers()
        let waiting = call(nil, of: flooded.session, to: destination)
        #expect(flooded.state.shed([waiting], of: flooded.session, to: destination).isEmpty)
    }

    @Test("who floods is shed, and who does not is not: a call is kept that has time for one turn of the flood")
    func fair() throws {
        let flooded = Flooded()
        let honest = flooded.state.callers.usage(of: .caller("honest"))
        let cost = [call(nil, of: flooded.session, to: Answers())].cost
        let own = try #require(flooded.state.queue.expectedWait(of: honest, cost: cost))
        let floods = try #require(flooded.state.queue.expectedWait(of: flooded.flood, cost: cost))
        #expect(floods > own * 100, "1000 turns wait, of which the honest caller waits for one")
        let long = try #require(flooded.state.queue.expectedWait(of: honest, cost: 20 * CallQueue.turn))
        #expect(long > own * 10, "expensive calls are shed first")
    }

    @Test("nothing is refused while nothing waits, while the pace is not known, and when the flood has passed")
    func quiet() {
        let empty = ServingState(processors: 1, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let session = RPCSession(
            .unix(userID: 1, groupID: 1, processID: 1), in: RPCService(methods: [], state: empty))
        let destination = Answers()
        func kept() -> Int { empty.shed([call(.zero, of: session, to: destination)], of: session, to: destination).count }
        #expect(kept() == 1)
        for _ in 0..<4 { empty.queue.add(of: session.usage) {} }
        #expect(empty.queue.waitingCount == 3)
        #expect(kept() == 1)

        let flooded = Flooded(waiting: 50)
        while flooded.state.queue.waitingCount > 0 { flooded.state.queue.begun() }
        #expect(flooded.state.queue.expectedWait(of: flooded.flood, cost: 1) == nil)
    }

    @Test("the pace is the time for the cost, a queue that stands still becomes slower, and old movement fades")
    func pace() throws {
        let start = ContinuousClock.now
        var pace = QueuePace()
        pace.begin(at: start)
        var now = start
        for _ in 0..<8 {
            #expect(pace.time(of: 1, at: now) == nil)
            now = now.advanced(by: .milliseconds(5))
            pace.moved(CallQueue.turn, at: now)
        }
        #expect(pace.time(of: CallQueue.turn, at: now) == .milliseconds(5))
        #expect(pace.time(of: CallQueue.turn, at: now.advanced(by: .milliseconds(40))) == .milliseconds(10))
        // Ten times slower from now on: after some seconds that is the pace.
        for _ in 0..<200 {
            now = now.advanced(by: .milliseconds(50))
            pace.moved(CallQueue.turn, at: now)
        }
        let later = try #require(pace.time(of: CallQueue.turn, at: now))
        #expect(later > .milliseconds(45) && later < .milliseconds(51))
    }

    /// Keeps the errors of calls.
    private final class Answers: CallDestination {
        private let state = Mutex((errors: [RPCError](), flushes: 0))

        var errors: [RPCError] { state.withLock { $0.errors } }
        var flushes: Int { state.withLock { $0.flushes } }

        func answer(_ all: [RPCCall.Answer]) {
            state.withLock { state in
                for (_, answer) in all { if case .failure(let error) = answer { state.errors.append(error) } }
            }
        }
        func refuse(_ call: RPCCall, _ error: RPCError) {}
        func flush() { state.withLock { $0.flushes += 1 } }
        func writer(for call: RPCCall) -> RPCStreamWriter { RPCStreamWriter { _ throws(RPCError) in throw .cancelled } }
    }
}
