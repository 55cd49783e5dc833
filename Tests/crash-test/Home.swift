import AssayCore
import AssaySimulator
import Foundation

/// The folder of the daemon under test: configuration, ledger, and the root of the phones' authority. Its path is short: a Unix
/// socket's has at most 107 bytes.
struct Home: Sendable {
    static let appID = "ABCDE12345.com.example.camera"

    let folder: String
    let app: AppID
    let authority = TestAuthority()

    init() throws {
        guard let app = AppID("camera") else { throw Trouble("camera is no name of an app") }
        self.app = app
        folder = NSTemporaryDirectory() + "assay-crash-" + String(UInt32.random(in: 0...(.max)), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try write(authority.rootPEM, to: "root.pem")
        // Challenges have the longest lifetime, so that early spent ones are still worth trying at the end.
        try write(
            """
            listen: [{unix: assayd.sock}]
            store: {path: ledger.db}
            callers: {known: [{name: crash-test, unix_user: \(getuid()), roles: [verify, devices, observe], apps: all}]}
            trust: {test_roots: [root.pem]}
            log: {level: notice}
            apps: {camera: {accept_simulated: true, challenge: {ttl: 1h}, app_attest: {identities: [{app_id: \(Self.appID)}]}}}

            """, to: "assayd.yaml")
    }

    func file(_ name: String) -> String { folder + "/" + name }
    var configuration: String { file("assayd.yaml") }
    var ledger: String { file("ledger.db") }
    var address: String { "unix:" + file("assayd.sock") }

    func phone() -> Phone {
        var phone = VirtualPhone(authority: authority, appID: Self.appID)
        return Phone(key: phone.makeKey(), app: app)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    }
}

/// Why the test cannot continue: a failure of the test, not of a promise.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
