import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// A CA whose key is in a PKCS#11 token, from the command that makes it to certificates. Each process uses SoftHSM by itself.
    @Suite(
        "CAs with keys in a token", .enabled(if: SoftHSM.isInstalled, "SoftHSM (package softhsm2) is not installed"))
    struct TokenAuthorityTests {
        private let hsm: SoftHSM
        private var folder: TemporaryFolder { hsm.folder }

        init() async throws { hsm = try await SoftHSM() }

        private func ca(_ arguments: [String], _ options: [String]? = nil) async throws -> Child.Ending {
            try await Child.run("assay", ["ca"] + arguments + (options ?? hsm.options), environment: hsm.environment)
        }

        // MARK: Commands

        @Test("assay ca makes keys in a token, and takes over a CA whose key is in one")
        func commands() async throws {
            let made = folder.file("ca")
            let ending = try await ca(["init", made, "--algorithm", "p384"])
            #expect(ending.status == 0, "\(ending)")
            let section = """
                      certificate: "\(made)/issuing-1.pem"
                      pkcs11:
                        module: "\(hsm.module)"
                        token: "assay-ca"
                        key: "issuing-1"
                        pin_file: "\(hsm.pinFile)"

                """
            #expect(ending.out.hasSuffix(section), "\(ending)")
            #expect(
                ending.out.contains(
                    #"the key "issuing-1" of the token "assay-ca"  private key, made in the token and never outside"#))
            let names = try FileManager.default.contentsOfDirectory(atPath: made).sorted()
            #expect(names == ["issuing-1.pem", "root.key", "root.passphrase", "root.pem"])
            let verified = try await Child(
                "/usr/bin/openssl", ["verify", "-CAfile", made + "/root.pem", made + "/issuing-1.pem"]
            ).ending()
            #expect(verified.status == 0, "\(verified)")

            let second = try await ca(["next", made], hsm.options + ["--key-label", "the second"])
            #expect(second.status == 0 && second.out.contains("        key: \"the second\"\n"), "\(second)")
            let taken = try await ca(["next", made], hsm.options + ["--key-label", "the second"])
            #expect(taken.status == 65 && taken.err.contains("--key-label"), "\(taken)")
            #expect(!FileManager.default.fileExists(atPath: made + "/issuing-3.pem"))

            let chain = made + "/issuing-2.pem"
            let imported = try await ca(["import", folder.file("other"), "--chain", chain])
            #expect(imported.status == 0 && imported.out.contains("        key: \"the second\"\n"), "\(imported)")
            #expect(imported.out.contains("made in the token and never outside"), "\(imported)")
            let foreign = try await ca(
                ["import", folder.file("foreign"), "--chain", chain], hsm.options + ["--key-label", "issuing-1"])
            #expect(foreign.status == 65 && foreign.err.contains("is not the certificate's"), "\(foreign)")
            let absent = try await ca(["import", folder.file("other"), "--chain", made + "/root.pem"])
            #expect(absent.status == 65 && absent.err.contains("none of them is the certificate's"), "\(absent)")
            let again = try await ca(["import", folder.file("other"), "--chain", chain])
            #expect(again.status == 65 && again.err.contains("issuing-1.pem is this CA already"), "\(again)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("foreign")))
        }

        @Test("A key that was made outside the token is taken over, and its origin is told")
        func outside() async throws {
            let made = folder.file("ca")
            #expect(try await ca(["init", made], []).status == 0)
            let plain = folder.file("plain.pem")
            let opened = try await Child(
                "/usr/bin/openssl",
                ["pkcs8", "-in", made + "/issuing-1.key", "-passin", "file:\(made)/issuing-1.passphrase", "-out", plain]
            ).ending()
            #expect(opened.status == 0, "\(opened)")
            try await hsm.run(
                "--import", plain, "--token", SoftHSM.token, "--label", "outside", "--id", "0a", "--pin", SoftHSM.pin)
            let imported = try await ca(["import", folder.file("other"), "--chain", made + "/issuing-1.pem"])
            #expect(imported.status == 0 && imported.out.contains("        key: \"outside\"\n"), "\(imported)")
            #expect(imported.out.contains("private key, which may have been outside"), "\(imported)")
        }

        @Test("What keeps a token from being used is said, and nothing is written")
        func refusals() async throws {
            let made = folder.file("ca")
            let wrong = try folder.write("0000", to: "wrong")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
            let open = try folder.write(SoftHSM.pin, to: "open")
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
            for (options, words) in [
                (["--pkcs11-module", hsm.module, "--token", "none", "--pin-file", hsm.pinFile], "label \"none\""),
                (["--pkcs11-module", hsm.module, "--token", SoftHSM.token, "--pin-file", wrong], "CKR_PIN_INCORRECT"),
                (["--pkcs11-module", hsm.module, "--token", SoftHSM.token, "--pin-file", open], "its mode must be 0600"),
                (["--pkcs11-module", "/none.so", "--token", SoftHSM.token, "--pin-file", hsm.pinFile], "/none.so"),
            ] {
                let ending = try await ca(["init", made], options)
                #expect(ending.status == 65 && ending.err.contains(words), "\(words) \(ending)")
                #expect(!ending.err.contains(SoftHSM.pin))
            }
            #expect(!FileManager.default.fileExists(atPath: made))
            for options in [
                ["--pkcs11-module", hsm.module], ["--key-label", "x"], hsm.options + ["--passphrase-file", "x"],
                hsm.options + ["--key-label", ""],
            ] { #expect(try await ca(["init", made], options).status == 64, "\(options)") }
            for options in [hsm.options + ["--key", "k"], hsm.options + ["--plain-key"], []] {
                #expect(try await ca(["import", made, "--chain", "x"], options).status == 64, "\(options)")
            }
        }

        // MARK: The daemon

        /// A home whose issuing CA has its key in the token, as `assay ca init` prints the section.
        private func home() async throws -> TestHome {
            let made = try await ca(["init", folder.file("ca")])
            try #require(made.status == 0, "\(made)")
            let start = try #require(made.out.range(of: "provisioning:\n")?.lowerBound)
            let home = try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", more: String(made.out[start...]))
            let text = home.folder.text("assayd.yaml")
            try home.folder.write(
                text.replacing("camera: {app_attest", with: "camera: {provisioning: {}, certificate_bundle: {}, app_attest"),
                to: "assayd.yaml")
            return home
        }

        private func daemon(_ home: TestHome) async throws -> TestDaemon {
            try await TestDaemon(home, shell: "export SOFTHSM2_CONF=\(try #require(hsm.environment["SOFTHSM2_CONF"]))")
        }

        /// Asks for a certificate, by the attestation of a new phone.
        private func issue(_ home: TestHome, _ client: AssayClient) async throws(AssayError)
            -> Assay_V1_IssueCertificateResponse
        {
            let phone = home.phone()
            let request: IssuanceRequest
            do {
                let key = try TestKey(.p256)
                let csr = try CertificateRequestDraft(key).signed(by: key)
                let challenge = try await phone.challenge(.provision, client)
                let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
                let body = try phone.key.attest(clientDataHash: data.hash, at: SystemClock().now())
                request = IssuanceRequest(
                    app: home.app, challenge: challenge,
                    evidence: [Evidence(format: .appAttestAttestation, keyID: phone.key.keyID, body: body)], key: .csr(csr))
            } catch { throw error as? AssayError ?? AssayError(.internalError, "\(error)") }
            return try await client.issue(request, timeout: TestPhone.patience)
        }

        /// The log's lines about the token.
        private func lines(_ log: String) -> [Substring] {
            log.split(separator: "\n").filter { $0.contains("a token with keys") }
        }

        private func attention(_ daemon: TestDaemon) async throws -> Child.Ending {
            try await Child.run("assay", ["status", "--check"], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
        }

        private func expectUnavailable(
            _ home: TestHome, _ client: AssayClient, sourceLocation: SourceLocation = #_sourceLocation
        ) async {
            do throws(AssayError) {
                let response = try await issue(home, client)
                Issue.record("a certificate was issued: \(response)", sourceLocation: sourceLocation)
            } catch {
                #expect(
                    error.code == .unavailable && error.reason == "issuing_unavailable", "\(error)",
                    sourceLocation: sourceLocation)
            }
        }

        /// Asks until a certificate is issued: a token that is back is looked for in pauses of up to 10 s.
        private func issuePatiently(
            _ home: TestHome, _ client: AssayClient
        ) async throws -> Assay_V1_IssueCertificateResponse {
            var issued: Assay_V1_IssueCertificateResponse?
            try await eventually("the token is back", within: .seconds(150)) {
                do throws(AssayError) { issued = try await issue(home, client) } catch {
                    guard error.reason == "issuing_unavailable" else { throw error }
                }
                return issued != nil
            }
            return try #require(issued)
        }

        @Test("A token that goes away stops issuing and no verdicts, and issuing goes on when it is back")
        func outage() async throws {
            let home = try await home()
            let daemon = try await daemon(home)
            let client = try await daemon.connect()
            let issued = try await issue(home, client)
            #expect(issued.verdict.outcome == "accepted", "\(issued.verdict)")
            try home.folder.write(Array(issued.certificate.certificate), to: "device.der")
            let device = try await Child(
                "/usr/bin/openssl",
                ["x509", "-inform", "DER", "-in", home.folder.file("device.der"), "-out", home.folder.file("device.pem")]
            ).ending()
            #expect(device.status == 0, "\(device)")
            let verified = try await Child(
                "/usr/bin/openssl",
                [
                    "verify", "-CAfile", folder.file("ca/root.pem"), "-untrusted", folder.file("ca/issuing-1.pem"),
                    home.folder.file("device.pem"),
                ]
            ).ending()
            #expect(verified.status == 0 && verified.out.hasSuffix(": OK\n"), "\(verified)")
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")

            try hsm.takeAway()
            await expectUnavailable(home, client)
            #expect(try await phone.upload(client).outcome == "accepted")
            #expect(try await home.phone().register(client).outcome == "accepted")
            let status = try await attention(daemon)
            #expect(status.status == 1 && status.out.contains("issuing_unavailable: the CA issuing-1"), "\(status)")
            for _ in 0..<5 { await expectUnavailable(home, client) }

            try hsm.bringBack()
            #expect(try await issuePatiently(home, client).verdict.outcome == "accepted")
            let after = try await attention(daemon)
            #expect(!after.out.contains("issuing_unavailable"), "\(after)")
            await client.close()
            let ending = await daemon.stop()
            #expect(ending.status == 0, "\(ending)")
            let told = lines(ending.err)
            #expect(told.count { $0.contains("can be used") } == 2, "at the start and when it was back: \(told)")
            let problems = told.filter { $0.contains("cannot be used") }.map { $0.drop { $0 != " " } }
            #expect(!problems.isEmpty && Set(problems).count == problems.count, "\(told)")
            #expect(!ending.err.contains(SoftHSM.pin))
        }

        @Test("The daemon starts while the token is away, gives verdicts, and issues once the token is there")
        func late() async throws {
            let home = try await home()
            try hsm.takeAway()
            let daemon = try await daemon(home)
            let client = try await daemon.connect()
            #expect(try await home.phone().register(client).outcome == "accepted")
            await expectUnavailable(home, client)
            #expect(try await attention(daemon).out.contains("issuing_unavailable: the CA issuing-1"))
            try hsm.bringBack()
            #expect(try await issuePatiently(home, client).verdict.outcome == "accepted")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        // MARK: check-config

        @Test("check-config warns of a token that is away, and finds a key and a PIN that cannot be used")
        func findings() async throws {
            let home = try await home()
            func check(_ text: String? = nil) async throws -> [String] {
                let file = try home.folder.write(text ?? home.folder.text("assayd.yaml"), to: "checked.yaml")
                let ending = try await Child.run("assayd", ["check-config", file], environment: hsm.environment)
                #expect(ending.status == 0, "\(ending)")
                return ending.lines.filter {
                    $0.contains("provisioning") && ($0.contains("failure:") || $0.contains("warning:"))
                }
            }
            let good = home.folder.text("assayd.yaml")
            #expect(try await check().isEmpty)
            let absent = try await check(good.replacing("key: \"issuing-1\"", with: "key: \"none\""))
            #expect(absent.count == 1 && absent.first?.hasPrefix("  failure: line ") == true, "\(absent)")
            #expect(absent.first?.contains("provisioning.authorities[0].pkcs11: ") == true, "\(absent)")
            #expect(absent.first?.contains("private key with the label \"none\"") == true, "\(absent)")

            #expect(try await ca(["next", folder.file("ca")]).status == 0)
            let other = try await check(good.replacing("key: \"issuing-1\"", with: "key: \"issuing-2\""))
            #expect(
                other.count == 1 && other.first?.contains("does not belong to the expected public key") == true, "\(other)")
            let module = try await check(good.replacing(hsm.module, with: "/none.so"))
            #expect(module.count == 1 && module.first?.contains("failure:") == true, "\(module)")

            try folder.write("0000", to: "pin")
            let refused = try await check()
            #expect(refused.count == 1 && refused.first?.contains("CKR_PIN_INCORRECT") == true, "\(refused)")
            try folder.write(SoftHSM.pin, to: "pin")
            try hsm.takeAway()
            let away = try await check()
            #expect(away.count == 1 && away.first?.hasPrefix("  warning: line ") == true, "\(away)")
            #expect(away.first?.contains("no certificates are issued until the token is back") == true, "\(away)")
        }
    }
}
