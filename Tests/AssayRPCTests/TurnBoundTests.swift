import AssayTesting
import Synchronization
import Testing

@testable import AssayRPC

/// The bound that docs/operate/load.md states ("Floods and many connections"), in turns and not in time: the test says the same on any machine.
@Suite("Bound on turns")
struct TurnBoundTests {
    /// Turns that began between the arrival of a call and its own.
    private final class Turns: Sendable {
        private struct State {
            var begun = 0
            var waits: [Int] = []
        }
        private let state = Mutex(State())

        var waits: [Int] { state.withLock { $0.waits } }
        var begun: Int { state.withLock { $0.begun } }
        func begin() { state.withLock { $0.begun += 1 } }
        func began(since arrival: Int) {
            state.withLock { state in
                state.waits.append(state.begun - arrival)
                state.begun += 1
            }
        }
    }

    @Test(
        "however much other callers have waiting, a call waits for one turn of each of them and of each processor",
        arguments: [(floods: 1, processors: 1), (1, 4), (3, 2), (10, 8)])
    func bound(_ load: (floods: Int, processors: Int)) {
        let (callers, queue, turns) = (CallerRegister(), CallQueue(slots: load.processors), Turns())
        let floods = (0..<load.floods).map { callers.usage(of: .caller("flood \($0)")) }
        let honest = callers.usage(of: .caller("honest"))
        var numbers = SeededNumbers(seed: 1)
        for flood in floods { for _ in 0..<500 { queue.add(of: flood) { turns.begin() } } }
        for _ in 0..<1000 {
            let (arrival, answered) = (turns.begun, turns.waits.count)
            queue.add(of: honest) { turns.began(since: arrival) }
            while turns.waits.count == answered {
                // The floods never run dry, and arrive in bursts.
                if let flood = floods.randomElement(using: &numbers) {
                    for _ in 0..<Int.random(in: 0...20, using: &numbers) { queue.add(of: flood) { turns.begin() } }
                }
                queue.begun()
            }
        }
        let waits = turns.waits.sorted()
        let bound = load.floods + load.processors
        #expect(waits.count == 1000 && (waits.last ?? .max) <= bound, "\(waits.suffix(10)), the bound is \(bound)")
        #expect((waits.first ?? 0) > 0, "there was no load")
    }

    @Test("a call whose deadline has passed by its turn is answered without work, and its turn costs nothing")
    func deadlines() async {
        let worked = Mutex(0)
        var answers: [RPCStatusCode] = []
        let handlers: [RPCHandler] = [
            .unary { _ throws(RPCError) in
                worked.withLock { $0 += 1 }
                throw .unanswered
            },
            .batch { calls in worked.withLock { $0 += calls.count } },
        ]
        let peer = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        for handler in handlers {
            let (destination, session) = (Waiting(), RPCSession(peer))
            let queue = CallQueue(slots: 1)
            // The one slot is taken, so that the call has to wait.
            #expect(queue.enter())
            let call = RPCCall(
                id: 1, method: "/m", message: [], metadata: [:], received: .now, timeout: .zero, isStream: false,
                session: session, destination: destination)
            handler.start([call], of: session.usage, destination, queue)
            queue.begun()
            answers.append(await destination.code)
        }
        #expect(worked.withLock { $0 } == 0)
        #expect(answers == [.deadlineExceeded, .deadlineExceeded])
    }

    /// Takes the answer of one call.
    private final class Waiting: CallDestination {
        private let answers = AsyncStream.makeStream(of: RPCStatusCode.self)

        var code: RPCStatusCode {
            get async {
                for await code in answers.stream { return code }
                return .unknown
            }
        }

        func answer(_ all: [RPCCall.Answer]) {
            for (_, answer) in all {
                if case .failure(let error) = answer {
                    answers.continuation.yield(error.code)
                } else {
                    answers.continuation.yield(.ok)
                }
            }
        }
        func refuse(_ call: RPCCall, _ error: RPCError) {}
        func flush() {}
        func writer(for call: RPCCall) -> RPCStreamWriter { RPCStreamWriter { _ throws(RPCError) in throw .cancelled } }
    }
}
