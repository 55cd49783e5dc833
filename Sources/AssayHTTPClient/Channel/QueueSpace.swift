import AssayRPC
import Synchronization

/// Lets what fills a queue wait while the queue is full, so that no more is read from the network than is taken.
final class QueueSpace: Sendable {
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

    /// Called when the queue is full no longer. Never waits.
    func appeared() { waiter.withLock { $0.take() }?.resume() }

    /// Waits while the queue is full, or until the task is cancelled. One task may wait at a time.
    func wait(for budget: ItemBudget) async {
        guard budget.isFull else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = waiter.withLock { waiter in
                    // What appeared before this was not told to anyone.
                    guard budget.isFull, !Task.isCancelled else { return false }
                    waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            appeared()
        }
    }
}
