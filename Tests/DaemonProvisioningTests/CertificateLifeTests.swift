import AssayAPI
import AssayClient
import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Certificates of phones, from their issue to their end. OpenSSL signs the bundles and judges certificates and lists.
    @Suite("The life of a certificate")
    struct CertificateLifeTests {
        @Test("A phone's and an Android device's certificates are what OpenSSL expects, and their bundles are accepted once")
        func issued() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()

            // An iPhone vouches for a key that OpenSSL made.
            let key = try await OpenSSLKey(subject: "/CN=An administrator/O=Others")
            let vouched = try await home.issue(to: home.home.phone(), key, client)
            #expect(vouched.verdict.outcome == "accepted" && vouched.certificate.keyProtection == .vouched)
            #expect(vouched.certificate.assurance == .platform && vouched.certificate.simulated)
            // An Android device attests the key.
            let device = try TestAndroid(home.home)
            let attested = try await home.issue(to: device, client)
            #expect(attested.verdict.outcome == "accepted" && attested.certificate.keyProtection == .attested)
            #expect(attested.certificate.assurance == .hardware)

            for issued in [vouched, attested] {
                let verified = try await home.verify(issued.certificate.certificate, client)
                #expect(verified.status == 0 && verified.out.hasSuffix(": OK\n"), "\(verified)")
                let text = try await OpenSSL.text(issued.certificate.certificate)
                let id = "dev_" + Hex.encode(issued.certificate.deviceID)
                for part in [
                    "Subject: CN = \(id)\n", "URI:assay://camera/\(id)\n", "CA:FALSE", "Digital Signature\n",
                    "X509v3 Authority Key Identifier", "X509v3 Subject Key Identifier", "CN = Assay Device Issuing CA 1",
                    "\(ExtensionArc.statement).1", "TLS Web Client Authentication",
                ] { #expect(text.contains(part), "\(part)\n\(text)") }
                for part in ["CRL Distribution Points", "administrator", "Others"] {
                    #expect(!text.contains(part), "\(part)\n\(text)")
                }
                #expect(issued.certificate.serial.count == 16 && issued.certificate.deviceID == issued.verdict.deviceID)
            }

            let androidKey = try OpenSSLKey(P256.Signing.PrivateKey(rawRepresentation: Data(device.key.key.privateBytes)))
            for (key, issued, assurance) in [
                (key, vouched, Assay_V1_Assurance.platform), (androidKey, attested, .hardware),
            ] {
                let bundle = try await key.bundle(issued.certificate.certificate, place: "a place")
                let first = try await home.submit(bundle.json, app: home.photos, client)
                #expect(first.outcome == "accepted" && !first.repeated && first.assurance == assurance, "\(first)")
                #expect(first.deviceID == issued.certificate.deviceID)
                let again = try await home.submit(bundle.json, app: home.photos, client)
                #expect(again.outcome == "accepted" && again.repeated, "\(again)")
                let split = try await home.submit(bundle.split, app: home.photos, client)
                #expect(split.outcome == "accepted" && split.repeated, "the same statement: \(split)")
                let other = try await key.bundle(issued.certificate.certificate, image: "another image")
                let shownAsDigest = try await home.submit(other.split, app: home.photos, client)
                #expect(shownAsDigest.outcome == "accepted" && !shownAsDigest.repeated)
                #expect(shownAsDigest.findings.contains { $0.code == "timestamp_not_shown" }, "\(shownAsDigest)")
            }

            // A distribution point stands in certificates as soon as it is configured.
            try home.edit("{directory: lists}", "{directory: lists, url: \"http://crl.example.org/{ca}.crl\"}")
            daemon.child.signal(SIGHUP)
            var text = ""
            while !text.contains("CRL Distribution Points"), daemon.child.isRunning {
                let issued = try await home.issue(to: home.home.phone(), try await OpenSSLKey(), client)
                text = try await OpenSSL.text(issued.certificate.certificate)
            }
            #expect(text.contains("URI:http://crl.example.org/issuing-1.crl"), "\(text)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Bundles that were changed, are too old or new, or rest on other certificates are rejected, each with its code")
        func rejected() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            let key = try await OpenSSLKey()
            let certificate = try await home.issue(to: home.home.phone(), key, client).certificate.certificate
            let other = try await OpenSSLKey()
            let otherCertificate = try await home.issue(to: home.home.phone(), other, client).certificate.certificate
            let large = try await OpenSSLKey(curve: "secp384r1")
            let largeCertificate = try await home.issue(to: home.home.phone(), large, client).certificate.certificate
            let authority = try #require(try await client.authorities().first?.chain.first)

            let good = try await key.bundle(certificate, place: "a place")
            let malleated = try P256.Signing.ECDSASignature(derRepresentation: good.signature).rawRepresentation
            let cases: [(String, [UInt8], String)] = [
                ("image", good.changed { $0.imageHash = String($0.imageHash.reversed()) }, "bad_signature"),
                ("time", good.changed { $0.timestamp -= 1 }, "bad_signature"),
                ("place", good.changed { $0.locationHash = nil }, "bad_signature"),
                ("place added", try await key.bundle(certificate).changed { $0.locationHash = $0.imageHash }, "bad_signature"),
                (
                    "certificate of another device",
                    good.changed { $0.certificate = Base64.standard.encode(Array(otherCertificate)) }, "bad_signature"
                ),
                ("another key", try await other.bundle(certificate).json, "bad_signature"),
                (
                    "a hash in place of a signature", good.changed { $0.signature = Array(malleated.prefix(32)) },
                    "signature_malformed"
                ),
                (
                    "a signature of zeros", good.changed { $0.signature = [UInt8](repeating: 0, count: 64) },
                    "signature_malformed"
                ),
                ("a cut signature", good.changed { $0.signature.removeLast() }, "signature_malformed"),
                ("an hour ahead", try await key.bundle(certificate, secondsAgo: -3600).json, "timestamp_in_future"),
                ("31 days old", try await key.bundle(certificate, secondsAgo: 31 * 86_400).json, "timestamp_too_old"),
                ("self-signed", try await key.bundle(try await key.selfSigned(isAuthority: false)).json, "untrusted_root"),
                ("a CA of its own", try await key.bundle(try await key.selfSigned(isAuthority: true)).json, "ca_as_leaf"),
                ("the issuing CA", try await key.bundle(authority).json, "ca_as_leaf"),
                ("P-384", try await large.bundle(largeCertificate).json, "signature_malformed"),
                (
                    "the older format",
                    Array(#"{"image_hash":"00","encrypted_nuc_token":"AA","table_references":[1],"key_indices":[2]}"#.utf8),
                    "wrong_format"
                ),
                ("no JSON", Array("image".utf8), "malformed"),
                ("a certificate that is no Base64", good.changed { $0.certificate = "%%" }, "malformed"),
                ("neither DER nor PEM", good.changed { $0.certificate = "AAAA" }, "malformed"),
                (
                    "a cut certificate",
                    good.changed { $0.certificate = Base64.standard.encode(Array(certificate.dropLast())) },
                    "malformed_certificate"
                ),
            ]
            for (what, bundle, code) in cases {
                let verdict = try await home.submit(bundle, app: home.photos, client)
                #expect(verdict.outcome == code, "\(what): \(verdict.outcome) \(verdict.detail)")
                #expect(verdict.decision == .rejected && verdict.assurance == .none)
            }
            // A P-256 signature over a bundle with a P-384 certificate reaches the check of the curve.
            #expect(
                try await home.submit(try await key.bundle(largeCertificate).json, app: home.photos, client).outcome
                    == "wrong_curve")
            #expect(try await home.submit(good.json, app: home.fleet, client).outcome == "unknown_certificate")
            #expect(try await home.submit(good.split, app: home.legacy, client).outcome == "split_not_allowed")
            let raw = good.changed { $0.signature = Array(malleated) }
            #expect(try await home.submit(raw, app: home.photos, client).outcome == "accepted", "none of this changed a thing")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A certificate is renewed by its key for another key, until it is revoked; a revoked one is on the list for good")
        func renewedAndRevoked() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            let (key, next) = (try await OpenSSLKey(), try await OpenSSLKey())
            let phone = home.home.phone()
            let first = try await home.issue(to: phone, key, client).certificate

            let same = try await home.renew(key, first, to: key, client)
            #expect(same.verdict.outcome == "key_already_certified" && !same.hasCertificate && same.chain.isEmpty)
            let foreign = try await home.renew(next, first, to: next, client)
            #expect(foreign.verdict.outcome == "bad_signature")
            let renewed = try await home.renew(key, first, to: next, client)
            #expect(renewed.verdict.outcome == "accepted", "\(renewed.verdict)")
            #expect(renewed.certificate.deviceID == first.deviceID && renewed.certificate.keyProtection == .vouched)
            #expect(
                renewed.certificate.assurance.rawValue <= first.assurance.rawValue && renewed.certificate.serial != first.serial
            )
            #expect(try await home.verify(renewed.certificate.certificate, client).status == 0)
            #expect(try await home.verify(first.certificate, client).status == 0, "the first one stays valid")
            let bundle = try await key.bundle(first.certificate)
            let nextBundle = try await next.bundle(renewed.certificate.certificate)
            for bundle in [bundle, nextBundle] {
                #expect(try await home.submit(bundle.json, app: home.photos, client).outcome == "accepted")
            }

            let before = try await client.revocationList()
            let revoked = try await client.revoke(serial: Array(first.serial), app: home.photos, reason: .superseded)
            #expect(!revoked.wasRevoked && revoked.certificate.revocation.reason == .superseded)
            let again = try await client.revoke(serial: Array(first.serial), app: home.photos, reason: .cessationOfOperation)
            #expect(again.wasRevoked && again.certificate.revocation.reason == .superseded, "the first reason stays")
            #expect(try await home.submit(bundle.json, app: home.photos, client).outcome == "revoked", "a repetition too")
            #expect(
                try await home.submit(try await key.bundle(first.certificate).split, app: home.photos, client).outcome
                    == "revoked")
            #expect(try await home.renew(key, first, to: try await OpenSSLKey(), client).verdict.outcome == "revoked")
            #expect(try await home.submit(nextBundle.json, app: home.photos, client).outcome == "accepted")

            // The file follows at once: sooner than maintenance, which comes once a minute.
            let serial = Hex.encode(first.serial).uppercased()
            let deadline = ContinuousClock.now + .seconds(40)
            func listed() async throws -> Bool {
                guard let file = FileManager.default.contents(atPath: home.folder.file("lists/issuing-1.crl")) else {
                    return false
                }
                return try await OpenSSL.text(list: file).contains("Serial Number: " + serial)
            }
            while try await !listed() {
                try #require(ContinuousClock.now < deadline && daemon.child.isRunning, "the file has no \(serial)")
                try await Task.sleep(for: .milliseconds(100))
            }

            let refused = try await home.verify(first.certificate, client)
            #expect(refused.status == 2 && refused.err.contains("certificate revoked"), "\(refused)")
            #expect(try await home.verify(renewed.certificate.certificate, client).status == 0)
            let list = try await client.revocationList()
            #expect(list.number > before.number)
            let text = try await OpenSSL.text(list: list.list)
            #expect(text.contains("Serial Number: " + Hex.encode(first.serial).uppercased()), "\(text)")
            #expect(text.contains("X509v3 CRL Reason Code: \n                Superseded"), "\(text)")
            #expect(text.contains("X509v3 CRL Number: \n                \(list.number)\n"), "\(text)")
            #expect(!text.contains(Hex.encode(renewed.certificate.serial).uppercased()))

            // The phone attests again: its key is known, and the evidence speaks for the same device.
            var registered = phone
            let challenge = try await phone.challenge(.provision, client)
            let second = try await OpenSSLKey()
            let data = try #require(ClientData.provisioning(challenge: challenge, csr: second.csr))
            let assertion = try registered.key.assert(clientDataHash: data.hash)
            let issued = try await client.issue(
                IssuanceRequest(
                    app: home.photos, challenge: challenge,
                    evidence: [Evidence(format: .appAttestAssertion, keyID: phone.key.keyID, body: assertion)],
                    key: .csr(second.csr)), timeout: TestPhone.patience)
            #expect(issued.verdict.outcome == "accepted" && issued.certificate.deviceID == first.deviceID, "\(issued.verdict)")

            // The first key turns out to be stolen: what was renewed by it ends, and what the phone got by its evidence does not.
            #expect(renewed.certificate.renewedFrom.serial == first.serial && !issued.certificate.hasRenewedFrom)
            let stolen = try await client.revoke(serial: Array(first.serial), app: home.photos, reason: .keyCompromise)
            #expect(stolen.wasRevoked && stolen.certificate.revocation.reason == .superseded)
            #expect(stolen.alsoRevokedCount == 1 && stolen.alsoRevoked.map(\.serial) == [renewed.certificate.serial])
            #expect(try await home.submit(nextBundle.json, app: home.photos, client).outcome == "revoked")
            #expect(try await home.verify(renewed.certificate.certificate, client).err.contains("certificate revoked"))
            #expect(try await home.verify(issued.certificate.certificate, client).status == 0)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test(
            "A block revokes all certificates of the device for good, and to forget it deletes their DER and not their record")
        func blockedAndForgotten() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            let (key, next) = (try await OpenSSLKey(), try await OpenSSLKey())
            let first = try await home.issue(to: home.home.phone(), key, client).certificate
            let second = try await home.renew(key, first, to: next, client).certificate
            let bundles = [
                try await key.bundle(first.certificate).json, try await next.bundle(second.certificate).json,
            ]
            for bundle in bundles { #expect(try await home.submit(bundle, app: home.photos, client).outcome == "accepted") }
            let id = try #require(DeviceID(bytes: Array(first.deviceID)))
            _ = try await client.block(.device(id), app: home.photos, reason: "stolen")
            for bundle in bundles {
                #expect(try await home.submit(bundle, app: home.photos, client).outcome == "device_blocked")
            }
            let refused = try await home.renew(next, second, to: try await OpenSSLKey(), client)
            #expect(refused.verdict.outcome == "device_blocked" && !refused.hasCertificate)
            let text = try await OpenSSL.text(list: try await client.revocationList().list)
            for certificate in [first, second] {
                #expect(text.contains("Serial Number: " + Hex.encode(certificate.serial).uppercased()), "\(text)")
                #expect(try await home.verify(certificate.certificate, client).err.contains("certificate revoked"))
                let record = try await client.certificate(serial: Array(certificate.serial), app: home.photos)
                #expect(record.revocation.reason == .privilegeWithdrawn)
            }
            #expect(text.split(separator: "Privilege Withdrawn").count == 3, "\(text)")

            _ = try await client.unblock(.device(id), app: home.photos)
            for bundle in bundles { #expect(try await home.submit(bundle, app: home.photos, client).outcome == "revoked") }
            #expect(try await home.renew(next, second, to: try await OpenSSLKey(), client).verdict.outcome == "revoked")

            // Another device, which is forgotten while its certificate is good.
            let third = try await OpenSSLKey()
            let kept = try await home.issue(to: home.home.phone(), third, client).certificate
            let bundle = try await third.bundle(kept.certificate).json
            #expect(try await home.submit(bundle, app: home.photos, client).outcome == "accepted")
            let forgotten = try #require(DeviceID(bytes: Array(kept.deviceID)))
            _ = try await client.forget(forgotten, app: home.photos)
            let record = try await client.certificate(serial: Array(kept.serial), app: home.photos)
            #expect(record.certificate.isEmpty && record.serial == kept.serial && record.notAfterUnixMs == kept.notAfterUnixMs)
            let outcome = try await home.submit(bundle, app: home.photos, client).outcome
            #expect(["revoked", "unknown_device"].contains(outcome), "\(outcome)")
            let again = try await home.renew(third, kept, to: try await OpenSSLKey(), client)
            #expect(again.verdict.decision == .rejected && !again.hasCertificate, "\(again.verdict)")
            #expect(try await home.issue(to: home.home.phone(), third, client).verdict.outcome == "key_already_certified")
            #expect(try await client.certificates(app: home.photos, state: .revoked).certificates.count >= 2)
            await client.close()
            #expect(await daemon.stop().status == 0)

            // What the file lost stays lost, and what it kept is there after a restart.
            let restarted = try await TestDaemon(home.home)
            let later = try await restarted.connect()
            for bundle in bundles { #expect(try await home.submit(bundle, app: home.photos, later).outcome == "revoked") }
            #expect(try await later.certificate(serial: Array(kept.serial), app: home.photos) == record)
            await later.close()
            #expect(await restarted.stop().status == 0)
        }
    }
}
