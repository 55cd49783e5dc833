import AssaySimulator
import AssayTesting
import Foundation
import Synchronization

/// A daemon for one benchmark, with a temporary folder, on a port that was free. It ends with this process.
final class DaemonProcess: @unchecked Sendable {  // one task starts and stops the process
    let authority: TestAuthority
    let address: String
    /// Where it listens over HTTP, if its configuration says so.
    let httpAddress: String
    private let process = Process()
    private let folder: URL

    /// Those that run.
    private static let running = Mutex<[DaemonProcess]>([])
    private static let atExit: Void = {
        _ = atexit { for daemon in DaemonProcess.running.withLock({ $0 }) { daemon.stop() } }
    }()

    /// - Parameter counter: the library of `allocation-counter.c`, if the daemon's allocations are to be counted.
    init(executable: String, _ configuration: DaemonConfiguration = DaemonConfiguration(), counter: String? = nil) throws {
        authority = configuration.authority
        address = "127.0.0.1:\(try PostgresServer.freePort())"
        httpAddress = "127.0.0.1:\(try PostgresServer.freePort())"
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = try configuration.write(to: folder, listeningAt: address, httpAddress: httpAddress)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--config", file, "--log-level", "warning"]
        if let counter {
            // A copy, since the loader takes colons and spaces in a path for the end of it.
            let library = folder.appending(path: "allocation-counter.so")
            try FileManager.default.copyItem(at: URL(fileURLWithPath: counter), to: library)
            let own = ["LD_PRELOAD": library.path, "ALLOCATION_COUNTS": countsFile.path]
            process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        }
        try process.run()
        _ = Self.atExit
        Self.running.withLock { $0.append(self) }
    }

    private var countsFile: URL { folder.appending(path: "allocations") }

    /// What the daemon has allocated so far; it must have been started with a counter.
    func allocations() throws -> AllocationCounts { try AllocationCounts(contentsOf: countsFile) }

    /// User and system time of the daemon so far.
    func cpuSeconds() throws -> Double { try ProcessorTime.seconds(of: process.processIdentifier) }

    func stop() {
        Self.running.withLock { running in running.removeAll { $0 === self } }
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
