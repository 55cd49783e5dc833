import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Fleets: enrolment, provisioning, bundles, across restarts of the daemon.
    @Suite("The life of a fleet")
    struct FleetLifeTests {
        @Test("A camera is provisioned once and its bundle accepted; the same request gets the same answer after a restart")
        func provisioned() async throws {
            let home = try await ProvisioningHome()
            var daemon = try await TestDaemon(home.home)
            var client = try await daemon.connect()
            let expiry = SystemClock().now().adding(milliseconds: 3_600_000)
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1", "CAM-2"])
            let tokens = try await client.addEnrolments(app: home.fleet, tokens: 2, expiry: expiry).tokens
            let key = try await OpenSSLKey()
            let request = FleetDeviceRequest(
                app: home.fleet, serial: "CAM-1", family: "Model One", csr: key.csr, idempotencyKey: Array("CAM-1".utf8))
            let first = try await client.provisionDevice(request)
            #expect(first.rejection.reason == "" && !first.repeated && first.deviceSecret.count == 32)
            #expect(first.keyTables.map(\.keys.count) == [1000, 1000, 1000] && Set(first.keyTableIndices).count == 3)
            let byToken = FleetDeviceRequest(
                app: home.fleet, serial: "CAM-9", csr: try await OpenSSLKey().csr, token: tokens[0],
                idempotencyKey: Array("CAM-9".utf8))
            let ninth = try await client.provisionDevice(byToken)
            #expect(ninth.rejection.reason == "" && ninth.deviceSecret != first.deviceSecret)

            let text = try await OpenSSL.text(first.deviceCertificate)
            for part in [
                "CN = CAM-1", "serialNumber = CAM-1", "\(ExtensionArc.fleet).3", "\(ExtensionArc.statement).1", "CA:FALSE",
            ] {
                #expect(text.contains(part), "\(part)\n\(text)")
            }
            #expect(try await home.verify(first.deviceCertificate, client).status == 0)
            let bundle = try await key.bundle(first.deviceCertificate)
            let verdict = try await home.submit(bundle.json, app: home.fleet, client)
            #expect(verdict.outcome == "accepted" && verdict.assurance == .software && !verdict.simulated, "\(verdict)")
            #expect(verdict.deviceID == first.deviceID)

            // In both lives of the daemon.
            for isRestarted in [false, true] {
                if isRestarted {
                    await client.close()
                    #expect(await daemon.stop().status == 0)
                    daemon = try await TestDaemon(home.home)
                    client = try await daemon.connect()
                }
                for (request, answer) in [(request, first), (byToken, ninth)] {
                    var repeated = try await client.provisionDevice(request)
                    #expect(repeated.repeated)
                    repeated.repeated = false
                    #expect(repeated == answer, "tables, certificate, chain, secret")
                }
                var changed = request
                changed.family = "Model Two"
                #expect(try await client.provisionDevice(changed).rejection.reason == "idempotency_key_reused")
                let csr = try await OpenSSLKey().csr
                func refusal(
                    _ serial: String, secret: Data = Data(), token: String = "", csr: [UInt8]? = nil
                ) async throws -> String {
                    let answer = try await client.provisionDevice(
                        FleetDeviceRequest(
                            app: home.fleet, serial: serial, secret: Array(secret), csr: csr ?? key.csr, token: token))
                    #expect(
                        answer == .with { $0.rejection = answer.rejection } && !answer.rejection.detail.isEmpty,
                        "nothing but the rejection")
                    return answer.rejection.reason
                }
                #expect(try await refusal("CAM-1", csr: csr) == "already_provisioned")
                #expect(try await refusal("CAM-3", csr: csr) == "not_enrolled")
                #expect(try await refusal("cam-2", csr: csr) == "not_enrolled", "serial numbers are compared as bytes")
                #expect(try await refusal("CAM-4", token: tokens[0], csr: csr) == "not_enrolled", "the token is used")
                #expect(try await refusal("CAM-4", token: "enr_none", csr: csr) == "not_enrolled")
                #expect(try await refusal("CAM-2") == "key_already_certified")
                #expect(
                    try await refusal("CAM-2", secret: first.deviceSecret, csr: csr) == "already_provisioned", "the secret is")
                #expect(try await refusal("CAM-2", csr: []) == "possession_not_proven")
                #expect(try await refusal("CAM-2", csr: try await OpenSSLKey(curve: "secp384r1").csr) == "wrong_curve")
                let again = try await home.submit(bundle.json, app: home.fleet, client)
                #expect(again.outcome == "accepted" && again.repeated && again.deviceID == first.deviceID)
                #expect(try await home.submit(bundle.json, app: home.legacy, client).outcome == "unknown_certificate")
            }
            let used = try await client.enrolments(app: home.fleet, state: .used).enrolments
            let users = Set(used.map(\.usedBy))
            #expect(users == [first.deviceID, ninth.deviceID])
            let unused = try await client.enrolments(app: home.fleet, state: .unused).enrolments
            #expect(unused.count == 2 && unused.contains { $0.serial == "CAM-2" })
            // What was refused used nothing up.
            let second = try await client.provisionDevice(
                FleetDeviceRequest(app: home.fleet, serial: "CAM-2", csr: try await OpenSSLKey().csr))
            #expect(second.rejection.reason == "")

            // A block, as for any device.
            let id = try #require(DeviceID(bytes: Array(first.deviceID)))
            _ = try await client.block(.device(id), app: home.fleet, reason: "stolen")
            #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "device_blocked")
            #expect(try await client.provisionDevice(request).rejection.reason == "device_blocked")
            _ = try await client.unblock(.device(id), app: home.fleet)
            #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "revoked")
            #expect(try await client.provisionDevice(request).rejection.reason == "revoked")
            _ = try await client.forget(id, app: home.fleet)
            #expect(try await home.submit(bundle.json, app: home.fleet, client).decision == .rejected)
            let afterwards = try await client.provisionDevice(
                FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: try await OpenSSLKey().csr))
            #expect(afterwards.rejection.reason == "already_provisioned")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A key that Assay makes is sent once, and signs bundles; the secret is the caller's if there is one")
        func legacy() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.legacy, serials: ["OLD-1"])
            let secret = SecureRandom.bytes(32)
            let request = FleetDeviceRequest(
                app: home.legacy, serial: "OLD-1", secret: secret, csr: [], idempotencyKey: Array("OLD-1".utf8))
            let made = try await client.provisionDevice(request)
            #expect(made.rejection.reason == "" && Array(made.deviceSecret) == secret)
            let key = try OpenSSLKey(P256.Signing.PrivateKey(derRepresentation: made.devicePrivateKey))
            let bundle = try await key.bundle(made.deviceCertificate)
            let verdict = try await home.submit(bundle.json, app: home.legacy, client)
            #expect(verdict.outcome == "accepted", "\(verdict)")
            #expect(verdict.claims.contains { $0.name == "key_protection" && $0.text == "generated" }, "\(verdict.claims)")
            #expect(try await home.submit(bundle.split, app: home.legacy, client).outcome == "split_not_allowed")
            let repeated = try await client.provisionDevice(request)
            #expect(repeated.repeated && repeated.devicePrivateKey.isEmpty, "a private key is never repeated")
            #expect(repeated.deviceCertificate == made.deviceCertificate && repeated.keyTables == made.keyTables)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("Submissions are counted by statement: the same bundle counts once, in whatever form, and too many are refused")
        func counted() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.limited, serials: ["CAM-1"])
            let key = try await OpenSSLKey()
            let made = try await client.provisionDevice(FleetDeviceRequest(app: home.limited, serial: "CAM-1", csr: key.csr))
            let first = try await key.bundle(made.deviceCertificate, image: "1")
            for time in 0..<6 {
                let verdict =
                    try await
                    (time % 2 == 0
                    ? home.submit(first.json, app: home.limited, client) : home.submit(first.split, app: home.limited, client))
                #expect(verdict.outcome == "accepted" && verdict.repeated == (time > 0), "\(time): \(verdict)")
            }
            let second = try await home.submit(
                try await key.bundle(made.deviceCertificate, image: "2").json, app: home.limited, client)
            #expect(second.outcome == "accepted" && !second.repeated, "the first one counted once: \(second)")
            #expect(second.findings.contains { $0.code == "many_submissions" })
            let third = try await home.submit(
                try await key.bundle(made.deviceCertificate, image: "3").json, app: home.limited, client)
            #expect(third.outcome == "too_many_submissions", "\(third)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test(
            "A block of a certified key by the key id of its certificate stops its bundles, its renewals and further certificates"
        )
        func certifiedKeyBlocked() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1", "CAM-2"])
            let (key, next) = (try await OpenSSLKey(), try await OpenSSLKey())
            _ = try await client.provisionDevice(FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: key.csr))
            let first = try #require(try await client.certificates(app: home.fleet).certificates.first)
            let renewed = try await home.renew(key, first, to: next, app: home.fleet, client)
            #expect(renewed.verdict.outcome == "accepted")
            let bundles = [try await key.bundle(first.certificate), try await next.bundle(renewed.certificate.certificate)]
            for bundle in bundles { #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "accepted") }

            let answer = try await client.block(.key(Array(first.keyID)), app: home.fleet, reason: "stolen")
            #expect(answer.devices == 0 && answer.revokedCertificates == 2)
            for bundle in bundles { #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "revoked") }
            let again = try await home.renew(key, first, to: try await OpenSSLKey(), app: home.fleet, client)
            #expect(again.verdict.outcome == "revoked" && !again.hasCertificate)
            let other = try await client.provisionDevice(
                FleetDeviceRequest(app: home.fleet, serial: "CAM-2", csr: key.csr))
            #expect(other.rejection.reason == "device_blocked" && other.deviceCertificate.isEmpty)
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A camera's certificate is renewed twice for new keys, with all that the first one says, and each signs bundles")
        func renewed() async throws {
            let home = try await ProvisioningHome()
            // What holds for certificates on evidence holds for no fleet.
            try home.edit(
                "  fleet: {provisioning: {fleet: {",
                "  fleet: {provisioning: {min_assurance: secure_element, vouched: refuse, subject: {common_name: \"no camera\"}, fleet: {"
            )
            try home.edit("}}, certificate_bundle: {}}\n  legacy", "}}, certificate_bundle: {secret: required}}\n  legacy")
            let daemon = try await TestDaemon(home.home)
            let client = try await daemon.connect()
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1"])
            var key = try await OpenSSLKey()
            let made = try await client.provisionDevice(
                FleetDeviceRequest(app: home.fleet, serial: "CAM-1", family: "Model One", csr: key.csr))
            let page = try await client.certificates(app: home.fleet)
            let first = try #require(page.certificates.first)
            #expect(first.certificate == made.deviceCertificate && page.certificates.count == 1)
            let firstBundle = try await key.bundle(made.deviceCertificate)
            /// Without those that name the certificate, its key or the place of the secret.
            func claims(_ verdict: Assay_V1_Verdict) -> Set<String> {
                let own =
                    ["key_protection", "certificate_serial", "certificate_sha256", "certificate_not_after", "timestamp"]
                    + ["table_id", "key_index"]
                return Set(verdict.claims.filter { !own.contains($0.name) }.map { "\($0.name) \($0.text)" })
            }
            let verdict = try await home.submit(firstBundle.json, app: home.fleet, client)
            #expect(verdict.outcome == "accepted", "\(verdict)")
            #expect(claims(verdict).isSuperset(of: ["device_serial CAM-1", "device_family Model One"]), "\(claims(verdict))")

            let wide = try await home.renew(
                key, first, to: try await OpenSSLKey(curve: "secp384r1"), app: home.fleet, client)
            #expect(wide.verdict.outcome == "wrong_curve" && !wide.hasCertificate)
            var current = first
            for _ in 0..<2 {
                let next = try await OpenSSLKey()
                let renewed = try await home.renew(key, current, to: next, app: home.fleet, client)
                #expect(renewed.verdict.outcome == "accepted", "\(renewed.verdict)")
                #expect(renewed.certificate.deviceID == made.deviceID && renewed.certificate.assurance == .software)
                (key, current) = (next, renewed.certificate)
                #expect(try await home.verify(current.certificate, client).status == 0)
                let text = try await OpenSSL.text(current.certificate)
                let extensions = (1...6).map { "\(ExtensionArc.fleet).\($0):" }
                for part in ["CN = CAM-1", "serialNumber = CAM-1", "Example Cameras", "Model One"] + extensions {
                    #expect(text.contains(part), "\(part)\n\(text)")
                }
                let verdict = try await home.submit(
                    try await key.bundle(current.certificate).json, app: home.fleet, client)
                #expect(verdict.outcome == "accepted" && verdict.deviceID == made.deviceID, "\(verdict)")
                #expect(
                    claims(verdict) == claims(try await home.submit(firstBundle.json, app: home.fleet, client)),
                    "the first certificate is good, and says the same")
            }
            _ = try await client.revoke(serial: Array(first.serial), app: home.fleet, reason: .superseded)
            #expect(try await home.submit(firstBundle.json, app: home.fleet, client).outcome == "revoked")
            let last = try await home.submit(
                try await key.bundle(current.certificate, image: "2").json, app: home.fleet, client)
            #expect(last.outcome == "accepted", "\(last)")

            // The fleet leaves the configuration, and its devices are still registered.
            try home.edit(
                "fleet: {manufacturer: Example Cameras, validation_endpoint: \"https://validate.example.org\"}}, "
                    + "certificate_bundle: {secret: required}}", "validity: 30d}, certificate_bundle: {}}")
            daemon.child.signal(SIGHUP)
            let next = try await OpenSSLKey()
            var reason = ""
            try await eventually("the reload is done") {
                do {
                    _ = try await home.renew(key, current, to: next, app: home.fleet, client)
                } catch let error as AssayError {
                    reason = error.reason
                }
                return !reason.isEmpty
            }
            #expect(reason == "fleet_not_configured")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
