import AssayRPC
import NIOCore
import Synchronization

/// The frames that wait to be written on one connection. Any thread adds; the connection's event loop takes.
///
/// At most one flush is queued on the loop however many threads add, so frames that are added together leave in one write.
final class Outbox: Sendable {
    /// The waiting bytes, and which calls end with them.
    struct Batch {
        var bytes = ByteBuffer()
        /// Calls whose last frame is among the bytes taken now or later.
        var answered: [UInt64] = []
        /// Calls of the peer whose reply is among `bytes`.
        var replied: [UInt64] = []
    }

    private struct State {
        var waiting = Batch()
        /// Bytes of the waiting frames that were added by ``Outbox/answer(atMost:_:)``.
        var answers = 0
        var flush: (@Sendable () -> Void)?
        var isFlushDue = false
        var isClosed = false
        var senders: [CheckedContinuation<Void, Never>] = []

        mutating func takeSenders() -> [CheckedContinuation<Void, Never>] {
            defer { senders = [] }
            return senders
        }
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    /// Sets what a flush does. Called on the loop, before anything is added.
    func open(_ flush: @escaping @Sendable () -> Void) {
        state.withLock { $0.flush = flush }
    }

    /// Adds frames, or nothing, and queues a flush on the loop. False: the connection is closed.
    ///
    /// A flush is queued on the loop's own thread too: a write or close inside a read event would meet a channel that is handling
    /// that event.
    ///
    /// - Parameter flushing: false if another `add` follows that flushes.
    @discardableResult
    func add(flushing: Bool = true, _ write: (inout Batch) -> Void = { _ in }) -> Bool {
        let (isOpen, flush) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed else { return (false, nil) }
            write(&state.waiting)
            guard flushing, !state.isFlushDue else { return (true, nil) }
            state.isFlushDue = true
            return (true, state.flush)
        }
        if let flush { loop.execute(flush) }
        return isOpen
    }

    /// Adds a frame that answers one of the peer's own, such as a pong, for which nothing else is taken.
    ///
    /// False: more than `limit` bytes of such frames wait, so that the peer sends and does not read; nothing is added. A frame longer than
    /// the limit passes while no other waits.
    func answer(atMost limit: Int, _ write: (inout ByteBuffer) -> Void) -> Bool {
        let (isRead, flush) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed else { return (true, nil) }
            guard state.answers <= limit else { return (false, nil) }
            let before = state.waiting.bytes.readableBytes
            write(&state.waiting.bytes)
            state.answers += state.waiting.bytes.readableBytes - before
            guard !state.isFlushDue else { return (true, nil) }
            state.isFlushDue = true
            return (true, state.flush)
        }
        if let flush { loop.execute(flush) }
        return isRead
    }

    /// Takes everything; without the bytes while the socket is full.
    func take(bytes wanted: Bool) -> Batch {
        let (batch, senders) = state.withLock { state in
            state.isFlushDue = false
            var batch = Batch()
            if wanted {
                swap(&batch.bytes, &state.waiting.bytes)
                swap(&batch.replied, &state.waiting.replied)
                state.answers = 0
            }
            swap(&batch.answered, &state.waiting.answered)
            return (batch, wanted ? state.takeSenders() : [])
        }
        for sender in senders { sender.resume() }
        return batch
    }

    /// Drops what waits, and takes nothing from now on.
    func close() {
        let senders = state.withLock { state in
            state.waiting = Batch()
            state.isClosed = true
            state.flush = nil
            return state.takeSenders()
        }
        for sender in senders { sender.resume() }
    }

    var waitingBytes: Int { state.withLock { $0.waiting.bytes.readableBytes } }

    // MARK: Streams

    /// Suspends while more than `highWater` bytes wait, the connection is open, and `isWanted`.
    func waitForSpace(above highWater: Int, while isWanted: @Sendable () -> Bool) async {
        while hasNoRoom(above: highWater), isWanted() {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    // Checked again under the lock: a thread that makes room, closes or abandons takes the lock afterwards and
                    // resumes the senders.
                    guard !state.isClosed, state.waiting.bytes.readableBytes > highWater, isWanted() else { return false }
                    state.senders.append(continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        }
    }

    private func hasNoRoom(above highWater: Int) -> Bool {
        state.withLock { !$0.isClosed && $0.waiting.bytes.readableBytes > highWater }
    }

    /// Resumes the waiting streams, which check whether they are still wanted.
    func wakeSenders() {
        for sender in state.withLock({ $0.takeSenders() }) { sender.resume() }
    }
}
