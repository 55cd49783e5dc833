import Foundation
import Synchronization
import Testing

/// A child process whose output goes to files. It is killed after its time limit, when the object is released, and when the
/// tests end.
final class Child: Sendable {
    struct Ending: Sendable, CustomStringConvertible {
        /// The exit status; for a signal 128 plus its number, as in shells.
        let status: Int32
        let out: String
        let err: String

        var description: String { "status \(status)\n\(out)\(err)" }
        var lines: [String] { out.split(separator: "\n").map(String.init) }
    }

    let pid: Int32
    private let files: TemporaryFolder
    private let exit = Exit()

    /// Starts a program with only `input` on its standard input.
    ///
    /// By `posix_spawn`: `Process` of Foundation crashes now and then while several threads work.
    init(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:],
        within limit: Duration = .seconds(300)
    ) throws {
        files = try TemporaryFolder()
        let inherited = ProcessInfo.processInfo.environment.filter {
            $0.key != "ASSAY_SERVER" && !$0.key.hasPrefix("ASSAY_TLS_")
        }
        pid = try Self.spawn(
            program, arguments, inherited.merging(environment) { _, new in new }, input: try files.write(input, to: "in"),
            output: try files.write("", to: "out"), errors: try files.write("", to: "err"))
        ChildReaper.shared.begin(pid)
        let (pid, exit) = (pid, exit)
        let waiting = Thread {
            exit.await(pid)
            ChildReaper.shared.end(pid)
        }
        waiting.start()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) {
            exit.signal(pid, SIGKILL)
        }
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], input: String, output: String, errors: String
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY, 0)
        // No other descriptor of the tests: an open pipe or socket would not end. A descriptor that is not open is stepped over.
        for descriptor in 3..<Int32(min(sysconf(Int32(_SC_OPEN_MAX)), 4096)) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, program, &actions, &attributes, &words, &variables)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
        return pid
    }

    deinit { signal(SIGKILL) }

    var isRunning: Bool { !exit.hasHappened }
    /// Its output so far.
    var out: String { files.text("out") }
    var err: String { files.text("err") }

    func signal(_ number: Int32) { exit.signal(pid, number) }

    /// Waits for its end.
    func ending() async -> Ending {
        let status = await exit.status()
        return Ending(status: status, out: files.text("out"), err: files.text("err"))
    }
}

extension Child {
    /// Runs one of the package's programs to its end.
    static func run(
        _ product: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> Ending {
        try await Child(try built(product), arguments, input: input, environment: environment).ending()
    }

    /// The built product: it is beside the tests.
    static func built(_ product: String) throws -> String {
        let tests = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? Bundle.allBundles.first?.bundlePath)
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(product).path
        try #require(FileManager.default.isExecutableFile(atPath: path), "there is no \(product) beside \(tests)")
        return path
    }
}

/// An exit status that will be known.
private final class Exit: Sendable {
    private struct State {
        var status: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }
    private let state = Mutex(State())

    var hasHappened: Bool { state.withLock { $0.status != nil } }

    /// Sends a signal unless the process has ended. Its number is not released while the lock is held.
    func signal(_ pid: Int32, _ number: Int32) {
        state.withLock { state in
            if state.status == nil { kill(pid, number) }
        }
    }

    /// Waits for the end on this thread, and releases the process's number.
    func await(_ pid: Int32) {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let waiters = state.withLock { state in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            state.status = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            defer { state.waiters = [] }
            return state.waiters
        }
        guard let status = state.withLock({ $0.status }) else { return }
        for waiter in waiters { waiter.resume(returning: status) }
    }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Int32? in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }
}

extension String {
    /// The parts between spaces.
    var words: [String] { split(separator: " ").map(String.init) }
}
