package import SwiftProtobuf
import Synchronization

/// One call. Thread safe; the first answer counts, the others are dropped.
package final class RPCCall: Sendable {
    /// The path of the registered method that the call named.
    package let method: String
    /// The serialised request: one copy out of the front's read buffer, which SwiftProtobuf parses in place.
    package let message: [UInt8]
    package let metadata: RPCMetadata
    /// When the last byte of the request had been read. Calls of one read burst share the instant.
    package let received: ContinuousClock.Instant
    /// From ``received`` until the answer becomes worthless; nil if the client set no timeout. Not the instant of it: one that may be absent is
    /// handled by the standard library's run time alone, a duration by what is compiled here.
    let timeout: Duration?

    /// The front's number of the call, unique among the open calls of its connection.
    package let id: UInt64
    package let isStream: Bool
    /// What the call holds of the bounds.
    package let share: Admission.Share
    /// Whether the answer is sent with those of the batch: ``CallDestination/flush()`` follows.
    package let isBatched: Bool
    /// Not used by calls of a batch method.
    let task = CallTask()
    let session: RPCSession
    private let connection: ConnectionCalls?
    let destination: any CallDestination
    private let state = Atomic(State.open)

    private enum State: UInt8, AtomicRepresentable {
        /// Not answered.
        case open
        /// The handler has answered.
        case answered
        /// The front has answered in the handler's place (cancel, deadline, stop), or the connection is gone.
        case abandoned
        /// Abandoned, and the handler has released the call.
        case released
    }

    init(
        id: UInt64, method: String, message: [UInt8], metadata: RPCMetadata, received: ContinuousClock.Instant,
        timeout: Duration?, isStream: Bool, isBatched: Bool = false, share: Admission.Share = Admission.Share(),
        session: RPCSession, connection: ConnectionCalls? = nil, destination: any CallDestination
    ) {
        (self.id, self.method, self.message, self.metadata) = (id, method, message, metadata)
        (self.received, self.timeout) = (received, timeout)
        (self.isStream, self.isBatched, self.share, self.destination) = (isStream, isBatched, share, destination)
        (self.session, self.connection) = (session, connection)
    }

    package var peer: RPCPeer { session.peer }

    /// The identity that shares bounds and takes turns.
    package var caller: PeerIdentity { session.identity }

    /// Whether the answer is not awaited any more: cancelled, deadline passed, or connection gone. Work that has not joined a
    /// commit should be dropped; an answer that is given all the same is not sent.
    package var isAbandoned: Bool {
        switch state.load(ordering: .acquiring) {
        case .open, .answered: isPastDeadline
        case .abandoned, .released: true
        }
    }

    /// The same by a clock that was read for several calls.
    package func isAbandoned(at now: ContinuousClock.Instant) -> Bool {
        switch state.load(ordering: .acquiring) {
        case .open, .answered: isPastDeadline(at: now)
        case .abandoned, .released: true
        }
    }

    /// When the answer becomes worthless; nil if the client set no timeout.
    package var deadline: ContinuousClock.Instant? { timeout.map { received.advanced(by: $0) } }

    var isPastDeadline: Bool { timeout != nil && isPastDeadline(at: .now) }

    private func isPastDeadline(at now: ContinuousClock.Instant) -> Bool {
        guard let timeout else { return false }
        return received.duration(to: now) >= timeout
    }

    /// The error for a handler that drops an abandoned call. It is not sent if the front has answered already.
    package var abandonment: RPCError { isPastDeadline ? .deadlineExceeded : .cancelled }

    /// Whether the call is not answered yet. A front checks it under its own lock before it adds a message of a stream.
    package var isOpen: Bool { state.load(ordering: .acquiring) == .open }

    /// The request as a message. Throws INVALID_ARGUMENT, `undecodable_message`, for bytes that are none.
    package func decode<Request: SwiftProtobuf.Message>(_ type: Request.Type = Request.self) throws(RPCError) -> Request {
        guard let request = try? Request(serializedBytes: message) else { throw .undecodableMessage }
        return request
    }

    /// Answers OK.
    package func reply(_ message: some SwiftProtobuf.Message) {
        guard state.load(ordering: .relaxed) == .open else { return finish(.failure(.cancelled)) }
        do throws(RPCError) { finish(.success(try message.serialised())) } catch { finish(.failure(error)) }
    }

    /// Answers OK with a message that is serialised already.
    package func reply(_ message: [UInt8]) { finish(.success(message)) }

    /// A call, and the serialised message or the error that answers it.
    package typealias Answer = (call: RPCCall, answer: Result<[UInt8], RPCError>)

    /// Answers calls of one batch together, which is cheaper than one by one.
    package static func answer(_ answers: [Answer]) {
        // Copied only if one of them comes too late, which is rare.
        var first = answers
        var held = HeldShares()
        for index in answers.indices.reversed()
        where !answers[index].call.takes(answers[index].answer, { held.add($0) }) {
            first.remove(at: index)
        }
        held.giveBack()
        first.first?.call.destination.answer(first)
    }

    /// What calls of one session hold of the bounds, to be given back at once: the counts are shared among threads.
    private struct HeldShares {
        private var last: RPCCall?
        private var share = Admission.Share()

        mutating func add(_ call: RPCCall) {
            if let last, last.session !== call.session || last.connection !== call.connection { giveBack() }
            last = call
            share = Admission.Share(calls: share.calls + call.share.calls, bytes: share.bytes + call.share.bytes)
        }

        mutating func giveBack() {
            last?.giveBack(share)
            (last, share) = (nil, Admission.Share())
        }
    }

    /// Answers with an error.
    package func fail(_ error: RPCError) { finish(.failure(error)) }

    /// Ends a stream without an error.
    func end() { finish(.success([])) }

    /// Answers a call that its handler left unanswered. A handler leaves calls unanswered that are past their deadline; the front's
    /// timer, which tells the client, fires a few milliseconds later.
    func conclude() {
        switch state.load(ordering: .acquiring) {
        case .answered, .released: break
        case .abandoned: finish(.failure(.cancelled))
        case .open: finish(.failure(isPastDeadline ? .deadlineExceeded : .unanswered))
        }
    }

    private func finish(_ answer: Result<[UInt8], RPCError>) {
        if takes(answer, { $0.giveBack($0.share) }) { destination.answer([(self, answer)]) }
    }

    /// True for the first answer of a call that was not abandoned. What the call holds is given back with it, before the client can see
    /// the answer and make its next call; or when the handler releases a call that was abandoned.
    @inline(__always)
    private func takes(_ answer: Result<[UInt8], RPCError>, _ giveBack: (RPCCall) -> Void) -> Bool {
        if state.compareExchange(expected: .open, desired: .answered, ordering: .acquiringAndReleasing).exchanged {
            // A handler that comes too late answers in the timer's place.
            if case .failure(let error) = answer, error.code == .deadlineExceeded {
                session.countRefusal(because: error.reason)
            }
            giveBack(self)
            return true
        }
        if state.compareExchange(expected: .abandoned, desired: .released, ordering: .acquiringAndReleasing).exchanged {
            giveBack(self)
        }
        return false
    }

    private func giveBack(_ share: Admission.Share) {
        // The account last: a caller that has a share left of it has its place on the connection too.
        connection?.count.subtract(share.calls, ordering: .relaxed)
        session.release(share)
    }

    // MARK: For the dispatcher

    /// Takes the right to answer from the handler. False: the handler has answered.
    func abandon() -> Bool {
        state.compareExchange(expected: .open, desired: .abandoned, ordering: .acquiringAndReleasing).exchanged
    }

    /// Cancels the task of the call's handler, now or when it starts. A batch handler has no such task: it asks ``isAbandoned``.
    func cancelHandler() {
        if !isBatched { task.cancel() }
    }
}

/// The task of one call. It may be cancelled before it starts.
struct CallTask: ~Copyable, Sendable {
    // Not private: Swift 6.3.1 crashes on a private type in the layout of a noncopyable value that other files can reach.
    enum State {
        case waiting
        case started(Task<Void, Never>)
        case cancelled
    }

    private let state = Mutex(State.waiting)

    func start(_ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            switch state {
            case .waiting: state = .started(Task(operation: work))
            // The task runs all the same, because it releases the call.
            case .cancelled: Task(operation: work).cancel()
            case .started: break
            }
        }
    }

    func cancel() {
        state.withLock { state in
            if case .started(let task) = state { task.cancel() }
            state = .cancelled
        }
    }
}

/// The calls of one connection that handlers have not released. More than those in flight until handlers notice that theirs were
/// abandoned.
final class ConnectionCalls: Sendable {
    let count = Atomic(0)
}
