import AssayClient
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon

/// The home of a daemon whose Google services are a test server: it issues bearer tokens, decodes the tokens that the test
/// registers, and serves the revocation list.
///
/// Its apps: `camera`, of iPhones; `play`, whose tokens Google decodes; `both`, which requires a key attestation and a token
/// under the app's own keys; `listed`, whose attestations are checked against the list.
struct GoogleHome: Sendable {
    let home: TestHome
    let google: TestHTTPSServer
    let decoder: DecodeService
    let console: PlayConsole
    let clock: any WallClock
    let play: AppID
    let both: AppID
    let listed: AppID

    init(_ clock: any WallClock = SystemClock()) async throws {
        self.clock = clock
        let authority = try TestTLSAuthority("vendor CA")
        let issued = try authority.issue(.server, names: [.dns("localhost")])
        let decoder = DecodeService()
        google = try await TestHTTPSServer(
            certificate: issued.certificate, privateKey: issued.privateKey, answer: { decoder.answer($0) })
        (self.decoder, console) = (decoder, PlayConsole())
        play = try #require(AppID("play"))
        both = try #require(AppID("both"))
        listed = try #require(AppID("listed"))
        let folder = try TemporaryFolder()
        try folder.write(authority.pem, to: "vendor-ca.pem")
        let secrets = [
            ("account.json", String(decoding: try CloudAccount().file, as: UTF8.self)),
            ("decryption.key", Base64.standard.encode(console.decryptionKey)),
            ("verification.key", Base64.standard.encode(console.verificationKey)),
        ]
        for (name, text) in secrets {
            try folder.write(text, to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
        }
        home = try TestHome(
            listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
            more: """
                vendors: {extra_roots: [vendor-ca.pem], connect_timeout: 60s, timeout: 60s}
                google: {oauth: "\(google.address)", play_integrity: "\(google.address)"}
                feeds: {google_attestation_status: {address: "\(google.address)", max_age: 1h}}
                """, android: AndroidAuthority(seed: "host tests"), in: folder)
        let signers = "signers: [\"\(Hex.encode(TestAndroid.signer))\"]"
        let package = "packages: [\(TestAndroid.package)], \(signers)"
        let android = "packages: [{name: \(TestAndroid.package), \(signers)}]"
        try folder.write(
            folder.text("assayd.yaml") + """

                  play: {play_integrity: {\(package), mode: google, google: {service_account: account.json}}}
                  both:
                    accept_simulated: true
                    android: {\(android), revocation: {source: none}, require_play_integrity: true}
                    play_integrity:
                      \(package.replacing(", signers", with: "\n      signers"))
                      keys: [{decryption_key_file: decryption.key, verification_key_file: verification.key}]
                  listed: {android: {\(android), revocation: {source: google}}, accept_simulated: true}
                """, to: "assayd.yaml")
    }

    /// Runs `body` with the daemon in this process, and a client of it.
    func run(_ body: (Daemon, AssayClient) async throws -> Void) async throws {
        let daemon = try await makeDaemon(
            try Configuration.load(home.configuration), ledger: MemoryLedger(),
            vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), clock: clock, logger: .silent)
        let client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        do { try await body(daemon, client) } catch {
            await client.close()
            await daemon.server.stop()
            try await google.stop()
            throw error
        }
        await client.close()
        await daemon.server.stop()
        daemon.vendors.close()
        try await google.stop()
    }

    func challenge(_ app: AppID, _ purpose: Purpose, _ client: AssayClient) async throws -> [UInt8] {
        try await client.issueChallenge(app: app, purpose: purpose, timeout: TestPhone.patience).bytes
    }

    /// A request of the app `play` with a standard token for this challenge, which the service can decode.
    func standard(_ challenge: [UInt8]) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .assert, challenge: challenge))
        let token = decoder.token(
            .playPayload(
                package: TestAndroid.package, signer: TestAndroid.signer, requestHash: data.hash, at: clock.now()))
        return VerificationRequest(
            app: play, purpose: .assert, challenge: challenge,
            evidence: [Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8))])
    }
}
