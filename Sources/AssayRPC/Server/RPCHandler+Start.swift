/// Running handlers.
///
/// The tasks are not children of the server's: one group for all connections would be one lock for all event loops. They are
/// bounded and accounted for by ``Admission``, which gets their share back when they let go of their calls. ``CallQueue`` says when
/// they are started.
extension RPCHandler {
    /// Begins work on calls that name this handler's method. The tasks are those of the calls, in their order; a batch has none
    /// of their own.
    func start(_ calls: [RPCCall], _ replies: ReplyWriter, _ queue: CallQueue) -> [CallTask] {
        switch self {
        case .batch(let work):
            if queue.enter() {
                Task { await Self.run(calls, work, replies, queue) }
            } else {
                queue.add(of: replies.usage) { Task { await Self.run(calls, work, replies, queue) } }
            }
            return []
        case .unary(let work):
            return calls.map { call in Self.task(replies, queue) { await Self.run(call, work) } }
        case .stream(let work):
            return calls.map { call in Self.task(replies, queue) { await Self.run(call, replies.writer(for: call), work) } }
        }
    }

    private static func task(
        _ replies: ReplyWriter, _ queue: CallQueue, _ work: @escaping @Sendable () async -> Void
    ) -> CallTask {
        let task = CallTask()
        queue.add(of: replies.usage) {
            task.start {
                queue.begun()
                await work()
            }
        }
        return task
    }

    private static func run(_ calls: [RPCCall], _ work: Batch, _ replies: ReplyWriter, _ queue: CallQueue) async {
        queue.begun()
        await run(calls, work)
        // One flush for the answers of all.
        replies.outbox.add()
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
