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
    private let exit: Exit

    /// Starts a program with only `input` on its standard input.
    init(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:],
        within limit: Duration = .seconds(120)
    ) throws {
        files = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter {
            $0.key != "ASSAY_SERVER" && !$0.key.hasPrefix("ASSAY_TLS_")
        }
        .merging(environment) { _, new in new }
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: try files.write(input, to: "in")))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: try files.write("", to: "out")))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: try files.write("", to: "err")))
        let exit = Exit()
        process.terminationHandler = { process in
            ChildReaper.shared.end(process.processIdentifier)
            exit.happened(process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus)
        }
        let reaper = ChildReaper.shared
        // One at a time: Foundation crashed once in `run` while tests started processes on several threads.
        try Self.launching.withLock { _ in try process.run() }
        pid = process.processIdentifier
        reaper.begin(pid)
        self.exit = exit
        let pid = pid
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(limit.components.seconds))) {
            if !exit.hasHappened { kill(pid, SIGKILL) }
        }
    }

    private static let launching = Mutex(())

    deinit { signal(SIGKILL) }

    var isRunning: Bool { !exit.hasHappened }
    /// Its output so far.
    var out: String { files.text("out") }
    var err: String { files.text("err") }

    func signal(_ number: Int32) {
        if !exit.hasHappened { kill(pid, number) }
    }

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

    func happened(_ status: Int32) {
        let waiters = state.withLock { state in
            state.status = status
            defer { state.waiters = [] }
            return state.waiters
        }
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
