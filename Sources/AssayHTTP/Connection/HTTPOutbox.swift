import AssayRPC
import NIOCore
import Synchronization

/// The answers that wait to be written on one connection. Any thread adds; the connection's event loop takes.
///
/// At most one flush is queued on the loop however many threads add, so that answers which are added together leave in one write. It also counts what
/// was taken and waits for the peer to let it pass, so that the writer of a stream suspends while its client does not read.
final class HTTPOutbox: Sendable {
    /// What is to be written for one exchange.
    struct Output: Sendable {
        enum Kind: Sendable {
            /// One message of a stream.
            case item(ByteBuffer, CallForm)
            /// The last bytes of a call, and whether its handler gave them.
            case last(HTTPAnswer, call: UInt64)
            /// What is read without a call.
            case file(HTTPAnswer)
        }

        let exchange: UInt32
        let kind: Kind

        var byteCount: Int {
            switch kind {
            case .item(let bytes, _): bytes.readableBytes
            case .last(let answer, _), .file(let answer): answer.body.readableBytes
            }
        }
    }

    private struct State {
        var outputs: [Output] = []
        /// Bytes added and not yet written to the channel, of the whole connection and of each stream of messages.
        var bytes = 0
        var ofStreams: [UInt32: Int] = [:]
        var senders: [UInt32: [CheckedContinuation<Void, Never>]] = [:]
        var flush: (@Sendable () -> Void)?
        var isFlushDue = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    /// Sets what a flush does. Called on the loop, before anything is added.
    func open(_ flush: @escaping @Sendable () -> Void) { state.withLock { $0.flush = flush } }

    /// Adds outputs, or nothing, and queues a flush on the loop. False: the connection is closed.
    ///
    /// - Parameter flushing: false if another `add` follows that flushes.
    @discardableResult
    func add(flushing: Bool = true, _ outputs: () -> [Output] = { [] }) -> Bool {
        let (isOpen, flush) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard !state.isClosed else { return (false, nil) }
            for output in outputs() {
                let size = output.byteCount
                state.bytes += size
                if case .item = output.kind { state.ofStreams[output.exchange, default: 0] += size }
                state.outputs.append(output)
            }
            guard flushing, !state.isFlushDue else { return (true, nil) }
            state.isFlushDue = true
            return (true, state.flush)
        }
        if let flush { loop.execute(flush) }
        return isOpen
    }

    /// Takes everything that was added. Its bytes count until ``wrote(_:of:)``.
    func take() -> [Output] {
        state.withLock { state in
            state.isFlushDue = false
            defer { state.outputs = [] }
            return state.outputs
        }
    }

    /// Bytes were written to the channel, or will never be.
    func wrote(_ count: Int, of exchange: UInt32) {
        let senders = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.bytes -= count
            guard let left = state.ofStreams[exchange] else { return [] }
            state.ofStreams[exchange] = max(0, left - count)
            return state.senders.removeValue(forKey: exchange) ?? []
        }
        for sender in senders { sender.resume() }
    }

    /// Forgets an exchange, and lets its writer find out that it is not wanted any more.
    func forget(_ exchange: UInt32) {
        let senders = state.withLock { state in
            state.ofStreams[exchange] = nil
            return state.senders.removeValue(forKey: exchange) ?? []
        }
        for sender in senders { sender.resume() }
    }

    /// Drops what waits, and takes nothing from now on.
    func close() {
        let senders = state.withLock { state in
            defer { state.senders = [:] }
            (state.outputs, state.bytes, state.isClosed, state.flush) = ([], 0, true, nil)
            return state.senders.values.flatMap { $0 }
        }
        for sender in senders { sender.resume() }
    }

    /// Bytes added and not yet written to the channel.
    var waitingBytes: Int { state.withLock { $0.bytes } }

    /// Whether nothing was added that was not taken.
    var isEmpty: Bool { state.withLock { $0.outputs.isEmpty } }

    /// Suspends while more than `highWater` bytes of a stream of messages wait, the connection is open, and `isWanted`.
    func waitForSpace(of exchange: UInt32, above highWater: Int, while isWanted: @Sendable () -> Bool) async {
        while isFull(exchange, highWater), isWanted() {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    // Again under the lock: what makes space, closes or abandons takes the lock afterwards and resumes the senders.
                    guard !state.isClosed, state.ofStreams[exchange, default: 0] > highWater, isWanted() else { return false }
                    state.senders[exchange, default: []].append(continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        }
    }

    private func isFull(_ exchange: UInt32, _ highWater: Int) -> Bool {
        state.withLock { !$0.isClosed && $0.ofStreams[exchange, default: 0] > highWater }
    }
}
