import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import AssayVendors
import Crypto
import Foundation
import Logging
import Testing

/// The home of a daemon whose Apple services are a test server.
struct AppleHome: Sendable {
    static let teamID = "ABCDE12345"
    let home: TestHome
    let apple: TestHTTPSServer

    /// - Parameter app: the app's sections beside its identity: `receipt` in braces, and others.
    init(receipt: String = "{exchange: {}}", app: String = "") async throws {
        let authority = try TestTLSAuthority("vendor CA")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        apple = try await TestHTTPSServer(certificate: issued.certificate, privateKey: issued.privateKey)
        let folder = try TemporaryFolder()
        try folder.write(authority.pem, to: "vendor-ca.pem")
        try folder.write(P256.Signing.PrivateKey().pemRepresentation, to: "AuthKey.p8")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("AuthKey.p8"))
        let services = "{production: \"\(apple.address)\", development: \"\(apple.address)\"}"
        home = try TestHome(
            listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
            more: """
                vendors: {extra_roots: [vendor-ca.pem], connect_timeout: 60s, timeout: 60s}
                apple:
                  teams: [{team_id: \(Self.teamID), key_id: 2X9R4HXF34, private_key: AuthKey.p8}]
                  receipts: \(services)
                  device_check: \(services)
                """, in: folder)
        let text = home.folder.text("assayd.yaml").replacing(
            "camera: {app_attest: {", with: "camera: {\(app)app_attest: {receipt: \(receipt), ")
        try home.folder.write(text, to: "assayd.yaml")
    }

    /// Runs `body` with the daemon in this process, and a client.
    func run(clock: any WallClock = SystemClock(), _ body: (Daemon, AssayClient) async throws -> Void) async throws {
        let daemon = try await makeDaemon(
            try Configuration.load(home.configuration), ledger: MemoryLedger(),
            vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), clock: clock, logger: .silent)
        let client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        do { try await body(daemon, client) } catch {
            await client.close()
            await daemon.server.stop()
            throw error
        }
        await client.close()
        await daemon.server.stop()
        daemon.vendors.close()
        try await apple.stop()
    }
}
