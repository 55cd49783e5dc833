import AssayRPC
import Synchronization

/// The connection for new calls: made for the first call, and again when it takes no more calls.
///
/// One attempt to connect is under way at a time, however many calls wait. After a failed attempt the next one waits, longer each time,
/// and calls in between fail with the time of the next attempt. A connection whose server sent GoAway is dropped here, while its calls
/// are finished.
final class ReconnectingConnection: Sendable {
    typealias Connect = @Sendable () async throws(RPCError) -> any RPCChannel
    fileprivate typealias Waiter = CheckedContinuation<Result<any RPCChannel, RPCError>, Never>

    fileprivate enum Stage {
        case idle
        case connecting([UInt64: Waiter])
        case open(any RPCChannel)
        case closed
    }

    fileprivate struct State {
        var stage = Stage.idle
        var waiterCount: UInt64 = 0
        /// Failed attempts in a row, the earliest time of the next one, and the last one's error.
        var failures = 0
        var notBefore = Duration.zero
        var failure: RPCError?
    }

    private let connect: Connect
    private let rule: RetryRule
    private let time: ClientTime
    private let state = Mutex(State())

    init(rule: RetryRule, time: ClientTime, connect: @escaping Connect) {
        (self.rule, self.time, self.connect) = (rule, time, connect)
    }

    /// A connection that takes calls. Waits as long as an attempt takes, and at most for `limit`.
    func connection(within limit: Duration) async throws(RPCError) -> any RPCChannel {
        if let open = state.withLock({ $0.openConnection }) { return open }
        let result = await withTaskGroup(of: Result<any RPCChannel, RPCError>.self) { group in
            group.addTask { await self.wait() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return .failure(Task.isCancelled ? .cancelled : .deadlineExceeded)
            }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
        return try result.get()
    }

    fileprivate enum Step {
        case answer(Result<any RPCChannel, RPCError>)
        case attempt
        case wait
    }

    private func wait() async -> Result<any RPCChannel, RPCError> {
        let id = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                switch state.withLock({ $0.enter(id, waiter, now: time.now()) }) {
                case .answer(let result): waiter.resume(returning: result)
                // Not a child of this task: other calls wait for it too.
                case .attempt: Task { await attempt() }
                case .wait: break
                }
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard case .connecting(var waiters) = state.stage else { return nil }
            let waiter = waiters.removeValue(forKey: id)
            state.stage = .connecting(waiters)
            return waiter
        }
        waiter?.resume(returning: .failure(.cancelled))
    }

    private func attempt() async {
        let result: Result<any RPCChannel, RPCError>
        do throws(RPCError) { result = .success(try await connect()) } catch { result = .failure(error) }
        let (waiters, told) = state.withLock { state in
            guard case .connecting(let waiters) = state.stage else { return ([Waiter](), result) }
            return (Array(waiters.values), state.conclude(result, rule, now: time.now(), chance: time.chance()))
        }
        // If this was closed in between, the connection is closed with its last reference.
        for waiter in waiters { waiter.resume(returning: told) }
    }

    /// Takes no more calls, waits for the calls in flight, and closes.
    func close() async {
        let (open, waiters) = state.withLock { state -> ((any RPCChannel)?, [Waiter]) in
            defer { state.stage = .closed }
            switch state.stage {
            case .idle, .closed: return (nil, [])
            case .connecting(let waiters): return (nil, Array(waiters.values))
            case .open(let connection): return (connection, [])
            }
        }
        for waiter in waiters { waiter.resume(returning: .failure(.connectionClosed)) }
        await open?.close()
    }
}

extension ReconnectingConnection.State {
    fileprivate var openConnection: (any RPCChannel)? {
        guard case .open(let connection) = stage, connection.isOpen else { return nil }
        return connection
    }

    /// The next step of a call that needs a connection.
    fileprivate mutating func enter(_ id: UInt64, _ waiter: ReconnectingConnection.Waiter, now: Duration)
        -> ReconnectingConnection.Step
    {
        switch stage {
        case .closed: return .answer(.failure(.connectionClosed))
        case .connecting(var waiters):
            waiters[id] = waiter
            stage = .connecting(waiters)
            return .wait
        case .idle, .open:
            if let openConnection { return .answer(.success(openConnection)) }
            if let failure, now < notBefore { return .answer(.failure(failure.retried(after: notBefore - now))) }
            stage = .connecting([id: waiter])
            return .attempt
        }
    }

    /// Notes the result of an attempt, and returns the result for the calls that wait.
    fileprivate mutating func conclude(
        _ result: Result<any RPCChannel, RPCError>, _ rule: RetryRule, now: Duration, chance: Double
    ) -> Result<any RPCChannel, RPCError> {
        switch result {
        case .success(let connection):
            (stage, failures, failure) = (.open(connection), 0, nil)
            return result
        case .failure(let error):
            failures += 1
            let pause = rule.pause(after: failures, atLeast: nil, chance: chance)
            (stage, failure, notBefore) = (.idle, error, now + pause)
            return .failure(error.retried(after: pause))
        }
    }
}

extension RPCError {
    fileprivate func retried(after pause: Duration) -> RPCError {
        let (seconds, attoseconds) = pause.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
        return RPCError(code, message, reason: reason, retryAfterMilliseconds: UInt32(clamping: milliseconds))
    }
}
