import AssayCore
import AssaySimulator
import Crypto
import Foundation

/// A daemon for one benchmark: a new ledger in a temporary folder, on a port that the system chooses.
final class DaemonProcess: @unchecked Sendable {  // one task starts and stops the process
    static let appID = "ABCDE12345.com.example.camera"
    /// The app of registered phones.
    static var phoneApp: AppID { get throws { try app("camera") } }
    /// The app of a fleet, only if the daemon certifies.
    static var fleetApp: AppID { get throws { try app("fleet") } }

    private static func app(_ name: String) throws -> AppID {
        guard let app = AppID(name) else { throw CocoaError(.formatting) }
        return app
    }

    let authority = TestAuthority()
    let address: String
    private let process = Process()
    private let folder: URL

    /// - Parameters:
    ///   - certifies: whether it issues device certificates, by a P-256 CA whose key is in a file.
    ///   - counter: the library of `allocation-counter.c`, if the daemon's allocations are to be counted.
    init(executable: String, certifies: Bool = false, counter: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(authority.rootPEM.utf8).write(to: folder.appending(path: "root.pem"))
        let port = Int.random(in: 20_000..<30_000)
        var configuration = """
            listen:
              - tcp: 127.0.0.1:\(port)
            store:
              path: ledger.sqlite
            callers:
              loopback_demo: true
            trust:
              test_roots: [root.pem]
            apps:
              camera:
                accept_simulated: true
                challenge:
                  ttl: 1h
                app_attest:
                  identities:
                    - app_id: \(Self.appID)
            """
        if certifies {
            try Self.writeAuthority(to: folder)
            configuration += Self.certifyingConfiguration
        }
        try Data(configuration.utf8).write(to: folder.appending(path: "assayd.yaml"))
        address = "127.0.0.1:\(port)"
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["--config", folder.appending(path: "assayd.yaml").path, "--log-level", "warning"]
        if let counter {
            // A copy, since the loader takes colons and spaces in a path for the end of it.
            let library = folder.appending(path: "allocation-counter.so")
            try FileManager.default.copyItem(at: URL(fileURLWithPath: counter), to: library)
            let own = ["LD_PRELOAD": library.path, "ALLOCATION_COUNTS": countsFile.path]
            process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }
        }
        try process.run()
    }

    /// Continues the configuration of the first app.
    private static let certifyingConfiguration = """

            provisioning: {}
          fleet:
            provisioning:
              fleet:
                manufacturer: Example Cameras
            certificate_bundle:
              submissions:
                warn: 999999999
                block: 1000000000
        provisioning:
          authorities:
            - name: issuing-1
              certificate: issuing.pem
              key: issuing.key
        """

    private static func writeAuthority(to folder: URL) throws {
        let authority = try CameraAuthority(seed: "benchmark", from: SystemClock().now())
        let chain = authority.issuingPEM + authority.rootPEM
        try Data(chain.utf8).write(to: folder.appending(path: "issuing.pem"))
        let key = try P256.Signing.PrivateKey(rawRepresentation: authority.issuingKey.privateBytes)
        let file = folder.appending(path: "issuing.key").path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(key.pemRepresentation.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
    }

    private var countsFile: URL { folder.appending(path: "allocations") }

    /// What the daemon has allocated so far; it must have been started with a counter.
    func allocations() throws -> AllocationCounts { try AllocationCounts(contentsOf: countsFile) }

    /// User and system time of the daemon so far (clock_getcpuclockid(3)).
    func cpuSeconds() throws -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process.processIdentifier, &clock) == 0, clock_gettime(clock, &time) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
