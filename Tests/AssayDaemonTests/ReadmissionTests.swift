import AssayAPI
import AssayClient
import AssayCore
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Devices of a fleet that are provisioned again, across a kill of the daemon.
    @Suite("Readmission")
    struct ReadmissionTests {
        @Test("A revoked camera is readmitted and provisioned again across kills: old bundles are revoked, new ones accepted")
        func life() async throws {
            let home = try await ProvisioningHome()
            var daemon = try await TestDaemon(home.home)
            var client = try await daemon.connect()
            func restart() async throws {
                await client.close()
                daemon.child.signal(SIGKILL)
                _ = await daemon.child.ending()
                daemon = try await TestDaemon(home.home)
                client = try await daemon.connect()
            }
            _ = try await client.addEnrolments(app: home.fleet, serials: ["CAM-1"])
            let key = try await OpenSSLKey()
            let request = FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: key.csr, idempotencyKey: [1])
            let first = try await client.provisionDevice(request)
            let bundle = try await key.bundle(first.deviceCertificate)
            #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "accepted")

            // A renewed certificate is the device's too.
            let (renewedKey, page) = (try await OpenSSLKey(), try await client.certificates(app: home.fleet))
            let renewed = try await home.renew(
                key, try #require(page.certificates.first), to: renewedKey, app: home.fleet, client)
            let renewedBundle = try await renewedKey.bundle(renewed.certificate.certificate)
            #expect(try await home.submit(renewedBundle.json, app: home.fleet, client).outcome == "accepted")

            let serial = try #require(page.certificates.first).serial
            _ = try await client.revoke(serial: Array(serial), app: home.fleet, reason: .cessationOfOperation)
            #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "revoked")
            let next = try await OpenSSLKey()
            let again = FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: next.csr, idempotencyKey: [2])
            #expect(try await client.provisionDevice(again).rejection.reason == "already_provisioned")
            let readmitted = try await client.readmitDevice(serial: "CAM-1", app: home.fleet, reason: "RMA 4711")
            #expect(readmitted.enrolment.replaces == first.deviceID)

            try await restart()
            #expect(try await home.submit(bundle.json, app: home.fleet, client).outcome == "revoked")
            let second = try await client.provisionDevice(again)
            #expect(second.rejection.reason == "" && second.deviceID != first.deviceID)
            #expect(second.deviceSecret != first.deviceSecret)
            let nextBundle = try await next.bundle(second.deviceCertificate)

            for isRestarted in [false, true] {
                if isRestarted { try await restart() }
                for old in [bundle, renewedBundle] {
                    #expect(try await home.submit(old.json, app: home.fleet, client).outcome == "revoked", "\(isRestarted)")
                }
                let accepted = try await home.submit(nextBundle.json, app: home.fleet, client)
                #expect(accepted.outcome == "accepted" && accepted.deviceID == second.deviceID, "\(accepted)")
                let old = try await client.provisionDevice(request)
                #expect(old.rejection.reason == "revoked" && old.deviceSecret.isEmpty)
                var repeated = try await client.provisionDevice(again)
                #expect(repeated.repeated)
                repeated.repeated = false
                #expect(repeated == second)
                let third = FleetDeviceRequest(app: home.fleet, serial: "CAM-1", csr: try await OpenSSLKey().csr)
                #expect(try await client.provisionDevice(third).rejection.reason == "already_provisioned")
                // What OpenSSL says, with the current list.
                let judged = try await home.verify(first.deviceCertificate, client)
                #expect(judged.status != 0 && judged.err.contains("revoked"), "\(judged)")
                #expect(try await home.verify(second.deviceCertificate, client).status == 0)
            }
            let replaced = try await home.renew(
                renewedKey, renewed.certificate, to: try await OpenSSLKey(), app: home.fleet, client)
            #expect(replaced.verdict.outcome == "revoked" && !replaced.hasCertificate, "\(replaced.verdict)")
            let old = try await client.certificates(app: home.fleet, device: DeviceID(bytes: Array(first.deviceID)))
            #expect(old.certificates.map(\.revocation.reason) == [.cessationOfOperation, .superseded])
            await client.close()
            #expect(await daemon.stop().status == 0)
        }
    }
}
