import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Rotation of CAs")
    struct AuthorityRotationTests {
        /// Waits until the daemon follows the configuration.
        private static func wait(_ daemon: TestDaemon, until isTrue: () async throws -> Bool) async throws {
            try await eventually("the daemon follows") {
                try #require(daemon.child.isRunning)
                return try await isTrue()
            }
        }

        @Test(
            "The next CA is published, then signs; the one before signs its list until it is removed, and its bundles with it")
        func rotation() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            func states() async throws -> [String: Assay_V1_Authority.State] {
                Dictionary(uniqueKeysWithValues: try await client.authorities().map { ($0.name, $0.state) })
            }
            let key = try await OpenSSLKey()
            let old = try await home.issue(to: home.home.phone(), key, client).certificate
            #expect(try await states() == ["issuing-1": .signing])
            try await Self.wait(daemon) { FileManager.default.fileExists(atPath: home.folder.file("lists/issuing-1.crl")) }

            let made = try await Child.run("assay", ["ca", "next", home.folder.file("ca")])
            #expect(made.status == 0, "\(made)")
            let begin = SystemClock().now().adding(milliseconds: 3_600_000)
            let first = "passphrase_file: ca/issuing-1.passphrase}"
            func next(_ time: String) -> String {
                first + """

                        - {name: issuing-2, certificate: ca/issuing-2.pem, key: ca/issuing-2.key, passphrase_file: ca/issuing-2.passphrase\(time)}
                    """
            }
            let later = ", signs_from: \"\(begin)\""
            try home.edit(first, next(later))
            daemon.child.signal(SIGHUP)
            try await Self.wait(daemon) { try await states().count == 2 }
            #expect(try await states() == ["issuing-1": .signing, "issuing-2": .next])
            let second = try #require(try await client.authorities().first { $0.name == "issuing-2" })
            await expect(.notFound) { _ = try await client.revocationList(issuer: Array(second.spkiSha256)) }
            let meanwhile = try await OpenSSLKey()
            let issued = try await home.issue(to: home.home.phone(), meanwhile, client).certificate
            #expect(issued.issuerSpkiSha256 == old.issuerSpkiSha256, "the next one does not sign yet")

            // It signs from its time on, without another reload.
            let soon = ", signs_from: \"\(SystemClock().now().adding(milliseconds: 3000))\""
            try home.edit(later, soon)
            daemon.child.signal(SIGHUP)
            try await Self.wait(daemon) { try await states()["issuing-2"] == .signing }
            #expect(try await states() == ["issuing-1": .retiring, "issuing-2": .signing])
            let nextKey = try await OpenSSLKey()
            let new = try await home.issue(to: home.home.phone(), nextKey, client).certificate
            #expect(new.issuerSpkiSha256 == second.spkiSha256)
            let bundle = try await key.bundle(old.certificate).json
            let nextBundle = try await nextKey.bundle(new.certificate).json
            for bundle in [bundle, nextBundle] {
                #expect(try await home.submit(bundle, app: home.photos, client).outcome == "accepted")
            }
            #expect(try await home.verify(new.certificate, client).status == 0)

            // The retiring one signs its list.
            let before = try await client.revocationList(issuer: Array(old.issuerSpkiSha256))
            #expect(try await home.verify(issued.certificate, client, issuer: old.issuerSpkiSha256).status == 0)
            _ = try await client.revoke(serial: Array(issued.serial), app: home.photos, reason: .keyCompromise)
            let list = try await client.revocationList(issuer: Array(old.issuerSpkiSha256))
            #expect(list.number > before.number)
            let text = try await OpenSSL.text(list: list.list)
            #expect(text.contains("CN = Assay Device Issuing CA 1\n") && text.contains("Key Compromise"), "\(text)")
            let refused = try await home.verify(issued.certificate, client, issuer: old.issuerSpkiSha256)
            #expect(refused.status == 2 && refused.err.contains("certificate revoked"), "\(refused)")
            // A phone with a certificate of the retiring CA is renewed by the new one.
            let renewedKey = try await OpenSSLKey()
            let renewed = try await home.renew(key, old, to: renewedKey, client)
            #expect(renewed.verdict.outcome == "accepted" && renewed.certificate.issuerSpkiSha256 == second.spkiSha256)

            // Without the old one its certificates have no trusted issuer.
            let configuration = home.folder.text("assayd.yaml")
            let lines = configuration.split(separator: "\n", omittingEmptySubsequences: false).filter {
                !$0.contains("issuing-1.pem")
            }
            try home.folder.write(lines.joined(separator: "\n"), to: "assayd.yaml")
            daemon.child.signal(SIGHUP)
            try await Self.wait(daemon) { try await states() == ["issuing-2": .signing] }
            let removed = try await home.submit(try await key.bundle(old.certificate).json, app: home.photos, client)
            #expect(removed.outcome == "untrusted_root", "\(removed)")
            #expect(try await home.submit(bundle, app: home.photos, client).outcome == "untrusted_root", "a repetition too")
            let unrenewed = try await home.renew(key, old, to: try await OpenSSLKey(), client)
            #expect(unrenewed.verdict.outcome == "untrusted_root" && !unrenewed.hasCertificate)
            #expect(try await client.certificate(serial: Array(old.serial), app: home.photos) == old, "it stays on record")
            let late = try await client.revoke(serial: Array(old.serial), app: home.photos, reason: .superseded)
            #expect(!late.wasRevoked && late.certificate.serial == old.serial)
            #expect(try await home.submit(nextBundle, app: home.photos, client).outcome == "accepted")
            let last = try await renewedKey.bundle(renewed.certificate.certificate).json
            #expect(try await home.submit(last, app: home.photos, client).outcome == "accepted")
            await expect(.notFound) { _ = try await client.revocationList(issuer: Array(old.issuerSpkiSha256)) }
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        private func expect(_ code: AssayError.Code, _ work: () async throws -> Void) async {
            do {
                try await work()
                Issue.record("expected: \(code)")
            } catch let error as AssayError {
                #expect(error.code == code)
            } catch {
                Issue.record(error)
            }
        }
    }
}
