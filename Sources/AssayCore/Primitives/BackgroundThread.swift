import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Long work for which no request waits, such as reading the configuration or a list again: on a thread of its own, which steps back behind those that answer.
///
/// The pool that runs tasks has one thread for each processor: what keeps one of them busy for 10 ms holds up half of all requests on a machine of two.
package enum BackgroundThread {
    /// The nice value of the thread, of 0 (as the others) to 19 (setpriority(2)). Between two threads that are always busy, one of 10 gets a tenth.
    private static let niceness: Int32 = 10

    /// - Parameters:
    ///   - name: that of the thread, of at most 15 bytes.
    ///   - body: starts no thread and no task: on Linux a thread has the nice value of the one that made it, for good, and who starts a task may make one of
    ///     the pool's.
    package static func run<Value: Sendable, Failure: Error>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var thread: NamedThread?
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<Value, Failure>, Never>) in
            // For the same reason another one waits for it, and resumes the task.
            thread = NamedThread(name) { waiter.resume(returning: steppingBack(name, body)) }
            // The system creates no thread: late is better than never.
            if thread == nil { waiter.resume(returning: Result(catching: body)) }
        }
        thread?.join()
        return try result.get()
    }

    /// Waits until the work is done.
    private static func steppingBack<Value: Sendable, Failure: Error>(
        _ name: String, _ body: @escaping @Sendable () throws(Failure) -> Value
    ) -> Result<Value, Failure> {
        let done = Done<Value, Failure>()
        let thread = NamedThread(name) {
            #if os(Linux)
                // Of the calling thread alone, on Linux. Where a sandbox forbids it, the work is done all the same.
                let thread: Int32 = 0  // PRIO_PROCESS
                _ = setpriority(thread, 0, niceness)
            #endif
            let result = Result(catching: body)
            done.result.withLock { $0 = result }
        }
        thread?.join()
        return done.result.withLock { $0 } ?? Result(catching: body)
    }

    private final class Done<Value: Sendable, Failure: Error>: Sendable {
        let result = Mutex<Result<Value, Failure>?>(nil)
    }
}
