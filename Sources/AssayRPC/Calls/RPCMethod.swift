/// How a method works on its calls. Handlers run on the global executor; a short call of a batch method that is the only one in flight is worked on
/// by the event loop of its connection, so the handlers of these neither block their thread, beyond the sync of a quick disk, nor wait by yielding.
package enum RPCHandler: Sendable {
    /// For the hot path. Consecutive calls of one read burst that name the same method come together, at most 32; the handler
    /// answers each through the call. A call that is left unanswered is answered INTERNAL, `unanswered`. The answers are sent
    /// together when the handler returns.
    case batch(Batch)
    /// Returns the serialised answer. One task for each call, cancelled when the call is abandoned.
    case unary(Unary)
    /// One task for each call, cancelled when the call is abandoned. The stream ends when the handler returns or throws.
    case stream(Stream)

    package typealias Batch = @Sendable ([RPCCall]) async -> Void
    package typealias Unary = @Sendable (RPCCall) async throws(RPCError) -> [UInt8]
    package typealias Stream = @Sendable (RPCCall, RPCStreamWriter) async throws(RPCError) -> Void

    var isBatch: Bool {
        if case .batch = self { true } else { false }
    }

    var isStream: Bool {
        if case .stream = self { true } else { false }
    }
}

/// A method that a server answers.
package struct RPCMethod: Sendable {
    /// The gRPC path, such as `/assay.v1.Attestation/Verify`. Compared as bytes.
    package let path: String
    package let handler: RPCHandler
    /// Whether any peer may call it that may connect, also one that is no configured caller. Such a method tells nothing of callers and apps.
    package let isOpen: Bool
    // Of the handler, which is not copied to be asked for each call.
    package let isStream: Bool
    let isBatch: Bool

    package init(path: String, handler: RPCHandler, isOpen: Bool = false) {
        (self.path, self.handler, self.isOpen) = (path, handler, isOpen)
        (isStream, isBatch) = (handler.isStream, handler.isBatch)
    }
}

/// Running handlers.
///
/// The tasks are not children of a server's task: one task group for all connections would be one lock for all event loops.
/// ``Admission`` bounds them, since a call gives its share back only when its handler releases it. ``CallQueue`` orders their start.
extension RPCHandler {
    /// Starts work on calls of one session that name this handler's method. A batch has one task; other calls have one each.
    ///
    /// - Parameter executor: where the task of a batch runs if it can start at once; `nil`: on the global executor.
    func start(
        _ calls: [RPCCall], of usage: CallerUsage, _ destination: any CallDestination, _ queue: CallQueue,
        on executor: (any TaskExecutor)? = nil
    ) {
        switch self {
        case .batch(let work):
            if queue.enter() {
                Task(executorPreference: executor) { await Self.run(calls, work, destination, queue) }
            } else {
                queue.add(of: usage, cost: calls.cost) {
                    Task { await Self.run(calls, work, destination, queue) }
                }
            }
        case .unary(let work):
            for call in calls { Self.start(call, of: usage, queue) { await Self.run(call, work) } }
        case .stream(let work):
            for call in calls {
                Self.start(call, of: usage, queue) { await Self.run(call, destination.writer(for: call), work) }
            }
        }
    }

    private static func start(
        _ call: RPCCall, of usage: CallerUsage, _ queue: CallQueue, _ work: @escaping @Sendable () async -> Void
    ) {
        queue.add(of: usage, cost: [call].cost) {
            call.task.start {
                queue.begun()
                await work()
            }
        }
    }

    private static func run(
        _ calls: [RPCCall], _ work: Batch, _ destination: any CallDestination, _ queue: CallQueue
    ) async {
        queue.begun()
        await run(calls, work)
        // One flush for the answers of all.
        destination.flush()
    }

    private static func run(_ calls: [RPCCall], _ work: Batch) async {
        var wanted = calls
        let now = ContinuousClock.now
        if calls.contains(where: { $0.isAbandoned(at: now) }) {
            wanted = []
            for call in calls {
                if call.isAbandoned(at: now) { call.fail(call.abandonment) } else { wanted.append(call) }
            }
        }
        if !wanted.isEmpty { await work(wanted) }
        for call in wanted { call.conclude() }
    }

    private static func run(_ call: RPCCall, _ work: Unary) async {
        guard !call.isAbandoned else { return call.fail(call.abandonment) }
        do throws(RPCError) {
            call.reply(try await work(call))
        } catch {
            call.fail(error)
        }
    }

    private static func run(_ call: RPCCall, _ writer: RPCStreamWriter, _ work: Stream) async {
        guard !call.isAbandoned else { return call.fail(call.abandonment) }
        do throws(RPCError) {
            try await work(call, writer)
            call.end()
        } catch {
            call.fail(error)
        }
    }
}
