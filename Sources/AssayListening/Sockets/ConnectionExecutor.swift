package import NIOCore
import Synchronization

/// Runs tasks on the event loop of a connection, so that work on a call that is alone begins there, and goes on there after each await, without
/// waking another thread. Once the connection has ended it runs them on the global executor: the loop may end before them.
package final class ConnectionExecutor: TaskExecutor {
    private let loop: any EventLoop
    private let isOpen = Mutex(true)

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Under the lock, so that the loop gets no job after `close`.
        let isTaken = isOpen.withLock { isOpen in
            if isOpen { loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) } }
            return isOpen
        }
        if !isTaken { globalConcurrentExecutor.enqueue(job) }
    }

    /// The connection has ended. Called on its loop, which therefore runs every job that it has been given.
    package func close() { isOpen.withLock { $0 = false } }
}
