import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayEvidenceCases
import Foundation

/// The temporary folder of `assayd test-server`: the configuration, the files that it names, and the ledger. Only its owner can look into it.
struct TestServerFolder: Sendable {
    let path: String
    let policy: CasePolicy

    /// Makes the folder, in `TMPDIR`; without that variable in memory where the system has such a folder, or else in `/tmp`.
    init(app: AppID) throws(StartupError) {
        let place = Self.place
        var template = Array((place + "assay-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw StartupError("no folder can be made in \(place): \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        policy = CasePolicy(app: app)
    }

    /// A ledger that nothing has to survive waits for no disk.
    private static var place: String {
        let memory = "/dev/shm/"
        guard ProcessInfo.processInfo.environment["TMPDIR"] == nil, access(memory, W_OK | X_OK) == 0 else {
            return NSTemporaryDirectory()
        }
        return memory
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Writes the files and reads the configuration.
    func configuration() throws -> Configuration {
        for file in try policy.files() {
            let isMade = FileManager.default.createFile(
                atPath: "\(path)/\(file.name)", contents: Data(file.text.utf8), attributes: [.posixPermissions: file.mode])
            guard isMade else { throw StartupError("\(path)/\(file.name) cannot be written") }
        }
        let file = path + "/assayd.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return try Configuration.load(file)
    }

    private var text: String {
        """
        # Of assayd test-server: for tests with virtual devices.
        listen:
          - tcp: \(DevPorts.host):0
          - tcp: \(DevPorts.host):0
            protocol: http
        store:
          path: ledger.db
          warn_free_bytes: 0
          warn_free_percent: 0
        callers:
          loopback_demo: true
        \(policy.sections)
        """
    }
}
