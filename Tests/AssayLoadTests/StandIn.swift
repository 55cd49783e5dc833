import Synchronization

@testable import AssayLoad

/// An operation whose server is in the test.
final class StandIn: LoadOperation {
    let name: String
    private let server: @Sendable (Int) async -> CallAnswer
    private let isReady: @Sendable (Int) -> Bool
    private struct State {
        var asked = 0
        var inFlight = 0
        var most = 0
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - server: answers a call, by its number from 0.
    ///   - isReady: false: for this arrival no call is ready.
    init(
        _ name: String = "call", server: @escaping @Sendable (Int) async -> CallAnswer = { _ in .good },
        isReady: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) {
        (self.name, self.isReady, self.server) = (name, isReady, server)
    }

    /// The most calls that were in flight at a time.
    var most: Int { state.withLock { $0.most } }

    func next() -> LoadCall? {
        let number = state.withLock { state in
            defer { state.asked += 1 }
            return state.asked
        }
        guard isReady(number) else { return nil }
        return { [self] in
            state.withLock { state in
                state.inFlight += 1
                state.most = max(state.most, state.inFlight)
            }
            let answer = await server(number)
            state.withLock { $0.inFlight -= 1 }
            return answer
        }
    }

    func keepReady() async {}
}

extension CallAnswer {
    static let good = CallAnswer("accepted", isExpected: true)
    static let rejected = CallAnswer("rejected: bad_signature", isExpected: false)
    static let refused = CallAnswer("UNAVAILABLE (connect_failed)", isExpected: false, isTimed: false)
}

/// Opens once; who waits before goes on then.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }
}
