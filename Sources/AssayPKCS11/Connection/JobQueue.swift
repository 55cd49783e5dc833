import Dispatch
import Synchronization

/// A bounded queue from tasks, which never wait, to the token's thread, which does.
final class JobQueue<Job: Sendable>: Sendable {
    enum Posted { case accepted, full, closed }
    enum Taken { case job(Job), idle, closed }

    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    func post(_ job: Job) -> Posted {
        let posted = state.withLock { state -> Posted in
            guard !state.isClosed else { return .closed }
            guard state.jobs.count < limit else { return .full }
            state.jobs.append(job)
            return .accepted
        }
        if posted == .accepted { arrived.signal() }
        return posted
    }

    /// Waits for a job: `.idle` if none came in so many milliseconds, `.closed` if the queue is closed and empty.
    func take(within patience: Int64?) -> Taken {
        let end = patience.map { DispatchTime.now() + .milliseconds(Int(clamping: $0)) } ?? .distantFuture
        guard arrived.wait(timeout: end) == .success else { return .idle }
        return state.withLock { state in
            guard state.jobs.isEmpty else { return .job(state.jobs.removeFirst()) }
            return state.isClosed ? .closed : .idle
        }
    }

    /// Refuses further jobs. Those that wait are still taken.
    func close() {
        state.withLock { $0.isClosed = true }
        arrived.signal()
    }
}
