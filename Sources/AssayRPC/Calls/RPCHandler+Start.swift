/// Running handlers.
///
/// The tasks are not children of a server's task: one task group for all connections would be one lock for all event loops.
/// ``Admission`` bounds them, since a call gives its share back only when its handler releases it. ``CallQueue`` orders their start.
extension RPCHandler {
    /// Starts work on calls that name this handler's method. A batch has one task; other calls have one each.
    func start(_ calls: [RPCCall], _ destination: any CallDestination, _ queue: CallQueue) {
        switch self {
        case .batch(let work):
            if queue.enter() {
                Task { await Self.run(calls, work, destination, queue) }
            } else {
                queue.add(of: destination.usage) { Task { await Self.run(calls, work, destination, queue) } }
            }
        case .unary(let work):
            for call in calls { Self.start(call, destination, queue) { await Self.run(call, work) } }
        case .stream(let work):
            for call in calls {
                Self.start(call, destination, queue) { await Self.run(call, destination.writer(for: call), work) }
            }
        }
    }

    private static func start(
        _ call: RPCCall, _ destination: any CallDestination, _ queue: CallQueue, _ work: @escaping @Sendable () async -> Void
    ) {
        queue.add(of: destination.usage) {
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
        if calls.contains(where: \.isAbandoned) {
            wanted = []
            for call in calls {
                if call.isAbandoned { call.fail(call.abandonment) } else { wanted.append(call) }
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
