import AssayCore
import AssayProvisioning
import AssaySimulator
import Foundation

/// The folder of the daemons under test: a configuration of each, the ledger or its key, the roots of the devices' authorities, and a CA.
/// Its path is short: a Unix socket's has at most 107 bytes.
struct Home: Sendable {
    static let appID = "ABCDE12345.com.example.camera"
    static let package = "com.example.camera"
    static let packageSigner = [UInt8](repeating: 0x19, count: 32)

    let folder: String
    /// Each has `NAME.yaml` and listens at `NAME.sock`.
    let daemons: [String]
    /// Its phones register and upload.
    let app: AppID
    /// Its phones and Android devices get certificates.
    let photos: AppID
    /// Its cameras are a fleet.
    let fleet: AppID
    /// Whether the daemons take uploads in chunks. Those of earlier versions know no such section.
    let takesUploads: Bool
    let authority = TestAuthority()
    let android = AndroidAuthority()

    /// - Parameters:
    ///   - daemons: their names.
    ///   - takesUploads: false where one of them may be of an earlier version.
    ///   - store: the configuration's section for the ledger of one of them.
    init(
        daemons: [String] = ["assayd"], takesUploads: Bool = true, store: (String) -> String = { _ in "{path: ledger.db}" }
    ) async throws {
        (self.daemons, self.takesUploads) = (daemons, takesUploads)
        guard let app = AppID("camera"), let photos = AppID("photos"), let fleet = AppID("fleet") else {
            throw Trouble("the apps have no names")
        }
        (self.app, self.photos, self.fleet) = (app, photos, fleet)
        folder = NSTemporaryDirectory() + "assay-crash-" + String(UInt32.random(in: 0...(.max)), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try write(authority.rootPEM, to: "root.pem")
        try write(try android.pem(.p384), to: "android.pem")
        try await makeAuthority()
        for daemon in daemons { try configure(daemon, store: store(daemon)) }
    }

    private func configure(_ daemon: String, store: String) throws {
        let roles = "[verify, devices, observe, provision, fleet, enrol]"
        let identities = "app_attest: {identities: [{app_id: \(Self.appID)}]}"
        let packages = "packages: [{name: \(Self.package), signers: [\(Hex.encode(Self.packageSigner))]}]"
        let uploads = takesUploads ? "uploads: {lifetime: 1d, max_open_uploads: 10000}, " : ""
        // A warning says how many submissions of a device were counted.
        // Challenges have the longest lifetime, so that early spent ones are still worth trying at the end.
        try write(
            """
            listen: [{unix: \(daemon).sock}]
            store: \(store)
            callers: {known: [{name: crash-test, unix_user: \(getuid()), roles: \(roles), apps: all}]}
            trust: {test_roots: [root.pem, android.pem]}
            log: {level: notice}
            provisioning:
              authorities: [{name: issuing-1, certificate: ca/issuing-1.pem, key: ca/issuing-1.key, passphrase_file: ca/issuing-1.passphrase}]
            apps:
              camera: {\(uploads)accept_simulated: true, challenge: {ttl: 1h}, \(identities)}
              photos:
                accept_simulated: true
                challenge: {ttl: 1h}
                provisioning: {}
                certificate_bundle: {submissions: {warn: 1}}
                \(identities)
                android: {\(packages), revocation: {source: none}}
              fleet:
                challenge: {ttl: 1h}
                provisioning: {fleet: {manufacturer: Crash Test}}
                certificate_bundle: {submissions: {warn: 1}}

            """, to: daemon + ".yaml")
    }

    func file(_ name: String) -> String { folder + "/" + name }
    func configuration(of daemon: Int = 0) -> String { file(daemons[daemon] + ".yaml") }
    func address(of daemon: Int = 0) -> String { "unix:" + file(daemons[daemon] + ".sock") }
    /// Of a daemon that keeps it in a file.
    var ledger: String { file("ledger.db") }

    func phone() -> Phone {
        var phone = VirtualPhone(authority: authority, appID: Self.appID)
        return Phone(key: phone.makeKey(), app: app)
    }

    /// A root and an issuing CA, valid since before every clock of the test.
    private func makeAuthority() async throws {
        let folder = AuthorityFolder(file("ca"))
        _ = try await folder.initialize(
            AuthorityPlan(), root: folder.files(of: "root"), issuing: folder.files(of: "issuing-1"),
            at: SystemClock().now().adding(milliseconds: -7 * 86_400_000), iterations: 1000)
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    }
}

/// Why the test cannot continue: a failure of the test, not of a promise.
struct Trouble: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
