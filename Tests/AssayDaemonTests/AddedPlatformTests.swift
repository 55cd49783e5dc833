import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssaySchemes
import AssayService
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The platform of `docs/extend/add-a-platform.md`: one folder (`HMAC`), and the one line below.
    @Suite("A platform that is added")
    struct AddedPlatformTests {
        private static let schemes = builtInSchemes + [HMACScheme.self]
        private static let key = [UInt8](repeating: 7, count: 32)

        private let app: AppID
        private let folder: TemporaryFolder

        init() throws {
            app = try #require(AppID("bank"))
            folder = try TemporaryFolder()
        }

        private func configuration(_ section: String = "{key: \(Hex.encode(key))}") throws -> Configuration {
            try folder.write(
                """
                listen: [{tcp: "127.0.0.1:0"}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                apps: {bank: {example_hmac: \(section)}}
                """, to: "assayd.yaml")
            return try Configuration.load(folder.file("assayd.yaml"), schemes: Self.schemes)
        }

        private func request(
            _ client: AssayClient, body: (ClientData) -> [UInt8]
        ) async throws -> VerificationRequest {
            let challenge = try await client.issueChallenge(app: app, purpose: .assert, timeout: TestPhone.patience)
            let data = try #require(ClientData(purpose: .assert, challenge: challenge.bytes, payload: Array("42 EUR".utf8)))
            return VerificationRequest(
                app: app, purpose: .assert, challenge: challenge.bytes,
                evidence: [Evidence(format: HMACVerifier.format, keyID: [], body: body(data))],
                binding: .clientData(payloadHash: SHA256.bytes(of: Array("42 EUR".utf8))))
        }

        private static func tag(_ data: ClientData, key: [UInt8] = Self.key) -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: data.bytes, using: SymmetricKey(data: key)))
        }

        @Test("Evidence of an added platform gets its verdict through the daemon")
        func verdicts() async throws {
            let daemon = try await makeDaemon(
                try configuration(), ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)),
                logger: .silent)
            let client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
            let good = try await request(client) { Self.tag($0) }
            let accepted = try await client.patiently(good)
            #expect(accepted.outcome == "accepted" && accepted.assurance == .software)
            #expect(accepted.findings.map(\.check) == ["challenge", "binding", "size", "form", "signature"])
            #expect(accepted.claims.first { $0.name == "algorithm" }?.text == "hmac-sha256")
            #expect(try await client.patiently(good).outcome == "challenge_reused")
            let other = try await request(client) { Self.tag($0, key: [UInt8](repeating: 8, count: 32)) }
            #expect(try await client.patiently(other).outcome == "bad_signature")
            let large = try await request(client) { _ in [UInt8](repeating: 0, count: 65) }
            #expect(try await client.patiently(large).outcome == "evidence_too_large")
            await client.close()
            await daemon.server.stop()
        }

        @Test("The section of an added platform is read, checked, summarised and part of the policy digest")
        func section() throws {
            let read = try configuration()
            #expect(read.summary.contains("bank: HMAC over the client data"))
            let digest = try #require(read.live.apps.first).policyDigest(testRoots: [])
            let other = try configuration("{key: \(Hex.encode([UInt8](repeating: 8, count: 32)))}")
            #expect(try #require(other.live.apps.first).policyDigest(testRoots: []) != digest)
            for (section, problem) in [
                ("{}", "\"key\" is missing"), ("{key: abc}", "want a key"), ("{key: ab, x: 1}", "unknown key"),
            ] {
                let error = #expect(throws: ConfigurationError.self) { try configuration(section) }
                #expect(error?.description.contains(problem) == true, "\(section)")
            }
        }

        @Test(
            "A format that no scheme of the build names is refused, and a format with a message of its own does not come as a plugin's"
        )
        func formats() async throws {
            #expect(throws: ConfigurationError.self) {
                try Configuration.load(folder.file("assayd.yaml"))
            }
            let spoofed = Evidence(format: EvidenceFormat(rawValue: "device-check.token"), keyID: [], body: [1])
            #expect(spoofed.message?.kind.map { if case .pluginEvidence = $0 { true } else { false } } == false)
        }

        @Test("The page shows the files of the platform as they are")
        func page() throws {
            let page = try Package.text("docs/extend/add-a-platform.md")
            for file in ["HMACScheme", "HMACVerifier"] {
                let text = try Package.text("Tests/AssayDaemonTests/HMAC/\(file).swift")
                #expect(page.contains("```swift\n\(text)```"), "docs/extend/add-a-platform.md differs from \(file).swift")
            }
        }
    }
}
