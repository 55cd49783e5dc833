import AssayCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The threads of the tokens in use. When the process exits they end first: a module's destructors run then, and a call into it crashes
/// afterwards. So does what a library of the module does at the end of a thread, such as OpenSSL's: a thread is waited for until it is gone.
final class TokenThreads: Sendable {
    /// Those of this process.
    static let all = TokenThreads()

    private struct Entry {
        let thread: NamedThread
        /// Tells the thread to end.
        let end: @Sendable () -> Void
        /// The thread makes no call any more.
        var isDone = false
    }

    private struct State {
        var last = 0
        /// By their numbers. One that is done stays until it was joined.
        var entries: [Int: Entry] = [:]
    }

    private let state = Mutex(State())
    /// How long an exit waits for calls into modules, in milliseconds. A call that hangs does not keep the process.
    private let patience: Int

    init(patience: Int = 2000) { self.patience = patience }

    /// Starts a thread, and returns its number; `nil` if the system creates none.
    ///
    /// - Parameters:
    ///   - end: tells the body to return, soon.
    ///   - body: makes calls into a module.
    func start(end: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () -> Void) -> Int? {
        joinDone()
        return state.withLock { state in
            let number = state.last + 1
            let thread = NamedThread("assay-token") { [self] in
                body()
                self.state.withLock { $0.entries[number]?.isDone = true }
            }
            guard let thread else { return nil }
            state.last = number
            state.entries[number] = Entry(thread: thread, end: end)
            return number
        }
    }

    /// Whether the thread may still make calls.
    func isRunning(_ number: Int) -> Bool { state.withLock { $0.entries[number]?.isDone == false } }

    /// Ends all threads when the process exits. Called when a module was loaded: functions that are registered later run earlier, so that
    /// this one runs before the module's destructors.
    static func endAtExit() { atexit { TokenThreads.all.endAll() } }

    func endAll() {
        for entry in state.withLock({ Array($0.entries.values) }) { entry.end() }
        for _ in 0..<patience where state.withLock({ $0.entries.values.contains { !$0.isDone } }) { usleep(1000) }
        joinDone()
    }

    private func joinDone() {
        let done = state.withLock { state in
            let done = state.entries.filter(\.value.isDone)
            for number in done.keys { state.entries[number] = nil }
            return done.values
        }
        for entry in done { entry.thread.join() }
    }
}
