import AssayAPI
import AssayClient
import AssayCore
import AssaySQLite
import AssayService
import AssaySimulator
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Secrecy of provisioning")
    struct ProvisioningSecrecyTests {
        /// What may stand in no file.
        private struct Secret {
            let name: String
            let bytes: [UInt8]
            /// The one file that may have it.
            var place: String?

            /// As it is, and as texts.
            var forms: [[UInt8]] {
                let hex = Hex.encode(bytes)
                let texts = [hex, hex.uppercased(), Base64.standard.encode(bytes), Base64.url.encode(bytes)]
                // Base64 within a longer text, at each of the three offsets; the characters at both ends depend on the neighbours.
                let inner = (1...2).map { offset in
                    String(Base64.standard.encode([UInt8](repeating: 0, count: offset) + bytes).dropFirst(4).dropLast(4))
                }
                return [bytes] + (texts + inner).map { Array($0.utf8) } + [
                    Array(Base64.standard.encode(bytes).dropLast(4).utf8)
                ]
            }
        }

        @Test("No file of the daemon has a device secret, a table key, a private key, a passphrase, a token or an image's hash")
        func nothing() async throws {
            let home = try await ProvisioningHome()
            var daemon = try await TestDaemon(home.home)
            var client = try await daemon.connect()
            var secrets: [Secret] = []
            func note(_ bundle: SignedBundle) {
                for (name, hash) in [("image hash", bundle.imageHash), ("location hash", bundle.locationHash ?? "")] {
                    if let bytes = Hex.decode(hash), !bytes.isEmpty { secrets.append(Secret(name: name, bytes: bytes)) }
                }
                secrets.append(Secret(name: "digest of what was signed", bytes: SHA256.bytes(of: bundle.signedBytes)))
                secrets.append(Secret(name: "bundle's signature", bytes: bundle.signature))
            }

            // A camera and one whose key is made, by tokens.
            let expiry = SystemClock().now().adding(milliseconds: 3_600_000)
            let given = SecureRandom.bytes(32)
            for (app, csr) in [(home.fleet, true), (home.legacy, false)] {
                let token = try #require(
                    try await client.addEnrolments(app: app, tokens: 1, expiry: expiry).tokens.first)
                secrets.append(Secret(name: "enrolment token", bytes: Array(token.utf8)))
                secrets.append(
                    Secret(name: "enrolment token", bytes: try #require(Base64.url.decode(String(token.dropFirst(4))))))
                let own = try await OpenSSLKey()
                let request = FleetDeviceRequest(
                    app: app, serial: "CAM-1", secret: csr ? [] : given, csr: csr ? own.csr : [], token: token,
                    idempotencyKey: Array("idempotency of CAM-1".utf8))
                let made = try await client.provisionDevice(request, timeout: TestPhone.patience)
                #expect(made.rejection.reason == "")
                secrets.append(Secret(name: "device secret", bytes: Array(made.deviceSecret)))
                for table in made.keyTables {
                    for index in [0, 1, 42, 500, 999] {
                        secrets.append(Secret(name: "table key", bytes: Array(table.keys[index])))
                    }
                }
                var key = own
                if !csr {
                    let made = try P256.Signing.PrivateKey(derRepresentation: made.devicePrivateKey)
                    secrets.append(Secret(name: "device key", bytes: Array(made.rawRepresentation)))
                    key = try OpenSSLKey(made)
                }
                for (image, changes) in [("first", false), ("second", true)] {
                    var bundle = try await key.bundle(made.deviceCertificate, image: image, place: "home of \(image)")
                    note(bundle)
                    if changes { bundle.timestamp -= 1 }
                    let verdict = try await home.submit(bundle.json, app: app, client)
                    #expect(verdict.outcome == (changes ? "bad_signature" : "accepted"), "\(verdict)")
                    if !changes {
                        #expect(try await home.submit(bundle.json, app: app, client).repeated)
                        _ = try await home.submit(bundle.split, app: app, client)
                    }
                    let fields = CertificateBundle.fields(
                        .init(
                            imageHash: try #require(Hex.decode(bundle.imageHash)), certificate: Array(bundle.certificate.utf8),
                            timestamp: bundle.timestamp, locationHash: try #require(Hex.decode(bundle.locationHash ?? "")),
                            signature: bundle.signature))
                    _ = try await home.submit(fields, app: app, client)
                }
                _ = try await client.provisionDevice(request, timeout: TestPhone.patience)
                // Refused: the token is used, the secret is known.
                _ = try await client.provisionDevice(
                    FleetDeviceRequest(
                        app: app, serial: "CAM-2", secret: Array(made.deviceSecret), csr: try await OpenSSLKey().csr,
                        token: token))
                let id = try #require(DeviceID(bytes: Array(made.deviceID)))
                _ = try await client.block(.device(id), app: app, reason: "stolen")
            }
            // A phone, and requests that fail.
            let key = try await OpenSSLKey()
            let issued = try await home.issue(to: home.home.phone(), key, client).certificate
            let bundle = try await key.bundle(issued.certificate, image: "third")
            note(bundle)
            #expect(try await home.submit(bundle.json, app: home.photos, client).outcome == "accepted")
            _ = try await client.revoke(serial: Array(issued.serial), app: home.photos)
            #expect(try await home.submit(bundle.json, app: home.photos, client).outcome == "revoked")
            _ = try? await client.provisionDevice(
                FleetDeviceRequest(
                    app: home.fleet, serial: "", secret: given, csr: [1, 2, 3], token: "enr_secret-of-a-typing-error"))
            secrets.append(Secret(name: "a wrong token", bytes: Array("enr_secret-of-a-typing-error".utf8)))
            _ = try await client.revocationList()
            // The second life of the daemon reads what the first kept.
            await client.close()
            var log = ""
            daemon.child.signal(SIGTERM)
            log += (await daemon.child.ending()).err
            daemon = try await TestDaemon(home.home)
            client = try await daemon.connect()
            _ = try await client.status()
            await client.close()
            log += (await daemon.stop()).err
            try home.folder.write(log, to: "log")
            for word in [
                "provisioned a device", "issued a certificate", "revoked a certificate", "bad_signature", "added enrolments",
            ] {
                #expect(log.contains(word), "the log says what happens: \(word)")
            }

            // What the daemon has of its own.
            for name in ["root", "issuing-1"] {
                let passphrase = "ca/\(name).passphrase"
                let text = String(home.folder.text(passphrase).dropLast())
                #expect(text.count == 43)
                secrets.append(Secret(name: "passphrase", bytes: Array(text.utf8), place: passphrase))
                let plain = try TemporaryFolder()
                let opened = try await OpenSSL.run(
                    "pkey", "-in", home.folder.file("ca/\(name).key"), "-passin", "file:" + home.folder.file(passphrase),
                    "-out",
                    plain.file("key"))
                #expect(opened.status == 0, "\(opened)")
                secrets.append(Secret(name: "key of the CA", bytes: try OpenSSLKey(file: plain.file("key")).scalar()))
            }
            let wrapping = [UInt8](try Data(contentsOf: URL(fileURLWithPath: home.folder.file("ledger.sqlite.key"))))
            secrets.append(Secret(name: "key file", bytes: wrapping, place: "ledger.sqlite.key"))
            let ledger = try SQLiteLedger.open(path: home.folder.file("ledger.sqlite"))
            let wrapped = try await ledger.secrets()
            #expect(!wrapped.isEmpty)
            for secret in wrapped {
                secrets.append(
                    Secret(name: "wrapped secret", bytes: try SecretVault(key: wrapping).unwrap(secret)))
            }
            ledger.close()

            var seen = 0
            for case let name as String in try #require(FileManager.default.enumerator(atPath: home.folder.path)) {
                guard let data = FileManager.default.contents(atPath: home.folder.file(name)), !data.isEmpty else { continue }
                seen += 1
                for secret in secrets where secret.place != name {
                    for form in secret.forms { #expect(data.range(of: Data(form)) == nil, "\(name) has a \(secret.name)") }
                }
            }
            #expect(seen > 8, "the ledger, the key file, the log, the configuration, the CA's files")
            for secret in secrets where secret.place != nil {
                let data = FileManager.default.contents(atPath: home.folder.file(secret.place ?? ""))
                #expect(secret.forms.contains { data?.range(of: Data($0)) != nil }, "the search finds what is there")
            }
        }
    }
}
