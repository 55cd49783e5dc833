import AssayRPC
import SwiftProtobuf

/// Where the messages of a streamed answer go while they arrive.
struct StreamedAnswer: Sendable {
    private let queue: ItemQueue
    private let budget: ItemBudget
    private let space = QueueSpace()

    fileprivate init(limit: Int) {
        budget = ItemBudget(limit: limit) { [space] in space.appeared() }
        queue = ItemQueue(budget: budget)
    }

    /// Returns when there is space for another one. Throws if the call was cancelled meanwhile.
    func take(_ message: [UInt8]) async throws {
        queue.push(message)
        await space.wait(for: budget)
        try Task.checkCancellation()
    }

    /// The first end is kept.
    func end(_ error: RPCError?) { queue.end(error) }

    fileprivate func items<Item: SwiftProtobuf.Message>(of task: Task<Void, Never>) -> RPCItems<Item> {
        RPCItems(queue) {
            queue.end(.cancelled)
            task.cancel()
        }
    }
}

extension CallsInFlight {
    /// Lets `fill` read the answer of a call that was entered, and leaves the call when it has ended.
    ///
    /// - Parameter failure: what an error of `fill` is for the caller.
    func stream<Item: SwiftProtobuf.Message>(
        _ limits: HTTPChannelLimits, within timeout: Duration?, failure: @escaping @Sendable (any Error) -> RPCError,
        _ fill: @escaping @Sendable (StreamedAnswer) async throws -> Void
    ) -> RPCItems<Item> {
        let answer = StreamedAnswer(limit: limits.maxQueuedItemBytes)
        let task = Task {
            defer { leave() }
            do {
                try await TimeLimit.within(timeout) { try await fill(answer) }
                answer.end(nil)
            } catch {
                answer.end(failure(error))
            }
        }
        return answer.items(of: task)
    }

    /// Takes no more calls, and waits for those in flight, `limit` at most.
    func finish(within limit: Duration) async {
        refuse(.connectionClosed)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.idle() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
