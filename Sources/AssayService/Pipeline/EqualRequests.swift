import Synchronization

/// Requests under idempotency keys that are in progress, so that equal ones are judged once.
///
/// The first of several equal requests is judged. The others wait and are answered by what it comes to. However many
/// they are, they are one attempt with their challenge and cost one signature. How many may wait is the transport's bound
/// on calls in flight.
///
/// Each pipeline has its own: requests that came under different configurations do not share an answer.
///
/// The requests are in the memory of one process, not in the ledger: of equal requests to several daemons, each daemon judges one, and
/// the ledger accepts one.
final class EqualRequests: Sendable {
    /// What the first one comes to, for the others to wait for. Made when there is a second one.
    final class Pending: Sendable {
        private struct State {
            var answer: Answer?
            var waiting: [CheckedContinuation<Answer, Never>] = []
        }
        private let state = Mutex(State())

        var answer: Answer {
            get async {
                await withCheckedContinuation { continuation in
                    let settled = state.withLock { state in
                        if state.answer == nil { state.waiting.append(continuation) }
                        return state.answer
                    }
                    if let settled { continuation.resume(returning: settled) }
                }
            }
        }

        fileprivate func settle(_ answer: Answer) {
            let waiting = state.withLock { state in
                state.answer = answer
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: answer) }
        }
    }

    private enum Entry {
        case alone
        case awaited(Pending)
    }

    private let entries = Mutex<[AuthorizedRequest.Idempotency: Entry]>([:])

    /// Joins the equal requests in progress. `nil`: there are none, and the request has to be judged, and settled in the end.
    func join(_ request: AuthorizedRequest.Idempotency) -> Pending? {
        entries.withLock { entries in
            switch entries[request] {
            case nil:
                entries[request] = .alone
                return nil
            case .alone:
                let pending = Pending()
                entries[request] = .awaited(pending)
                return pending
            case .awaited(let pending): return pending
            }
        }
    }

    /// Gives the others the answer. Who comes from now on is the first again.
    func settle(_ request: AuthorizedRequest.Idempotency, _ answer: Answer) {
        let entry = entries.withLock { $0.removeValue(forKey: request) }
        if case .awaited(let pending)? = entry { pending.settle(answer) }
    }
}
