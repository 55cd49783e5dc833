import AssayCore
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// The commands about certificates, as far as they need no daemon.
    @Suite("Commands for device certificates")
    struct ProvisioningCommandTests {
        private let folder: TemporaryFolder
        private let challenge = Base64.url.encode([UInt8](repeating: 7, count: 54))

        init() throws { folder = try TemporaryFolder() }

        private func assay(_ arguments: String...) async throws -> Child.Ending {
            try await Child.run("assay", arguments, environment: ["ASSAY_SERVER": "127.0.0.1:1"])
        }

        private func openssl(_ arguments: String...) async throws -> Child.Ending {
            try await Child("/usr/bin/openssl", arguments).ending()
        }

        private func bytes(of name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))
        }

        private func mode(of name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
        }

        private func makeCamera() async throws -> String {
            let camera = folder.file("camera")
            let made = try await assay("simulate", "camera", "make", camera, "--serial", "CAM-1")
            #expect(made.status == 0 && made.out.hasPrefix("serial  CAM-1\nkey id  "), "\(made)")
            return camera
        }

        // MARK: Virtual devices

        @Test("A virtual camera's CSR proves possession of its key, which only its owner may read")
        func request() async throws {
            let camera = try await makeCamera()
            #expect(try mode(of: "camera/key.pem") == 0o600)
            let file = folder.file("request.pem")
            #expect(try await assay("simulate", "camera", "csr", camera, "--out", file).out == "wrote   \(file)\n")
            let verified = try await openssl("req", "-in", file, "-noout", "-verify", "-subject")
            #expect(verified.status == 0 && (verified.out + verified.err).contains("OK"), "\(verified)")
            #expect(verified.out.contains("CAM-1"))
            let printed = try await assay("simulate", "camera", "csr", camera)
            #expect(printed.out.hasPrefix("-----BEGIN CERTIFICATE REQUEST-----\n") && printed.err.isEmpty, "\(printed)")
        }

        @Test("OpenSSL verifies a virtual camera's bundle over the four lines")
        func bundle() async throws {
            let camera = try await makeCamera()
            let image = try folder.write("an image", to: "image.jpg")
            #expect(try await assay("simulate", "camera", "sign", camera, image).status == 65, "there is no certificate yet")
            let made = try await openssl(
                "req", "-x509", "-new", "-key", camera + "/key.pem", "-subj", "/CN=camera", "-days", "2", "-out",
                camera + "/certificate.pem")
            #expect(made.status == 0, "\(made)")
            let place = String(repeating: "AB", count: 32)
            let signed = try await assay(
                "simulate", "camera", "sign", camera, image, "--gps-hash", place, "--taken", "2026-04-21T18:13:13Z", "--out",
                folder.file("bundle.json"))
            #expect(signed.status == 0, "\(signed)")

            let json = try JSONSerialization.jsonObject(with: Data(try bytes(of: "bundle.json")))
            let members = try #require(json as? [String: Any])
            let hash = Hex.encode(SHA256.hash(data: Data("an image".utf8)).map { $0 })
            #expect(members["image_hash"] as? String == hash)
            #expect(members["timestamp"] as? Int == 1_776_795_193)
            let certificate = try #require(members["camera_cert"] as? String)
            let text = "\(hash)\n\(certificate)\n1776795193\n\(place.lowercased())\n"
            let signature = try #require((members["bundle_signature"] as? String).flatMap { Base64.standard.decode($0) })
            #expect(signature.count == 64)
            let der = try P256.Signing.ECDSASignature(rawRepresentation: signature).derRepresentation
            try der.write(to: URL(fileURLWithPath: folder.file("signature")))
            let key = try await openssl("pkey", "-in", camera + "/key.pem", "-pubout", "-out", folder.file("public.pem"))
            #expect(key.status == 0, "\(key)")
            let message = try folder.write(text, to: "message")
            let verified = try await openssl(
                "dgst", "-sha256", "-verify", folder.file("public.pem"), "-signature", folder.file("signature"), message)
            #expect(verified.out == "Verified OK\n", "\(verified)")
        }

        @Test("A virtual Android device signs client data over the DER of a CSR, for the purpose that is named")
        func renewal() async throws {
            let android = folder.file("android")
            let signer = "hex:" + String(repeating: "0a", count: 32)
            #expect(
                try await assay("simulate", "android", "make", android, "--package", "com.example", "--signer", signer).status
                    == 0)
            let request = folder.file("request.pem")
            #expect(try await assay("simulate", "android", "csr", android, "--out", request).status == 0)
            #expect(
                try await openssl("req", "-in", request, "-pubkey", "-noout", "-out", folder.file("public.pem")).status == 0)
            #expect(try await openssl("req", "-in", request, "-outform", "DER", "-out", folder.file("request.der")).status == 0)
            let der = try bytes(of: "request.der")
            for (purpose, number) in [("assert", 2), ("provision", 3), ("renew", 4)] as [(String, UInt8)] {
                let payload = purpose == "assert" ? folder.file("request.der") : request
                let signed = try await assay(
                    "simulate", "android", "sign", android, "--purpose", purpose, "--challenge", challenge, "--payload",
                    payload,
                    "--out", folder.file("signature"))
                #expect(signed.status == 0, "\(signed)")
                let data = Array("assay1".utf8) + [number] + [UInt8](repeating: 7, count: 54) + SHA256.hash(data: der)
                try Data(data).write(to: URL(fileURLWithPath: folder.file("message")))
                let verified = try await openssl(
                    "dgst", "-sha256", "-verify", folder.file("public.pem"), "-signature", folder.file("signature"),
                    folder.file("message"))
                #expect(verified.out == "Verified OK\n", "\(purpose): \(verified)")
            }
        }

        @Test("A virtual phone attests and asserts for a certificate, and knows no other purpose")
        func phone() async throws {
            let phone = folder.file("phone")
            #expect(try await assay("simulate", "phone", phone, "--app-id", "TEAMID1234.com.example").status == 0)
            for command in ["attest", "assert"] {
                let words = ["simulate", command, phone, "--challenge", challenge]
                let made = try await Child.run("assay", words + ["--purpose", "provision"])
                #expect(made.status == 0, "\(made)")
                #expect(try await Child.run("assay", words + ["--purpose", "renew"]).status == 64)
            }
        }

        // MARK: Wrong usage and files

        @Test("A file that is no certificate signing request is named as what it is, before the daemon is asked")
        func notARequest() async throws {
            func told(_ content: String, _ name: String) async throws -> String {
                try folder.write(content, to: name)
                let ending = try await assay(
                    "provision", "device", "--app", "a", "--serial", "s", "--out-dir", folder.file("out"), "--csr",
                    folder.file(name))
                #expect(ending.status == 65, "\(ending)")
                return ending.err
            }
            let text = try await told("hello, I am a text file, no more\n", "hello.txt")
            #expect(text.contains("hello.txt is not a certificate signing request: it is neither PEM"), "\(text)")
            let key = try await told("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "key.pem")
            #expect(key.contains(#"it has the PEM label "PRIVATE KEY", where "CERTIFICATE REQUEST" is wanted"#), "\(key)")
            let half = try await told("0c", "half.der")
            #expect(half.contains("nor whole DER"), "\(half)")
        }

        @Test(
            "Wrong usage of a command for certificates ends with status 64",
            arguments: [
                "provision issue --app a --challenge AA --key-attestation x",
                "provision issue --app a --challenge AA --key-attestation x --csr x --public-key x",
                "provision issue --app a --challenge AA --csr x",
                "provision renew --app a --csr x",
                "provision renew --app a --csr x --key x --signature x",
                "provision renew --app a --csr x --signature x --key-id AA",
                "provision renew --app a --csr x --key x --algorithm ed25519",
                "provision device --app a --serial s --csr x",
                "provision device --app a --serial s --out-dir d --token t --token-file f",
                "cert get --app a", "cert get --app a 0102 --key-id AA", "cert get --app a nonsense",
                "cert revoke --app a 0102", "cert revoke --app a 0102 --yes --reason because", "cert list --app a --limit 0",
                "crl get --form text", "enrol add --app a", "enrol add --app a --tokens 3",
                "enrol add --app a --tokens 1001 --expires 1d", "enrol add --app a --serial s --expires 1y",
                "enrol add --app a --serial s --out f", "enrol remove --app a",
                "enrol remove --app a --serial s --token-file f",
                "simulate camera make c", "simulate camera sign c f --gps-hash AA",
            ])
        func usage(_ words: String) async throws {
            let ending = try await Child.run("assay", words.split(separator: " ").map(String.init))
            #expect(ending.status == 64, "\(ending)")
        }

        @Test("Commands for certificates end with status 69 without a daemon")
        func unreachable() async throws {
            _ = try await makeCamera()
            let request = folder.file("request.pem")
            #expect(try await assay("simulate", "camera", "csr", folder.file("camera"), "--out", request).status == 0)
            let commands = [
                ["ca", "list"], ["crl", "get"], ["cert", "list", "--app", "a"], ["enrol", "list", "--app", "a"],
                ["cert", "revoke", "--app", "a", "01:02", "--yes"], ["enrol", "add", "--app", "a", "--serial", "s"],
                ["provision", "device", "--app", "a", "--serial", "s", "--csr", request, "--out-dir", folder.file("out")],
                ["provision", "renew", "--app", "a", "--csr", request, "--key", folder.file("camera/key.pem")],
            ]
            for command in commands {
                let ending = try await Child.run("assay", command + ["--server", "127.0.0.1:1"])
                #expect(ending.status == 69 && ending.err.contains("127.0.0.1:1"), "\(command): \(ending)")
            }
        }

        @Test("A serial number is taken in each form in which tools show it, and nothing else is")
        func serials() async throws {
            let good = [
                "1", "fd28", "FD:28", "0xFD28", "0X0fd28", "00:FD:28", "000fd28", "f" + String(repeating: "0a", count: 19),
                "  fd:28\n", " FD28", "serial=FD28", "serial=0xfd28 ",
            ]
            for command in ["get", "revoke"] {
                let tail = command == "revoke" ? ["--yes"] : []
                for serial in good {
                    let ending = try await Child.run(
                        "assay", ["cert", command, "--app", "a", serial, "--server", "127.0.0.1:1"] + tail)
                    #expect(ending.status == 69, "\(serial): \(ending)")
                }
                for serial in [
                    "", "0", "00:00", "0x", "xyz", "12 34", "serial", String(repeating: "1", count: 41), ":", ":fd28", "fd28:",
                    "fd::28", "fd:28: ", "0x:28", "serial=", "serial=:28", "serial=serial=28", "fd:\n28",
                ] {
                    let ending = try await Child.run("assay", ["cert", command, "--app", "a", serial] + tail)
                    #expect(ending.status == 64, "\(serial): \(ending)")
                }
            }
            let key = String(repeating: "ab", count: 32)
            let both = try await Child.run(
                "assay", ["cert", "get", "--app", "a", "--key-id", "hex:" + key, "--issuer", "hex:" + key])
            #expect(both.status == 64 && both.err.contains("--issuer goes with a serial number"), "\(both)")
        }

        @Test("A folder that has a file of a provisioned device is refused before anything is asked")
        func existing() async throws {
            let out = folder.file("out")
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            try folder.write("kept", to: "out/secret.hex")
            let ending = try await assay("provision", "device", "--app", "a", "--serial", "s", "--out-dir", out)
            #expect(ending.status == 65 && ending.err.contains("secret.hex exists already"), "\(ending)")
            #expect(folder.text("out/secret.hex") == "kept")
        }

        @Test("Files that are no CSR, key or secret are named, with status 65")
        func unreadable() async throws {
            let text = try folder.write("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", to: "text")
            let request = try folder.write("0", to: "request.der")
            for words in [
                ["provision", "renew", "--app", "a", "--csr", text, "--key", text],
                ["provision", "renew", "--app", "a", "--csr", request, "--key", text],
                ["provision", "renew", "--app", "a", "--csr", request, "--key", folder.file("missing")],
                ["provision", "device", "--app", "a", "--serial", "s", "--secret-file", text, "--out-dir", folder.file("d")],
                ["provision", "device", "--app", "a", "--serial", "s", "--csr", text, "--out-dir", folder.file("d")],
            ] {
                let ending = try await Child.run("assay", words + ["--server", "127.0.0.1:1"])
                #expect(ending.status == 65, "\(words): \(ending)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.file("d")))
        }

        @Test("An encrypted private key is refused with a hint")
        func encrypted() async throws {
            let key = folder.file("key.pem")
            let made = try await openssl(
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass", "pass:x", "-out", key)
            #expect(made.status == 0, "\(made)")
            let request = folder.file("request.pem")
            let asked = try await openssl("req", "-new", "-key", key, "-passin", "pass:x", "-subj", "/CN=x", "-out", request)
            #expect(asked.status == 0, "\(asked)")
            let ending = try await assay("provision", "renew", "--app", "a", "--csr", request, "--key", key)
            #expect(ending.status == 65 && ending.err.contains("openssl pkey"), "\(ending)")
        }
    }
}
