import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The threads of the tokens in use. When the process exits they end first: a module's destructors run then, and a call into it crashes
/// afterwards.
enum TokenThreads {
    /// How long an exit waits for calls into modules, in milliseconds. A call that hangs does not keep the process.
    private static let patience = 2000

    private struct State {
        var last = 0
        /// How each thread is told to end, by its number.
        var running: [Int: @Sendable () -> Void] = [:]
    }

    private static let state = Mutex(State())

    /// A thread is about to start. Returns its number.
    static func begin(_ end: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.last += 1
            state.running[state.last] = end
            return state.last
        }
    }

    /// Whether the thread may still make calls.
    static func isRunning(_ number: Int) -> Bool { state.withLock { $0.running[number] != nil } }

    /// The thread makes no call any more.
    static func ended(_ number: Int) { _ = state.withLock { $0.running.removeValue(forKey: number) } }

    /// Ends all threads when the process exits. Called when a module was loaded: functions that are registered later run earlier, so that
    /// this one runs before the module's destructors.
    static func endAtExit() { atexit { TokenThreads.endAll() } }

    private static func endAll() {
        for end in state.withLock({ Array($0.running.values) }) { end() }
        for _ in 0..<patience {
            guard state.withLock({ !$0.running.isEmpty }) else { return }
            usleep(1000)
        }
    }
}
