import AssayClient
import Foundation
import Synchronization

/// A daemon's process on the ledger: `assayd` itself, or this program in its place, with a controlled disk and clock
/// (``FaultyDaemon``).
final class DaemonProcess: Sendable {
    /// The longest time to start listening, and to end.
    static let patience = Duration.seconds(60)

    let pid: Int32
    private let home: Home
    private let daemon: Int
    private let life = Life()
    private let commands: FileHandle
    private let answers: FileHandle

    /// Starts a program that listens at the socket of one of the home's daemons. A write beyond `RLIMIT_FSIZE` fails in it as on a full disk, instead
    /// of ending it.
    init(_ program: String, _ arguments: [String], in home: Home, as daemon: Int = 0) throws {
        (self.home, self.daemon) = (home, daemon)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", #"trap "" XFSZ; exec "$0" "$@""#, program] + arguments
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        (commands, answers) = (input.fileHandleForWriting, output.fileHandleForReading)
        // No other child may inherit the end whose closing stops this one.
        _ = fcntl(commands.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let life = life
        process.terminationHandler = { process in
            life.ended(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
        }
        errors.fileHandleForReading.readabilityHandler = { handle in
            let more = handle.availableData
            if more.isEmpty { handle.readabilityHandler = nil } else { life.said(Array(more)) }
        }
        try process.run()
        pid = process.processIdentifier
        life.reaper(try Reaper("kill -9 \(pid)"))
    }

    var isRunning: Bool { life.status == nil }
    /// The end of its standard error.
    var log: String { life.log }

    func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for its end. Returns its exit status; for a signal 128 plus its number, as in shells.
    @discardableResult
    func end() async throws -> Int32 {
        let late = ContinuousClock.now + Self.patience
        while true {
            if let status = life.status { return status }
            guard ContinuousClock.now < late else { throw Trouble("the daemon does not end\n\(log)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits until it answers.
    func serve() async throws {
        let late = ContinuousClock.now + Self.patience
        while true {
            guard isRunning else { throw Trouble("the daemon ended with status \(try await end())\n\(log)") }
            do {
                let client = try await home.connect(to: daemon)
                defer { Task { await client.close() } }
                _ = try await client.status()
                return
            } catch {
                guard ContinuousClock.now < late else { throw Trouble("the daemon does not answer: \(error)\n\(log)") }
                // Each attempt takes the time of the daemon that starts.
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Its standard output, after it ended.
    func output() throws -> String { String(decoding: try answers.readToEnd() ?? Data(), as: UTF8.self) }

    /// Sends a command to a ``FaultyDaemon``, and waits until it is confirmed.
    func tell(_ command: FaultyDaemon.Command) throws {
        try commands.write(contentsOf: Data((command.line + "\n").utf8))
        guard !answers.availableData.isEmpty else { throw Trouble("the daemon with faults is gone\n\(log)") }
    }

    /// Makes every write of the daemon fail, as on a full disk, or succeed again.
    func fillDisk(_ isFull: Bool) async throws {
        let limit = Process()
        limit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
        limit.arguments = ["--pid", "\(pid)", isFull ? "--fsize=0:" : "--fsize=unlimited:"]
        try limit.run()
        while limit.isRunning { try await Task.sleep(for: .milliseconds(1)) }
        guard limit.terminationStatus == 0 else { throw Trouble("the daemon's limits cannot be set") }
    }
}

extension Home {
    /// A client that reports every failure at once, and repeats nothing.
    func connect(to daemon: Int = 0) async throws -> AssayClient {
        try await AssayClient.connect(to: address(of: daemon), options: ClientOptions(retry: .once, idempotencyKeys: false))
    }
}

/// The outside view of a process.
private final class Life: Sendable {
    /// The kept part of its output, in bytes.
    static let memory = 16 << 10

    private struct State {
        var status: Int32?
        var words: [UInt8] = []
        var reaper: Reaper?
    }
    private let state = Mutex(State())

    var status: Int32? { state.withLock { $0.status } }
    var log: String { state.withLock { String(decoding: $0.words, as: UTF8.self) } }

    func said(_ more: [UInt8]) { state.withLock { $0.words = Array(($0.words + more).suffix(Self.memory)) } }

    func reaper(_ reaper: Reaper) {
        let isOver = state.withLock { state in
            state.reaper = reaper
            return state.status != nil
        }
        if isOver { reaper.release() }
    }

    func ended(_ status: Int32) {
        let reaper = state.withLock { state in
            state.status = status
            return state.reaper
        }
        reaper?.release()
    }
}
