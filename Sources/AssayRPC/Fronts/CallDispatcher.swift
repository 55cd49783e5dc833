/// The calls of one connection on their way to the handlers: finds methods, asks whether the peer may call them, admits calls, and
/// starts handlers in batches. Used by one thread at a time, the connection's.
///
/// A front calls ``find(_:)``, checks what its protocol alone demands, and calls ``admit(_:to:message:metadata:received:timeout:connectionIsFull:)``.
/// When all calls that came together are admitted, it calls ``dispatch()``.
package struct CallDispatcher {
    /// The result of looking up a path.
    package enum Finding {
        /// A method, by its number in the service.
        case known(Int)
        case unknown(String)
        /// Not UTF-8.
        case notText
    }

    private let service: RPCService
    private let destination: any CallDestination
    private var table: MethodTable
    /// For each method, whether the peer may call it as far as that was asked; empty before the first call.
    private var permitted: [Bool] = []
    /// The ``RPCAccess/version`` that `permitted` belongs to.
    private var permittedVersion = 0
    /// Admitted calls whose handler has not been started, and the method that all of them name.
    private var burst: [RPCCall] = []
    private var burstMethod = 0

    package init(_ service: RPCService, to destination: any CallDestination) {
        (self.service, self.destination) = (service, destination)
        table = MethodTable(service.methods)
    }

    package mutating func find(_ path: UnsafeRawBufferPointer) -> Finding { table.find(path) }

    /// Admits a call. Its handler is started by ``dispatch()``, or here when a batch is complete.
    ///
    /// The errors come in the order of proto/README.md: `permission_denied` or what ``RPCAccess/refusal`` says, `too_many_calls` of
    /// the connection, `too_many_calls` of the caller, `overloaded`.
    ///
    /// - Parameters:
    ///   - id: the front's number of the call.
    ///   - method: a number that ``find(_:)`` returned.
    ///   - message: the serialised request; copied once.
    ///   - timeout: from `received` until the answer becomes worthless; nil for none.
    ///   - connectionIsFull: whether the connection has as many calls in flight as the front allows one connection.
    package mutating func admit(
        _ id: UInt64, to method: Int, message: UnsafeRawBufferPointer, metadata: RPCMetadata,
        received: ContinuousClock.Instant, timeout: Duration?, connectionIsFull: Bool
    ) throws(RPCError) -> RPCCall {
        if let refusal = refusal(of: method) { throw refusal }
        guard !connectionIsFull else { throw .tooManyCalls }
        let share = Admission.Share(calls: 1, bytes: message.count + metadata.byteCount)
        if let refusal = service.state.admission.admit(share, for: destination.usage) {
            throw refusal == .callerIsFull ? .tooManyCallsOfTheCaller : .overloaded
        }
        let call = RPCCall(
            id: id, method: table.methods[method].path, message: Array(message), metadata: metadata, received: received,
            deadline: timeout.map { received.advanced(by: $0) }, isStream: table.methods[method].handler.isStream,
            isBatched: table.methods[method].handler.isBatch, share: share, destination: destination)
        if burstMethod != method || burst.count >= service.state.chunks.burst { dispatch() }
        burstMethod = method
        burst.append(call)
        return call
    }

    /// Why the peer may not call a method; nil: it may. A permission is asked for once in each version of the access.
    private mutating func refusal(of method: Int) -> RPCError? {
        let version = service.access.version()
        if version != permittedVersion || permitted.isEmpty {
            permitted = Array(repeating: false, count: table.methods.count)
            permittedVersion = version
        }
        guard !permitted[method] else { return nil }
        if let refusal = service.access.refusal(destination.peer, table.methods[method].path) { return refusal }
        permitted[method] = true
        return nil
    }

    /// Starts the handler for the admitted calls, in chunks.
    package mutating func dispatch() {
        guard !burst.isEmpty else { return }
        var rest = burst[...]
        burst = []
        let handler = table.methods[burstMethod].handler
        let size = service.state.chunks.size(burst: rest.count)
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(CallChunks.next(of: rest, size: size)))
            rest = rest.dropFirst(chunk.count)
            let wanted = service.state.shed(chunk, to: destination)
            service.state.countStarted(wanted.count)
            if !wanted.isEmpty { handler.start(wanted, destination, service.state.queue) }
        }
    }

    /// Releases the calls whose handler was not started, when the connection has ended.
    package mutating func drop() {
        for call in burst { call.conclude() }
        burst = []
    }
}

/// Finds the method that a call names. Each connection has a table of its own, which remembers the last method found.
struct MethodTable {
    let methods: [RPCMethod]
    private let index: [String: Int]
    private var last: (path: [UInt8], index: Int)?

    /// Of two methods with one path the first is taken.
    init(_ methods: [RPCMethod]) {
        self.methods = methods
        index = Dictionary(methods.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func find(_ path: UnsafeRawBufferPointer) -> CallDispatcher.Finding {
        if let last, last.path.count == path.count, last.path.elementsEqual(path) { return .known(last.index) }
        guard let text = String(validating: path, as: UTF8.self) else { return .notText }
        guard let found = index[text], methods[found].path.utf8.elementsEqual(path) else { return .unknown(text) }
        last = (Array(path), found)
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
