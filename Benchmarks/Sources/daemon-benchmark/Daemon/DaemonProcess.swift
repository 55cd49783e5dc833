import AssaySimulator
import AssayTesting
import Foundation
import Synchronization

/// A daemon for one benchmark, with a temporary folder, on a port that was free. It ends with this process.
final class DaemonProcess: @unchecked Sendable {  // one task starts and stops the process
    let authority: TestAuthority
    let vendors: DaemonConfiguration.Vendors
    let address: String
    /// Where it listens over HTTP, if its configuration says so.
    let httpAddress: String
    private let command: [String]
    private let environment: [String: String]
    private let folder: URL
    private var process = Process()

    /// Those that run.
    private static let running = Mutex<[DaemonProcess]>([])
    private static let atExit: Void = {
        _ = atexit { for daemon in DaemonProcess.running.withLock({ $0 }) { daemon.stop() } }
    }()

    /// - Parameters:
    ///   - counter: the library of `allocation-counter.c`, if the daemon's allocations are to be counted.
    ///   - wrapper: a program that runs the daemon, and its arguments.
    init(
        executable: String, _ configuration: DaemonConfiguration = DaemonConfiguration(), counter: String? = nil,
        under wrapper: [String] = []
    ) throws {
        (authority, vendors) = (configuration.authority, configuration.vendors)
        address = "127.0.0.1:\(try PostgresServer.freePort())"
        httpAddress = "127.0.0.1:\(try PostgresServer.freePort())"
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = try configuration.write(to: folder, listeningAt: address, httpAddress: httpAddress)
        command = wrapper + [executable, "--config", file, "--log-level", "warning"]
        if let counter {
            // A copy, since the loader takes colons and spaces in a path for the end of it.
            let library = folder.appending(path: "allocation-counter.so")
            try FileManager.default.copyItem(at: URL(fileURLWithPath: counter), to: library)
            environment = [
                "LD_PRELOAD": library.path, "ALLOCATION_COUNTS": folder.appending(path: Self.countsName).path,
            ]
        } else {
            environment = [:]
        }
        try start()
        _ = Self.atExit
        Self.running.withLock { $0.append(self) }
    }

    private func start() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try process.run()
    }

    /// Ends the daemon, and starts it again on the same ledger.
    ///
    /// - Returns: how long it took from its start to its first answer.
    func restart() throws -> Duration {
        process.terminate()
        process.waitUntilExit()
        let begin = ContinuousClock.now
        try start()
        try waitForAnswer()
        return begin.duration(to: .now)
    }

    /// Waits until a call is answered.
    func waitForAnswer(_ limit: Duration = .seconds(120)) throws {
        let ping = try PlainFrame.call(1, ChallengeLoad.request())
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < limit, process.isRunning {
            if let connection = try? PlainConnection(address), (try? connection.exchange(ping, frames: 1)) != nil { return }
            usleep(5_000)
        }
        throw process.isRunning ? Failure.noAnswer(limit) : .ended(process.terminationStatus)
    }

    enum Failure: Error, CustomStringConvertible {
        case noAnswer(Duration)
        /// With its exit status, or the signal that ended it.
        case ended(Int32)

        var description: String {
            switch self {
            case .noAnswer(let limit): "the daemon has not answered in \(limit)"
            case .ended(let status): "the daemon ended with status \(status) before it answered; what it said is above"
            }
        }
    }

    private static let countsName = "allocations"

    var processID: pid_t { process.processIdentifier }

    /// What the daemon has allocated so far; it must have been started with a counter.
    func allocations() throws -> AllocationCounts {
        try AllocationCounts(contentsOf: folder.appending(path: Self.countsName))
    }

    /// User and system time of the daemon so far.
    func cpuSeconds() throws -> Double { try ProcessorTime.seconds(of: process.processIdentifier) }

    /// Resident memory, in bytes.
    func residentBytes() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let kibibytes = line?.split(separator: " ").compactMap({ Double($0) }).first else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return kibibytes * 1024
    }

    func stop() {
        Self.running.withLock { running in running.removeAll { $0 === self } }
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
