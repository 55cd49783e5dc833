import AssayTesting
import Foundation
import Synchronization

/// A daemon with a folder of its own, which listens over both protocols. It ends with this process.
final class ComparedDaemon: @unchecked Sendable {  // one task starts and stops the process
    let framedPort: Int
    let httpPort: Int
    private let process = Process()

    /// Those that run.
    private static let running = Mutex<[ComparedDaemon]>([])
    private static let atExit: Void = {
        _ = atexit { for daemon in ComparedDaemon.running.withLock({ $0 }) { daemon.stop() } }
    }()

    /// Starts it and waits until it listens.
    ///
    /// - Parameter folder: has `assayd.yaml`, in which `FRAMED` and `HTTP` stand for the ports.
    init(executable: String, folder: URL) async throws {
        (framedPort, httpPort) = (Int(try PostgresServer.freePort()), Int(try PostgresServer.freePort()))
        let text = try String(contentsOf: folder.appending(path: "assayd.yaml.in"), encoding: .utf8)
            .replacing("FRAMED", with: "\(framedPort)").replacing("HTTP", with: "\(httpPort)")
        let file = folder.appending(path: "assayd.yaml")
        try Data(text.utf8).write(to: file)
        let log = folder.appending(path: "assayd.log")
        try Data().write(to: log)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--config", file.path, "--log-level", "notice"]
        let output = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        _ = Self.atExit
        Self.running.withLock { $0.append(self) }
        for port in [framedPort, httpPort] {
            while true {
                if let socket = try? Loopback.connect(port) {
                    close(socket)
                    break
                }
                guard process.isRunning else {
                    throw ProtocolFault("assayd ended:\n" + ((try? String(contentsOf: log, encoding: .utf8)) ?? ""))
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    func stop() {
        let isRunning = Self.running.withLock { running in
            defer { running.removeAll { $0 === self } }
            return running.contains { $0 === self }
        }
        guard isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }
}
