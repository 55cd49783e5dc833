import AssayAPI
import AssayApps
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssaySchemes
import AssayService
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayClient
@testable import DaemonTesting

extension ProcessTests {
    /// A platform of Assay's own that needs Prepare, through the daemon and without a plugin.
    @Suite("A platform of two steps")
    struct TwoStepPlatformTests {
        private static let schemes = builtInSchemes + [TwoStepScheme.self]

        private let bank: AppID
        private let shop: AppID
        private let folder: TemporaryFolder
        private let configuration: Configuration
        private let ledger = MemoryLedger()
        private let clock = FixedClock(SystemClock().now())

        init() throws {
            (bank, shop) = (try #require(AppID("bank")), try #require(AppID("shop")))
            folder = try TemporaryFolder()
            try folder.write(
                """
                listen: [{tcp: "127.0.0.1:0"}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                apps: {bank: {example_two_steps: {}}, shop: {example_two_steps: {}}}
                """, to: "assayd.yaml")
            configuration = try Configuration.load(folder.file("assayd.yaml"), schemes: Self.schemes)
        }

        /// A daemon from its start to its end, and a client of it.
        private func running<T>(
            over ledger: MemoryLedger? = nil, _ body: (AssayClient) async throws -> T
        ) async throws -> T {
            try await serving(over: ledger) { client, _ in try await body(client) }
        }

        /// The same with the daemon's address.
        private func serving<T>(
            over ledger: MemoryLedger? = nil, _ body: (AssayClient, String) async throws -> T
        ) async throws -> T {
            let daemon = try await makeDaemon(
                configuration, ledger: ledger ?? self.ledger, vault: SecretVault(key: [UInt8](repeating: 1, count: 32)),
                clock: clock, logger: .silent)
            let address = try #require(try await daemon.start().first).description
            let client = try await AssayClient.connect(to: address, options: ClientOptions(retry: .once))
            let result: Result<T, any Error>
            do { result = .success(try await body(client, address)) } catch { result = .failure(error) }
            await client.close()
            await daemon.server.stop()
            return try result.get()
        }

        /// A device, and what it was given in the first step.
        private struct Device {
            let sealing = Curve25519.KeyAgreement.PrivateKey()
            var signing = P256.Signing.PrivateKey()
            var expiry = Timestamp.distantPast
            var secret: [UInt8] = []

            var keys: TwoStepKeys { TwoStepKeys(sealing.publicKey, signing.publicKey) }

            mutating func prepare(_ client: AssayClient, _ app: AppID) async throws {
                let request = Assay_V1_PrepareRequest.with {
                    ($0.app, $0.format, $0.body) = (app.text, TwoStepVerifier.format.rawValue, Data(keys.bytes))
                }
                let made = try await client.call(API.prepare, request, TestPhone.patience)
                var recipient = try HPKE.Recipient(
                    privateKey: sealing, ciphersuite: TwoStepPreparer.suite, info: signing.publicKey.rawRepresentation,
                    encapsulatedKey: Data(made.body.prefix(32)))
                secret = Array(try recipient.open(Data(made.body.dropFirst(32))))
                expiry = Timestamp(unixMilliseconds: made.expiresAtUnixMs)
            }

            func request(_ client: AssayClient, _ app: AppID) async throws -> VerificationRequest {
                let challenge = try await client.issueChallenge(app: app, purpose: .assert, timeout: TestPhone.patience)
                let data = try #require(ClientData(purpose: .assert, challenge: challenge.bytes))
                let time = withUnsafeBytes(of: expiry.unixMilliseconds.bigEndian) { Array($0) }
                let signature = try signing.signature(for: Data(data.bytes))
                let body = keys.bytes + time + secret + Array(signature.rawRepresentation)
                return VerificationRequest(
                    app: app, purpose: .assert, challenge: challenge.bytes,
                    evidence: [Evidence(format: TwoStepVerifier.format, keyID: [], body: body)],
                    binding: .clientData(payloadHash: nil))
            }

            func outcome(_ client: AssayClient, _ app: AppID) async throws -> String {
                try await client.patiently(try await request(client, app)).outcome
            }
        }

        @Test("Prepare gives a device a secret, and evidence that returns it is accepted until it ends")
        func accepted() async throws {
            try await running { client in
                var device = Device()
                try await device.prepare(client, bank)
                #expect(device.secret.count == PreparationSecrets.length)
                #expect(device.expiry == clock.now().adding(milliseconds: TwoStepPreparer.lifetime))
                let verdict = try await client.patiently(try await device.request(client, bank))
                #expect(verdict.outcome == "accepted" && verdict.assurance == .software)
                #expect(
                    verdict.findings.map(\.check) == [
                        "challenge", "binding", "size", "form", "preparation", "preparation_end", "signature",
                    ])
                // A secret is good more than once; the challenge is what is spent.
                #expect(try await device.outcome(client, bank) == "accepted")
                clock.advance(milliseconds: TwoStepPreparer.lifetime - 1)
                #expect(try await device.outcome(client, bank) == "accepted")
                clock.advance(milliseconds: 1)
                #expect(try await device.outcome(client, bank) == "expired")
            }
        }

        @Test("A wrong secret is refused, and so is that of another app, of another key, or with a later end")
        func refused() async throws {
            try await running { client in
                var device = Device()
                try await device.prepare(client, bank)
                var wrong = device
                wrong.secret[0] ^= 1
                #expect(try await wrong.outcome(client, bank) == "possession_not_proven")
                #expect(try await device.outcome(client, shop) == "possession_not_proven")
                var other = device
                other.signing = P256.Signing.PrivateKey()
                #expect(try await other.outcome(client, bank) == "possession_not_proven")
                var later = device
                later.expiry = device.expiry.adding(milliseconds: 1)
                #expect(try await later.outcome(client, bank) == "possession_not_proven")
                #expect(try await device.outcome(client, bank) == "accepted")
            }
        }

        @Test("A secret that was made before a restart is good after it, and with no other ledger")
        func restart() async throws {
            let device = try await running { client in
                var device = Device()
                try await device.prepare(client, bank)
                return device
            }
            let after = try await running { try await device.outcome($0, bank) }
            #expect(after == "accepted")
            let elsewhere = try await running(over: MemoryLedger()) { try await device.outcome($0, bank) }
            #expect(elsewhere == "possession_not_proven")
        }

        @Test("A request that the platform's preparer refuses is FAILED_PRECONDITION with its code")
        func refusedRequest() async throws {
            try await running { client in
                let error = await #expect(throws: AssayError.self) {
                    _ = try await client.call(
                        API.prepare,
                        .with {
                            ($0.app, $0.format, $0.body) = (bank.text, TwoStepVerifier.format.rawValue, Data([1, 2, 3]))
                        }, TestPhone.patience)
                }
                #expect(error?.code == .failedPrecondition && error?.reason == "malformed")
            }
        }

        @Test("The command prints what is prepared byte for byte or as JSON, and says by its exit status who refuses")
        func command() async throws {
            try await serving { _, address in
                let keys = Device().keys.bytes
                let input = folder.file("keys")
                try Data(keys).write(to: URL(filePath: input))
                let format = TwoStepVerifier.format.rawValue
                func assay(_ words: [String], _ app: String = "bank") async throws -> Child.Ending {
                    try await Child.run("assay", ["prepare"] + words + ["--app", app, "--server", address])
                }
                // The secret of a key is another one each time, and as long.
                let length = 32 + PreparationSecrets.length + 16
                let output = folder.file("prepared")
                let written = try await assay([format, "--body", input, "--out", output])
                #expect(written.status == 0 && written.out.isEmpty && written.err.isEmpty, "\(written)")
                #expect(try Data(contentsOf: URL(filePath: output)).count == length)

                let shown = try await assay([format, "--body", input, "--json"])
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(shown.out.utf8)) as? [String: String], "\(shown)")
                #expect(object["app"] == "bank" && object["format"] == format)
                #expect(Data(base64Encoded: object["body"] ?? "")?.count == length)
                #expect(object["expires_at"] == clock.now().adding(milliseconds: TwoStepPreparer.lifetime).description)

                for (words, app, status, reason) in [
                    ([format], "bank", 1, "malformed"), (["other.format"], "bank", 78, "format_not_accepted"),
                    ([format, "--body", folder.file("nothing")], "bank", 65, "unreadable_input"),
                    ([format, "--body", input], "nowhere", 65, "unknown_app"),
                ] as [([String], String, Int32, String)] {
                    let ending = try await assay(words + ["--json"], app)
                    #expect(ending.status == status && ending.out.isEmpty, "\(words) \(ending)")
                    #expect(try ending.failure()["reason"] as? String == reason, "\(ending)")
                }
                let refused = try await assay([format])
                #expect(refused.status == 1 && refused.err.contains("want two public keys, have 0 bytes"), "\(refused)")
                try Data(count: 524_289).write(to: URL(filePath: input))
                #expect(try await assay([format, "--body", input]).status == 65)
                try Data(count: 524_288).write(to: URL(filePath: input))
                #expect(try await assay([format, "--body", input]).status == 1)
            }
        }

        @Test("assay verify sends such evidence without a challenge too, and prints which evidence needs one")
        func unchallenged() async throws {
            try await serving { _, address in
                let evidence = try folder.write("evidence", to: "evidence")
                let format = TwoStepVerifier.format.rawValue
                let words = ["verify", "--app", "bank", "--plugin-evidence", "\(format)=\(evidence)", "--server", address]
                let without = try await Child.run("assay", words)
                #expect(
                    without.status == 1 && without.out.hasPrefix("REJECTED  binding_not_allowed (check binding, "), "\(without)"
                )
                #expect(without.lines.dropFirst().first == "  \(format) needs a challenge", "\(without)")
                let challenge = try await Child.run(
                    "assay", ["challenge", "--app", "bank", "--purpose", "assert", "--server", address])
                let with = try await Child.run("assay", words + ["--challenge", try #require(challenge.lines.first)])
                #expect(with.status == 1 && with.out.hasPrefix("REJECTED  malformed (check "), "\(with)")
            }
        }

        @Test("An app has the preparers of its own sections: one beside it, with a platform of one step, has none")
        func withoutPreparer() throws {
            let file = try folder.write(
                folder.text("assayd.yaml").replacing(
                    "bank: {example_two_steps: {}}", with: "bank: {example_hmac: {key: \(String(repeating: "07", count: 32))}}"),
                to: "other.yaml")
            let live = try Configuration.load(file, schemes: Self.schemes + [HMACScheme.self]).live
            let secrets = PreparationSecrets(root: [UInt8](repeating: 1, count: 32))
            let dependencies = SchemeDependencies(testRoots: [], preparations: secrets)
            let profiles = live.apps.map { AppProfile($0, of: live.schemes, in: dependencies, logger: .silent) }
            let prepared = Dictionary(profiles.map { ($0.id, Set($0.preparers.keys)) }, uniquingKeysWith: { first, _ in first })
            #expect(prepared == [bank: [], shop: [TwoStepVerifier.format]])
        }

        @Test("Without the daemon's secrets, as in a trial of a policy, the evidence stays unjudged")
        func trial() async throws {
            let request = try await running { client in
                var device = Device()
                try await device.prepare(client, bank)
                return try await device.request(client, bank)
            }
            let app = try #require(configuration.live.apps.first { $0.id == bank })
            let profile = AppProfile(
                app, of: Self.schemes, in: SchemeDependencies(testRoots: []), logger: .silent)
            #expect(profile.preparers.isEmpty)
            let trial = try await EvidenceTrial(ledger: MemoryLedger(), clock: clock, logger: .silent)
            let outcome = await trial.judge(request, under: profile, at: clock.now())
            #expect(outcome == .unjudged(check: "preparation", "the secrets are the daemon's"))
        }
    }
}
