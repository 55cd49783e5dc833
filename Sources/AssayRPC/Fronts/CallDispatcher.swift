import Synchronization

/// The calls of one connection: finds methods, asks whether the caller may call them, admits calls, starts handlers in batches, and keeps
/// the calls in flight with their deadlines. Used by one thread at a time, the connection's.
///
/// A front calls ``find(_:)``, checks what its protocol alone demands, finds the call's session, and calls
/// ``admit(_:to:message:metadata:received:timeout:of:)``. When all calls that came together are admitted, it calls ``dispatch()``; at
/// ``nextLook`` it calls ``look(at:)``, and when the connection has ended ``end()``.
package final class CallDispatcher {
    /// The result of looking up a path.
    package enum Finding {
        /// A method, by its number in the service.
        case known(Int)
        case unknown(String)
        /// Not UTF-8.
        case notText
    }

    private struct InFlight {
        let call: RPCCall
        /// How long after it was received the call is looked at next: shortly before its deadline, and at the deadline; nil for not again.
        var look: Duration?
    }

    private let service: RPCService
    private let destination: any CallDestination
    private let maxInFlight: Int
    private let executor: (any TaskExecutor)?
    private let held = ConnectionCalls()
    /// The method that was found last: most calls of a connection name the same one.
    private var last: (path: [UInt8], index: Int)?
    /// Admitted calls whose handler has not been started, and the method that all of them name.
    private var burst: [RPCCall] = []
    private var burstMethod = 0
    /// Calls whose last bytes were not handed to the socket, by their ids.
    private var calls: [UInt64: InFlight] = [:]
    /// No call has to be looked at earlier; nil: none has a deadline. It is not updated when a call is answered, only by a look.
    package private(set) var nextLook: ContinuousClock.Instant?

    /// - Parameters:
    ///   - maxInFlight: the calls that one connection may have in flight.
    ///   - executor: runs tasks on the connection's thread, for calls that are alone; `nil`: these too are worked on by other threads.
    package init(
        _ service: RPCService, to destination: any CallDestination, maxInFlight: Int = .max,
        executor: (any TaskExecutor)? = nil
    ) {
        (self.service, self.destination, self.maxInFlight, self.executor) = (service, destination, maxInFlight, executor)
    }

    package func find(_ path: UnsafeRawBufferPointer) -> Finding {
        if let last, last.path.isSame(as: path) { return .known(last.index) }
        let finding = service.table.find(path)
        if case .known(let index) = finding { last = (Array(path), index) }
        return finding
    }

    /// Admits a call. Its handler is started by ``dispatch()``, or here when a batch is complete.
    ///
    /// The errors come in the order of proto/README.md: `permission_denied` or what ``RPCAccess/refusal`` says, `too_many_calls` of
    /// the connection, `too_many_calls` of the caller, `overloaded`.
    ///
    /// - Parameters:
    ///   - id: the front's number of the call, that of no call in flight.
    ///   - method: a number that ``find(_:)`` returned.
    ///   - message: the serialised request; copied once.
    ///   - timeout: from `received` until the answer becomes worthless; nil for none.
    package func admit(
        _ id: UInt64, to method: Int, message: UnsafeRawBufferPointer, metadata: RPCMetadata,
        received: ContinuousClock.Instant, timeout: Duration?, of session: RPCSession
    ) throws(RPCError) {
        if let refusal = session.refusal(of: method, in: service) { throw refusal }
        guard held.count.load(ordering: .relaxed) < maxInFlight else { throw .tooManyCalls }
        let share = Admission.Share(calls: 1, bytes: message.count + metadata.byteCount)
        if let refusal = service.state.admission.admit(share, for: session.usage) {
            throw refusal == .callerIsFull ? .tooManyCallsOfTheCaller : .overloaded
        }
        held.count.add(1, ordering: .relaxed)
        let call = RPCCall(
            id: id, method: service.methods[method].path, message: Array(message), metadata: metadata, received: received,
            timeout: timeout, isStream: service.methods[method].isStream, isBatched: service.methods[method].isBatch,
            share: share, session: session, connection: held, destination: destination)
        let look = timeout.map { $0 - RPCService.margin(of: $0) }
        if let look { note(look: received.advanced(by: look)) }
        calls[id] = InFlight(call: call, look: look)
        if burstMethod != method || burst.count >= service.state.chunks.burst { dispatch() }
        burstMethod = method
        burst.append(call)
    }

    private func note(look: ContinuousClock.Instant) {
        if let next = nextLook, next <= look { return }
        nextLook = look
    }

    /// Starts the handler for the admitted calls, in chunks of one session each.
    package func dispatch() {
        var rest = burst
        burst = []
        while let session = rest.first?.session {
            if rest.allSatisfy({ $0.session === session }) { return start(rest[...], of: session) }
            let own = rest.filter { $0.session === session }
            rest.removeAll { $0.session === session }
            start(own[...], of: session)
        }
    }

    private func start(_ calls: ArraySlice<RPCCall>, of session: RPCSession) {
        var rest = calls
        let handler = service.methods[burstMethod].handler
        let size = service.state.chunks.size(burst: rest.count)
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(CallChunks.next(of: rest, size: size)))
            rest = rest.dropFirst(chunk.count)
            let wanted = service.state.shed(chunk, of: session, to: destination)
            service.state.countStarted(wanted.count)
            guard !wanted.isEmpty else { continue }
            handler.start(
                wanted, of: session.usage, destination, service.state.queue, on: isAlone(wanted) ? executor : nil)
        }
    }

    /// Whether a short call of a batch method is the only one in flight, and was not preceded by several. Then its own connection's thread works on it,
    /// which is awake: waking another one, and this one again for the answer, takes longer than a verdict. Long evidence would keep the calls
    /// waiting that come meanwhile.
    ///
    /// So would a short call in a load: it is alone only because the next ones have not been read, and they wait for its commit too.
    private func isAlone(_ calls: [RPCCall]) -> Bool {
        guard let call = calls.first else { return false }
        guard service.state.admission.held.calls == 1 else {
            service.state.noteCompany(at: call.received)
            return false
        }
        return call.isBatched && call.message.count <= Self.shortMessage && !service.state.hadCompany(at: call.received)
    }

    /// An assertion and a signature have less, a chain of certificates has more.
    private static let shortMessage = 1024

    // MARK: Calls in flight

    package func isInFlight(_ id: UInt64) -> Bool { calls.index(forKey: id) != nil }

    /// Whether no call is in flight.
    package var isIdle: Bool { calls.isEmpty }

    /// Answers the calls whose deadline has passed, and those that are about to pass it because something is late
    /// (``RPCService/lateness``).
    package func look(at now: ContinuousClock.Instant = .now) {
        guard let nextLook, nextLook <= now else { return }
        for (id, inFlight) in calls {
            guard let timeout = inFlight.call.timeout, let look = inFlight.look else { continue }
            let age = inFlight.call.received.duration(to: now)
            guard look <= age else { continue }
            // Not again for a call that was answered meanwhile, and whose answer waits for the socket.
            calls[id]?.look = nil
            if timeout <= age {
                abandon(id, .deadlineExceeded)
            } else if let error = service.lateness() {
                abandon(id, error)
            } else {
                calls[id]?.look = timeout
            }
        }
        self.nextLook = calls.values.lazy.compactMap { inFlight in
            inFlight.look.map { inFlight.call.received.advanced(by: $0) }
        }.min()
    }

    /// The client does not want the answer any more.
    package func cancel(_ id: UInt64) { abandon(id, .cancelled) }

    /// Answers all that are in flight: the time for the end is over.
    package func drain() {
        for id in calls.keys { abandon(id, .drained) }
    }

    /// The last bytes of these calls were handed to the socket.
    package func answered(_ ids: [UInt64]) {
        for id in ids { calls[id] = nil }
    }

    /// Releases all calls: the connection is gone, and nothing can be answered.
    package func end() {
        let abandoned = calls.values.map(\.call)
        calls = [:]
        nextLook = nil
        for call in abandoned {
            _ = call.abandon()
            call.cancelHandler()
        }
        for call in burst { call.conclude() }
        burst = []
    }

    /// Answers a call in its handler's place, and tells the handler. Ignores a call that is not in flight, and one whose answer is on
    /// its way to the socket: the answer and the cancellation have crossed.
    private func abandon(_ id: UInt64, _ error: RPCError) {
        guard let call = calls[id]?.call, call.abandon() else { return }
        calls[id] = nil
        service.state.countRefusal(because: error.reason)
        destination.refuse(call, error)
        call.cancelHandler()
    }
}

extension [UInt8] {
    /// Whether the bytes are the same. `elementsEqual` takes four times as many instructions for memory that is no array.
    fileprivate func isSame(as bytes: UnsafeRawBufferPointer) -> Bool {
        guard count == bytes.count else { return false }
        for index in indices where self[index] != bytes[index] { return false }
        return true
    }
}

/// Finds the method that a call names.
struct MethodTable: Sendable {
    private let methods: [RPCMethod]
    private let index: [String: Int]

    /// Of two methods with one path the first is taken.
    init(_ methods: [RPCMethod]) {
        self.methods = methods
        index = Dictionary(methods.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func find(_ path: UnsafeRawBufferPointer) -> CallDispatcher.Finding {
        guard let text = String(validating: path, as: UTF8.self) else { return .notText }
        guard let found = index[text], methods[found].path.utf8.elementsEqual(path) else { return .unknown(text) }
        return .known(found)
    }
}

/// How the calls of one read burst are divided among tasks. More calls in a chunk share one task and one flush of their answers;
/// fewer spread better over the processors. A burst is cut into as many chunks as there are processors, within bounds.
struct CallChunks: Sendable {
    /// Calls of the smallest chunk that is worth a task of its own.
    static let smallest = 8
    /// Calls of the largest chunk: more would delay the first answer.
    static let largest = 32
    /// Bytes of the messages of one chunk, unless a single message is longer. Long evidence is expensive to appraise (a certificate
    /// chain has 5 KiB, an assertion less than 1 KiB), and other callers wait for a chunk to end.
    static let bytes = 32 << 10

    let processors: Int

    /// A longer burst starts before it is complete.
    var burst: Int { Self.largest * processors }

    func size(burst count: Int) -> Int {
        let share = (count + processors - 1) / processors
        return min(max(share, Self.smallest), Self.largest)
    }

    /// The number of calls in the next chunk: at most `size`, and fewer if their messages are long.
    static func next(of calls: ArraySlice<RPCCall>, size: Int) -> Int {
        var length = 0
        for (count, call) in calls.prefix(size).enumerated() {
            length += call.message.count
            if length > bytes { return max(1, count) }
        }
        return min(size, calls.count)
    }
}
