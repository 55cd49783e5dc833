import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

/// Devices, certificates and permissions by the serial number of a fleet.
extension FleetTests {
    private func device(_ harness: ServiceHarness, _ serial: String) async throws -> Assay_V1_Device {
        try await harness.call(API.getDevice, .with { ($0.app, $0.deviceSerial) = (AppID.camera.text, serial) })
    }

    private func devices(
        _ harness: ServiceHarness, _ serial: String, _ state: Assay_V1_Device.State = .unspecified
    ) async throws -> [Assay_V1_Device] {
        try await harness.call(
            API.listDevices, .with { ($0.app, $0.deviceSerial, $0.state) = (AppID.camera.text, serial, state) }
        ).devices
    }

    private func certificates(
        _ harness: ServiceHarness, _ serial: String, pageSize: UInt32 = 0, token: Data = Data()
    ) async throws -> Assay_V1_ListCertificatesResponse {
        try await harness.call(
            API.listCertificates,
            .with {
                $0.app = AppID.camera.text
                $0.deviceSerial = serial
                $0.pageSize = pageSize
                $0.pageToken = token
            })
    }

    private func revoke(_ harness: ServiceHarness, _ certificate: Assay_V1_DeviceCertificate) async throws {
        _ = try await harness.call(
            API.revokeCertificate,
            .with { ($0.app, $0.serial, $0.reason) = (AppID.camera.text, certificate.serial, .superseded) })
    }

    @Test(
        "A device is found by its serial number, the last one that was provisioned under it, with all certificates of the number"
    )
    func lookup() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1", "CAM-2"])
        let old = try await provision(harness, "CAM-1")
        _ = try await provision(harness, "CAM-2")
        #expect(try await device(harness, "CAM-1").deviceID == old.deviceID)
        _ = try await readmit(harness, "CAM-1")
        #expect(try await device(harness, "CAM-1").deviceID == old.deviceID, "until it is replaced")
        let new = try await provision(harness, "CAM-1")
        #expect(try await device(harness, "CAM-1").deviceID == new.deviceID && new.deviceID != old.deviceID)
        #expect(try await devices(harness, "CAM-1").map(\.deviceID) == [new.deviceID])
        #expect(try await devices(harness, "CAM-1", .active).count == 1)
        #expect(try await devices(harness, "CAM-1", .blocked).isEmpty)
        #expect(try await devices(harness, "CAM-3").isEmpty)
        let first = try await certificates(harness, "CAM-1", pageSize: 1)
        #expect(first.certificates.map(\.deviceID) == [old.deviceID] && first.certificates.allSatisfy(\.hasRevocation))
        let second = try await certificates(harness, "CAM-1", pageSize: 1, token: first.nextPageToken)
        let secondDevices = second.certificates.map(\.deviceID)
        #expect(secondDevices == [new.deviceID])
        let foreign = await #expect(throws: RPCError.self) {
            try await certificates(harness, "CAM-2", pageSize: 1, token: first.nextPageToken)
        }
        #expect(foreign?.message.contains("page_token") == true, "a token of another serial number")
        #expect(try await certificates(harness, "CAM-3").certificates.isEmpty)

        let id = try #require(DeviceID(bytes: Array(new.deviceID)))
        _ = try await harness.ledger.forget(id, ChangeContext(.start, at: ServiceHarness.opening))
        let forgotten = await #expect(throws: RPCError.self) { try await device(harness, "CAM-1") }
        #expect(forgotten?.reason == "unknown_device")
        let empty = await #expect(throws: RPCError.self) { try await device(harness, "") }
        #expect(empty?.message.contains("device_serial must not be empty") == true, "\(String(describing: empty))")
        let long = await #expect(throws: RPCError.self) { try await device(harness, String(repeating: "x", count: 1021)) }
        #expect(long?.code == .invalidArgument)
    }

    @Test("A device says how many good certificates it has, and one of a fleet without any is no longer good")
    func withoutCertificate() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1", "CAM-2"])
        for serial in ["CAM-1", "CAM-2"] { _ = try await provision(harness, serial) }
        let good = try await device(harness, "CAM-1")
        #expect(good.certificates.good == 1 && good.certificates.revoked == 0 && !good.hasNoLongerGood)
        try await revoke(harness, try #require(try await certificates(harness, "CAM-1").certificates.first))
        for device in [try await device(harness, "CAM-1"), try #require(try await devices(harness, "CAM-1").first)] {
            #expect(device.certificates.good == 0 && device.certificates.revoked == 1)
            #expect(device.noLongerGood.code == "revoked" && device.noLongerGood.check == "certificate")
            #expect(device.noLongerGood.detail == "it has no good certificate: 1 revoked")
            #expect(device.state == .active, "it is not blocked")
        }
        let all = try await harness.call(API.listDevices, .with { $0.app = AppID.camera.text }).devices
        #expect(all.map(\.hasNoLongerGood) == [true, false])
        // When its certificate has ended, by the daemon's clock.
        let end = try #require(try await certificates(harness, "CAM-2").certificates.first?.notAfterUnixMs)
        harness.clock.set(Timestamp(unixMilliseconds: end + 1))
        let ended = try await device(harness, "CAM-2")
        #expect(ended.certificates.expired == 1 && ended.noLongerGood.code == "expired", "\(ended)")
    }

    @Test("The permission for one serial number is listed alone, if it is in the state that is asked for")
    func permission() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1", "CAM-2", "CAM-3"])
        _ = try await provision(harness, "CAM-2")
        func list(_ serial: String, _ state: Assay_V1_Enrolment.State = .unspecified) async throws -> [String] {
            try await harness.call(
                API.listEnrolments,
                .with { ($0.app, $0.deviceSerial, $0.state) = (AppID.camera.text, serial, state) }
            ).enrolments.map(\.serial)
        }
        #expect(try await list("CAM-1") == ["CAM-1"])
        #expect(try await list("CAM-1", .unused) == ["CAM-1"])
        #expect(try await list("CAM-1", .used).isEmpty)
        #expect(try await list("CAM-4").isEmpty)
        #expect(try await list("CAM-2", .used) == ["CAM-2"])
        #expect(try await list("CAM-2", .unused).isEmpty)
        let token = await #expect(throws: RPCError.self) {
            try await harness.call(
                API.listEnrolments,
                .with { ($0.app, $0.deviceSerial, $0.pageToken) = (AppID.camera.text, "CAM-1", Data(repeating: 0, count: 16)) })
        }
        #expect(token?.message.contains("page_token") == true)
    }

    @Test("A preview of an addition adds and records nothing, and says what would be added")
    func preview() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        let records = try await harness.ledger.status().auditCount
        let serials = ["CAM-1", "CAM-2", "CAM-3", "CAM-2"]
        let request = Assay_V1_AddEnrolmentsRequest.with {
            $0.app = AppID.camera.text
            $0.serials = serials
            $0.tokens = 3
            $0.expiresAtUnixMs = ServiceHarness.opening.adding(milliseconds: 86_400_000).unixMilliseconds
            $0.dryRun = true
        }
        let answer = try await harness.call(API.addEnrolments, request)
        #expect(answer.added == 2 && answer.present == ["CAM-1", "CAM-2"] && answer.tokens.isEmpty)
        #expect(try await harness.ledger.status().auditCount == records)
        let real = try await enrol(harness, serials: serials)
        #expect(real.added == answer.added && real.present == answer.present, "as the addition says")
    }
}
