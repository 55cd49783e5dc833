import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assay simulate android play-token")
    struct PlayTokenCommandTests {
        private let scene: TestHome
        private let folder: String

        /// A virtual device, and a daemon that trusts it and reads its console's keys.
        init() async throws {
            let files = try TemporaryFolder()
            scene = try TestHome(listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", in: files)
            folder = files.file("android")
            let signer = Hex.encode(TestAndroid.signer)
            let made = try await Child.run(
                "assay", ["simulate", "android", "make", folder, "--package", TestAndroid.package, "--signer", "hex:" + signer])
            try #require(made.status == 0 && made.out.contains("play-decryption.key"), "\(made)")
            try files.write(
                """
                listen: [{tcp: 127.0.0.1:0}]
                store: {path: ledger.sqlite}
                callers: {loopback_demo: true}
                trust: {test_roots: [android/root.pem]}
                apps:
                  camera:
                    accept_simulated: true
                    android:
                      packages: [{name: \(TestAndroid.package), signers: ["\(signer)"]}]
                      revocation: {source: none}
                      require_play_integrity: true
                    play_integrity:
                      packages: [\(TestAndroid.package)]
                      signers: ["\(signer)"]
                      keys:
                        - decryption_key_file: android/play-decryption.key
                          verification_key_file: android/play-verification.key
                """, to: "assayd.yaml")
        }

        @Test("Tokens for an assertion and beside an attestation are made with keys that the daemon reads from the folder")
        func life() async throws {
            let daemon = try await TestDaemon(scene)
            let environment = ["ASSAY_SERVER": try daemon.address("tcp")]
            func assay(_ arguments: [String]) async throws -> Child.Ending {
                try await Child.run("assay", arguments, environment: environment)
            }
            func challenge(_ purpose: String) async throws -> String {
                let said = try await assay(["challenge", "--app", "camera", "--purpose", purpose])
                return String(said.out.split(separator: "\n").first ?? "")
            }
            let (token, chain) = (scene.folder.file("token"), scene.folder.file("chain.pem"))
            func make(_ challenge: String, _ more: String...) async throws {
                let made = try await assay(
                    ["simulate", "android", "play-token", folder, "--challenge", challenge, "--out", token] + more)
                #expect(made.status == 0 && made.out.hasPrefix("wrote "), "\(made)")
            }
            func verify(_ challenge: String, _ more: String...) async throws -> Child.Ending {
                try await assay(["verify", "--app", "camera", "--challenge", challenge, "--play-token", token] + more)
            }

            for kind in ["classic", "standard"] {
                let asked = try await challenge("assert")
                try await make(asked, "--kind", kind)
                let verdict = try await verify(asked)
                #expect(verdict.status == 0 && verdict.out.contains("assurance platform"), "\(verdict)")
            }
            let payload = try scene.folder.write("photo", to: "photo")
            let bound = try await challenge("assert")
            try await make(bound, "--payload", payload)
            #expect(try await verify(bound).out.contains("nonce_mismatch"))
            #expect(try await verify(bound, "--payload", payload).status == 0)

            let changes: [(code: String, arguments: [String])] = [
                ("package_mismatch", ["--package", "com.example.other"]), ("app_verdict", ["--app-verdict", "UNEVALUATED"]),
                ("device_verdict", ["--device-verdict", "none"]),
                (
                    "device_verdict",
                    ["--device-verdict", "MEETS_BASIC_INTEGRITY", "--device-verdict", "MEETS_VIRTUAL_INTEGRITY"]
                ),
                ("testing_response", ["--testing"]),
            ]
            for (code, arguments) in changes {
                let asked = try await challenge("assert")
                let made = try await assay(
                    ["simulate", "android", "play-token", folder, "--challenge", asked, "--out", token] + arguments)
                #expect(made.status == 0, "\(made)")
                let verdict = try await verify(asked)
                #expect(verdict.status == 1 && verdict.out.contains(code), "\(verdict)")
            }

            let enrolment = try await challenge("register")
            let attested = try await assay(
                ["simulate", "android", "attest", folder, "--challenge", enrolment, "--out", chain])
            #expect(attested.status == 0, "\(attested)")
            try await make(enrolment)
            #expect(try await verify(enrolment, "--key-attestation", chain).out.contains("nonce_mismatch"))
            try await make(enrolment, "--beside-attestation")
            let registered = try await verify(enrolment, "--key-attestation", chain)
            #expect(registered.status == 0 && registered.out.contains("assurance hardware"), "\(registered)")
            await daemon.stop()
        }

        @Test("A payload beside an attestation, and a missing device, are wrong usage")
        func usage() async throws {
            let words = ["simulate", "android", "play-token"]
            let payload = try await Child.run(
                "assay", words + [folder, "--challenge", "AA", "--beside-attestation", "--payload", "x"])
            #expect(payload.status == 64, "\(payload)")
            let nowhere = try await Child.run("assay", words + [scene.folder.file("no"), "--challenge", "AA"])
            #expect(nowhere.status == 65 && nowhere.err.contains("assay simulate android make"), "\(nowhere)")
            let kind = try await Child.run("assay", words + [folder, "--challenge", "AA", "--kind", "modern"])
            #expect(kind.status == 64, "\(kind)")
        }

        @Test("Another key in the folder keeps the console's keys")
        func keeping() async throws {
            let before = scene.folder.text("android/play-decryption.key")
            let again = try await Child.run(
                "assay",
                [
                    "simulate", "android", "make", folder, "--package", TestAndroid.package, "--signer",
                    "hex:" + Hex.encode(TestAndroid.signer),
                ])
            #expect(again.status == 0 && !before.isEmpty && scene.folder.text("android/play-decryption.key") == before)
            let console = try PlayConsole(saved: scene.folder.text("android/console"))
            #expect(before == Base64.standard.encode(console.decryptionKey) + "\n")
            #expect(throws: SimulatorError.self) { try PlayConsole(saved: "hush") }
            #expect(throws: SimulatorError.self) {
                try PlayConsole(saved: "assay play console 1\ndecryption-key: 00\nsigning-key: 00\n")
            }
        }
    }
}
