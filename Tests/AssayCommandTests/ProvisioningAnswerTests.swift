import AssayAPI
import AssayCore
import AssayEncoding
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// What the commands about certificates ask, and what they do with answers.
    @Suite("Answers about device certificates")
    struct ProvisioningAnswerTests {
        private let folder: TemporaryFolder
        private static let service = "/assay.v1.Provisioning/"
        private static let secret = [UInt8](repeating: 0xA7, count: 32)
        private static let tableKey = [UInt8](repeating: 0xB3, count: 32)
        private static let challenge = [UInt8](repeating: 7, count: 54)

        init() throws { folder = try TemporaryFolder() }

        private func file(_ name: String) -> String { folder.file(name) }

        private func openssl(_ arguments: String...) async throws -> Child.Ending {
            let ending = try await Child("/usr/bin/openssl", arguments).ending()
            #expect(ending.status == 0, "\(ending)")
            return ending
        }

        private func bytes(_ name: String) -> [UInt8] { Array(FileManager.default.contents(atPath: file(name)) ?? Data()) }

        /// A key and a CSR for it, as PEM files and the CSR as DER.
        private func makeRequest() async throws {
            _ = try await openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file("key.pem"))
            _ = try await openssl("req", "-new", "-key", file("key.pem"), "-subj", "/CN=x", "-out", file("csr.pem"))
            _ = try await openssl("req", "-in", file("csr.pem"), "-outform", "DER", "-out", file("csr.der"))
        }

        private static let provisioned = Assay_V1_ProvisionDeviceResponse.with {
            $0.deviceCertificate = Data([0x30, 0x01, 0x01])
            $0.certificateChain = [Data([0x30, 0x01, 0x02]), Data([0x30, 0x01, 0x03])]
            $0.keyTables = (0..<3).map { _ in .with { $0.keys = [Data(tableKey)] } }
            $0.keyTableIndices = [5, 2499, 0]
            $0.deviceSecret = Data(secret)
            $0.deviceID = Data(repeating: 1, count: 16)
        }

        private static let issued = Assay_V1_IssueCertificateResponse.with {
            $0.verdict.decision = .accepted
            $0.certificate.certificate = Data([0x30, 0x01, 0x01])
            $0.certificate.serial = Data([0x4A, 0x0B])
            $0.chain = [Data([0x30, 0x01, 0x02])]
        }

        @Test(
            "What a provisioned device gets is in files, its secrets for their owner only, and none is printed",
            arguments: [[], ["--json"]])
        func device(_ form: [String]) async throws {
            try await makeRequest()
            let fake = try await FakeService(in: folder, [Self.service + "ProvisionDevice": Self.provisioned])
            let secret = try folder.write(Hex.encode(Self.secret) + "\n", to: "given")
            let words = [
                "provision", "device", "--app", "cameras", "--serial", "CAM-1", "--family", "One", "--secret-file", secret,
                "--csr", file("csr.pem"), "--token", "enr_x", "--idempotency-key", "CAM-1", "--out-dir", file("device"),
            ]
            let ending = try await Child.run("assay", words + form, environment: ["ASSAY_SERVER": fake.address])
            #expect(ending.status == 0 && ending.out.contains("device/certificate.pem"), "\(ending)")
            #expect(ending.out.contains("dev_01010101010101010101010101010101"))
            for hidden in [Self.secret, Self.tableKey] { #expect(!(ending.out + ending.err).contains(Hex.encode(hidden))) }

            let request = try fake.request(Self.service + "ProvisionDevice", as: Assay_V1_ProvisionDeviceRequest.self)
            #expect(request.deviceSerial == "CAM-1" && request.deviceFamily == "One" && request.enrolmentToken == "enr_x")
            #expect(Array(request.deviceSecret) == Self.secret && Array(request.csr) == bytes("csr.der"))
            #expect(request.idempotencyKey == Data("CAM-1".utf8))

            #expect(folder.text("device/secret.hex") == Hex.encode(Self.secret) + "\n")
            #expect(folder.text("device/certificate.pem") == PEM.encode([0x30, 0x01, 0x01]))
            #expect(folder.text("device/chain.pem") == PEM.encode([0x30, 0x01, 0x02]) + PEM.encode([0x30, 0x01, 0x03]))
            let tables = try JSONSerialization.jsonObject(with: Data(bytes("device/key-tables.json"))) as? [String: Any]
            #expect(tables?["key_table_indices"] as? [Int] == [5, 2499, 0])
            #expect((tables?["key_tables"] as? [[String]]) == [[String]](repeating: [Hex.encode(Self.tableKey)], count: 3))
            for name in ["secret.hex", "key-tables.json"] {
                let mode = try FileManager.default.attributesOfItem(atPath: file("device/" + name))[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: file("device")).count == 4, "no private key, no remains")
            await fake.stop()
        }

        @Test("A private key that Assay made is written for its owner only; without it the command says that it is lost")
        func generated() async throws {
            var answer = Self.provisioned
            answer.devicePrivateKey = Data([0x30, 0x01, 0x09])
            let words = ["provision", "device", "--app", "cameras", "--serial", "CAM-1", "--out-dir"]
            let fake = try await FakeService(in: folder, [Self.service + "ProvisionDevice": answer])
            let made = try await Child.run("assay", words + [file("a")], environment: ["ASSAY_SERVER": fake.address])
            #expect(made.status == 0 && made.err.isEmpty, "\(made)")
            #expect(folder.text("a/private-key.pem") == PEM.encode([0x30, 0x01, 0x09], label: "PRIVATE KEY"))
            let mode = try FileManager.default.attributesOfItem(atPath: file("a/private-key.pem"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
            await fake.stop()

            let other = try TemporaryFolder()
            let again = try await FakeService(in: other, [Self.service + "ProvisionDevice": Self.provisioned])
            let repeated = try await Child.run("assay", words + [file("b")], environment: ["ASSAY_SERVER": again.address])
            #expect(repeated.status == 0 && repeated.err.contains("is not sent again"), "\(repeated)")
            await again.stop()
        }

        @Test("A refused device leaves no file, and the command ends with 1 and the reason")
        func refused() async throws {
            let answer = Assay_V1_ProvisionDeviceResponse.with {
                $0.rejection.reason = "not_enrolled"
                $0.rejection.detail = "It is not on the list."
                $0.rejection.retry = .contactOperator
            }
            let fake = try await FakeService(in: folder, [Self.service + "ProvisionDevice": answer])
            let ending = try await Child.run(
                "assay", ["provision", "device", "--app", "cameras", "--serial", "CAM-1", "--out-dir", file("device")],
                environment: ["ASSAY_SERVER": fake.address])
            #expect(ending.status == 1, "\(ending)")
            #expect(ending.out == "REJECTED  not_enrolled (retry: contact_operator)\n  It is not on the list.\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: file("device")).isEmpty)
            await fake.stop()
        }

        @Test("A request for a certificate binds the CSR, but nothing beside a key attestation")
        func issue() async throws {
            try await makeRequest()
            let fake = try await FakeService(in: folder, [Self.service + "Issue": Self.issued])
            let evidence = try folder.write([0xA0], to: "evidence")
            let chain = try folder.write(PEM.encode([0x30, 0x01, 0x07]), to: "chain.pem")
            let words = [
                "provision", "issue", "--app", "photos", "--challenge", Base64.url.encode(Self.challenge), "--csr",
                file("csr.pem"),
                "--subject", "alice",
            ]
            func issue(_ more: [String]) async throws -> (Child.Ending, Assay_V1_IssueCertificateRequest) {
                let ending = try await Child.run("assay", words + more, environment: ["ASSAY_SERVER": fake.address])
                #expect(ending.status == 0, "\(ending)")
                return (ending, try fake.request(Self.service + "Issue", as: Assay_V1_IssueCertificateRequest.self))
            }
            let pem = PEM.encode([0x30, 0x01, 0x01]) + PEM.encode([0x30, 0x01, 0x02])
            let keyID = Base64.standard.encode([UInt8](repeating: 1, count: 32))
            let (printed, vouched) = try await issue(["--key-id", keyID, "--attestation", evidence])
            #expect(printed.out == pem && printed.err.contains("ACCEPTED") && printed.err.contains("4a0b"), "\(printed)")
            #expect(vouched.payloadSha256 == Data(ClientData.payloadHash(bytes("csr.der"))))
            #expect(Array(vouched.csr) == bytes("csr.der") && vouched.subject == Data("alice".utf8))
            #expect(Array(vouched.challenge) == Self.challenge && vouched.idempotencyKey.count == 16)

            let (written, attested) = try await issue(["--key-attestation", chain, "--out", file("out.pem")])
            #expect(written.out.contains("wrote   ") && folder.text("out.pem") == pem, "\(written)")
            #expect(attested.payloadSha256.isEmpty)
            let (_, own) = try await issue(["--key-attestation", chain, "--payload", evidence, "--json"])
            #expect(own.payloadSha256 == Data(ClientData.payloadHash([0xA0])))
            await fake.stop()
        }

        @Test("A renewal asks for a challenge, and signs it and the CSR with the current key")
        func renewal() async throws {
            try await makeRequest()
            let fake = try await FakeService(
                in: folder,
                [
                    Self.service + "Renew": Self.issued,
                    "/assay.v1.Attestation/IssueChallenge": Assay_V1_IssueChallengeResponse.with {
                        $0.challenge = Data(Self.challenge)
                    },
                ])
            for kind in ["prime256v1", "secp384r1"] {
                // With the curve's parameters before the key, as OpenSSL writes it by default.
                _ = try await openssl("ecparam", "-name", kind, "-genkey", "-out", file("current.pem"))
                let ending = try await Child.run(
                    "assay",
                    [
                        "provision", "renew", "--app", "photos", "--key", file("current.pem"), "--csr", file("csr.pem"),
                        "--out",
                        file("out.pem"), "--context", "session",
                    ], environment: ["ASSAY_SERVER": fake.address])
                #expect(ending.status == 0, "\(ending)")
                let asked = try fake.request(
                    "/assay.v1.Attestation/IssueChallenge", as: Assay_V1_IssueChallengeRequest.self)
                #expect(asked.purpose == .renew && asked.context == Data("session".utf8))
                let request = try fake.request(Self.service + "Renew", as: Assay_V1_RenewCertificateRequest.self)
                #expect(request.context == asked.context && Array(request.csr) == bytes("csr.der"))
                _ = try await openssl("pkey", "-in", file("current.pem"), "-pubout", "-outform", "DER", "-out", file("spki"))
                #expect(request.signature.keyID == Data(SHA256.hash(data: bytes("spki"))))
                let data = try #require(ClientData(purpose: .renew, challenge: Self.challenge, payload: bytes("csr.der")))
                try folder.write(data.bytes, to: "message")
                try folder.write(Array(request.signature.signature), to: "signature")
                _ = try await openssl("pkey", "-in", file("current.pem"), "-pubout", "-out", file("public.pem"))
                let hash = kind == "prime256v1" ? "-sha256" : "-sha384"
                #expect(request.signature.algorithm == (kind == "prime256v1" ? .ecdsaP256Sha256 : .ecdsaP384Sha384))
                let verified = try await openssl(
                    "dgst", hash, "-verify", file("public.pem"), "-signature", file("signature"), file("message"))
                #expect(verified.out == "Verified OK\n", "\(verified)")
            }
            await fake.stop()
        }

        @Test("A rejection of a request for a certificate ends with 1, and no file is written")
        func rejected() async throws {
            try await makeRequest()
            let answer = Assay_V1_IssueCertificateResponse.with {
                $0.verdict.decision = .rejected
                $0.verdict.reason = "csr_not_bound"
            }
            let fake = try await FakeService(in: folder, [Self.service + "Issue": answer])
            let chain = try folder.write(PEM.encode([0x30, 0x01, 0x07]), to: "chain.pem")
            let ending = try await Child.run(
                "assay",
                [
                    "provision", "issue", "--app", "photos", "--challenge", "AAAA", "--csr", file("csr.pem"),
                    "--key-attestation",
                    chain, "--out", file("out.pem"),
                ], environment: ["ASSAY_SERVER": fake.address])
            #expect(ending.status == 1 && ending.out.hasPrefix("REJECTED  csr_not_bound"), "\(ending)")
            #expect(!FileManager.default.fileExists(atPath: file("out.pem")))
            await fake.stop()
        }
    }
}
