import CPluginProcess
import Glibc
import Synchronization

/// The process of a plugin: started by the launcher, killed by its process descriptor, never by a remembered number.
///
/// It ends when it is killed or released, when its connection ends, and when the daemon ends.
package final class PluginProcess: Sendable {
    /// For log lines.
    package let id: Int32
    /// The daemon's end of the connection. Its owner closes it.
    package let socket: CInt
    /// What the launcher enforced.
    package let report: LauncherReport
    private let descriptor: CInt
    private let ending: Promise<ProcessEnd>
    private let output: ProcessOutput
    private let excess = Atomic(0)

    private init(_ started: Started, _ report: LauncherReport, _ output: ProcessOutput) {
        (id, socket, descriptor, ending) = (started.id, started.socket, started.descriptor, started.ending)
        (self.report, self.output) = (report, output)
    }

    deinit {
        kill()
        Glibc.close(descriptor)
    }

    /// How the process ended. Suspends until it has.
    package var end: ProcessEnd { get async { await ending.value } }

    /// How the process ended; `nil` while it runs.
    package var endIfEnded: ProcessEnd? { ending.current }

    /// How many threads it had when it was killed for having more than its limit; `nil` if it was not.
    var excessThreads: Int? {
        let count = excess.load(ordering: .relaxed)
        return count > 0 ? count : nil
    }

    /// The last lines that it wrote to stdout and stderr, oldest first.
    package var lastLines: [String] { output.lastLines }

    /// Ends the process at once. Processes that it started end with it.
    package func kill() { _ = assay_process_signal(descriptor, SIGKILL) }

    // MARK: Start

    /// Starts a plugin. Returns when the launcher has become the plugin.
    ///
    /// - Parameters:
    ///   - deadline: how long the launcher may take.
    ///   - onLine: gets each line that the plugin writes, on the thread of all plugins; must not block.
    package static func start(
        _ launch: Launch, within deadline: Duration = .seconds(10), onLine: @escaping @Sendable (String) -> Void
    ) async throws(LaunchFailure) -> PluginProcess {
        let output = ProcessOutput(onLine)
        let report = Promise<[UInt8]>()
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Started, LaunchFailure>, Never>) in
            ProcessThread.shared.run { watches in
                let result = Result { () throws(LaunchFailure) in try spawn(launch, watches, output, report) }
                continuation.resume(returning: result)
            }
        }
        let started = try result.get()
        let timer = Task {
            try await Task.sleep(for: deadline)
            _ = assay_process_signal(started.descriptor, SIGKILL)
        }
        let text = await report.value
        timer.cancel()
        let process = PluginProcess(started, LauncherReport(parsing: text), output)
        guard let failure = process.report.failure else {
            process.watchThreads(launch.sandbox.limits.threads)
            return process
        }
        Glibc.close(started.socket)
        process.kill()
        _ = await process.end
        throw failure
    }

    // MARK: Threads

    private static let threadInterval = Duration.milliseconds(500)

    /// Kills the process when it has more threads than it may. The kernel's limit is of all processes of a user, and is wider.
    private func watchThreads(_ limit: Int) {
        Task { [weak self] in
            while true {
                try? await Task.sleep(for: Self.threadInterval)
                guard let self, endIfEnded == nil else { return }
                guard let count = Self.threads(of: id), count > limit else { continue }
                excess.store(count, ordering: .relaxed)
                output.add("it has \(count) threads, limits.threads allows \(limit): it is killed")
                return kill()
            }
        }
    }

    /// The twentieth field of `/proc/PID/stat`; `nil` if it cannot be read.
    private static func threads(of id: Int32) -> Int? {
        let file = open("/proc/\(id)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(file, &bytes, bytes.count)
        // The second field is the name, which may have spaces and brackets of its own.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        return fields.count > 17 ? Int(String(decoding: fields[17], as: UTF8.self)) : nil
    }

    private struct Started: Sendable {
        let id: pid_t
        let descriptor: CInt
        let socket: CInt
        let ending: Promise<ProcessEnd>
    }

    /// On the thread of all plugins.
    private static func spawn(
        _ launch: Launch, _ watches: Watches, _ output: ProcessOutput, _ report: Promise<[UInt8]>
    ) throws(LaunchFailure) -> Started {
        var pipes = try LaunchPipes()
        defer { pipes.close() }
        var id: pid_t = 0
        let error = launch.withArguments { path, arguments, environment in
            assay_plugin_spawn(&id, path, arguments, environment, pipes.childDescriptors(launch.executable), 6)
        }
        guard error == 0 else { throw .system("the launcher \(launch.launcher) cannot be started", error) }
        let ending = Promise<ProcessEnd>()
        var readsLog: (() -> Bool)?
        // What it wrote before its end is known with its end.
        let descriptor = try watchEnd(of: id, watches, ending) { if readsLog?() == false { readsLog = nil } }
        let (log, status) = (pipes.takeLog(), pipes.takeStatus())
        readsLog = { output.read(from: log) }
        watches.watch(log) {
            if readsLog?() == false { readsLog = nil }
            return readsLog != nil
        }
        var bytes: [UInt8] = []
        watches.watch(status) { LauncherReport.read(from: status, into: &bytes, report) }
        return Started(id: id, descriptor: descriptor, socket: pipes.takeSocket(), ending: ending)
    }

    /// Opens a process descriptor for the owner, and watches another.
    ///
    /// - Parameter atEnd: called on the thread when the process has ended, before that is told.
    private static func watchEnd(
        of id: pid_t, _ watches: Watches, _ ending: Promise<ProcessEnd>, atEnd: @escaping () -> Void
    ) throws(LaunchFailure) -> CInt {
        // The process was not released yet, so that its number is its own.
        let watched = assay_process_descriptor(id)
        let owned = assay_process_descriptor(id)
        guard watched >= 0, owned >= 0 else {
            let error = errno
            for descriptor in [watched, owned] where descriptor >= 0 { Glibc.close(descriptor) }
            Glibc.kill(id, SIGKILL)
            waitpid(id, nil, 0)
            throw .system("no process descriptor can be opened", error)
        }
        watches.watch(watched) {
            var value: CInt = 0
            let kind = assay_process_end(watched, &value)
            guard kind != 0 else { return true }
            // Its group is that of its own processes. The number is free for others only after the release.
            Glibc.kill(-id, SIGKILL)
            assay_process_release(watched)
            Glibc.close(watched)
            atEnd()
            ending.fulfil(kind == 1 ? .exited(status: value) : .killed(signal: value))
            return false
        }
        return owned
    }
}

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable, CustomStringConvertible {
    case exited(status: Int32)
    case killed(signal: Int32)

    package var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .killed(let signal): "was ended by the signal \(Self.name(of: signal))"
        }
    }

    private static func name(of signal: Int32) -> String {
        assay_signal_name(signal).map { "SIG" + String(cString: $0) } ?? String(signal)
    }
}
