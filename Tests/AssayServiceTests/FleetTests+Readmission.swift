import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

/// Devices that are provisioned again.
extension FleetTests {
    func readmit(
        _ harness: ServiceHarness, _ serial: String, family: String = "", expires: Timestamp? = nil,
        reason: String = "repaired"
    ) async throws -> Assay_V1_ReadmitDeviceResponse {
        try await harness.call(
            API.readmitDevice,
            .with {
                $0.app = AppID.camera.text
                $0.deviceSerial = serial
                $0.deviceFamily = family
                $0.expiresAtUnixMs = expires?.unixMilliseconds ?? 0
                $0.reason = reason
            })
    }

    private func error(_ body: () async throws -> some Any) async -> RPCError? {
        await #expect(throws: RPCError.self) { try await body() }
    }

    @Test(
        "A readmitted serial number gets a new device, secret, tables and certificate, and the old request is refused as revoked"
    )
    func readmitted() async throws {
        let harness = try await Self.harness()
        let (csr, secret) = (Self.csr(), Data(SecureRandom.bytes(32)))
        _ = try await enrol(harness, serials: ["CAM-1"])
        let first = try await provision(harness, "CAM-1", csr: csr, secret: secret, key: "1")
        #expect(try await provision(harness, "CAM-1", key: "2").rejection.reason == "already_provisioned")
        let answer = try await readmit(harness, "CAM-1")
        #expect(answer.enrolment.serial == "CAM-1" && answer.enrolment.usedBy.isEmpty && !answer.wasReadmitted)
        #expect(answer.enrolment.replaces == first.deviceID)
        var again = try await provision(harness, "CAM-1", csr: csr, secret: secret, key: "1")
        #expect(again.repeated, "the device stays until it is replaced")
        again.repeated = false
        #expect(again == first)

        let next = Self.csr()
        let second = try await provision(harness, "CAM-1", csr: next, key: "2")
        #expect(second.rejection.reason == "" && second.deviceID != first.deviceID)
        #expect(second.deviceSecret != first.deviceSecret && second.deviceCertificate != first.deviceCertificate)
        #expect(second.keyTableIndices != first.keyTableIndices, "three of 2500 that are drawn again")
        let old = try await provision(harness, "CAM-1", csr: csr, secret: secret, key: "1")
        #expect(old.rejection.reason == "revoked" && old == .with { $0.rejection = old.rejection })
        #expect(old.rejection.detail == "the device was provisioned again since, so the certificate of this answer is revoked")
        #expect(try await provision(harness, "CAM-1", csr: next, key: "2").repeated)
        #expect(try await provision(harness, "CAM-1", key: "1").rejection.reason == "idempotency_key_reused")
        #expect(try await provision(harness, "CAM-1", key: "3").rejection.reason == "already_provisioned")
        let ids = try [first, second].map { try #require(DeviceID(bytes: Array($0.deviceID))) }
        #expect(try await harness.ledger.device(ids[0]) == nil)
        #expect(try await harness.ledger.device(ids[1]) != nil)
    }

    @Test("A device whose certificate was revoked, which was unblocked, or which was forgotten, is readmitted")
    func lost() async throws {
        let harness = try await Self.harness()
        for (serial, loss) in [("A", "revoked"), ("B", "unblocked"), ("C", "forgotten")] {
            _ = try await enrol(harness, serials: [serial])
            let first = try await provision(harness, serial)
            let id = try #require(DeviceID(bytes: Array(first.deviceID)))
            let record = try #require(try await harness.ledger.fleetDevice(serial: Array(serial.utf8), app: .camera))
            let context = ChangeContext(.start, at: ServiceHarness.opening)
            switch loss {
            case "revoked": _ = try await harness.ledger.revoke(record.certificate, .keyCompromise, context)
            case "unblocked":
                _ = try await harness.ledger.block(.device(id), context)
                let blocked = await error { try await readmit(harness, serial) }
                #expect(blocked?.code == .failedPrecondition && blocked?.reason == "device_blocked")
                _ = try await harness.ledger.unblock(.device(id), context)
            default: _ = try await harness.ledger.forget(id, context)
            }
            #expect(try await provision(harness, serial).rejection.reason == "already_provisioned", "\(loss)")
            #expect(try await readmit(harness, serial).enrolment.replaces == first.deviceID, "\(loss)")
            #expect(try await provision(harness, serial).rejection.reason == "", "\(loss)")
        }
    }

    @Test("A block between readmission and provisioning refuses the device until it is lifted")
    func blocked() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        let first = try await provision(harness, "CAM-1")
        let id = try #require(DeviceID(bytes: Array(first.deviceID)))
        _ = try await readmit(harness, "CAM-1")
        let context = ChangeContext(.start, at: ServiceHarness.opening)
        _ = try await harness.ledger.block(.device(id), context)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "device_blocked")
        _ = try await harness.ledger.forget(id, context)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "device_blocked", "its key stays blocked")
        _ = try await harness.ledger.unblock(.key(DeviceKey(app: .camera, keyID: try await secretHash(harness))), context)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "")
    }

    private func secretHash(_ harness: ServiceHarness) async throws -> [UInt8] {
        try #require(try await harness.ledger.fleetDevice(serial: Array("CAM-1".utf8), app: .camera)).secretHash
    }

    @Test("A readmission is for its serial number, family and time, with no token and no secret that was provisioned")
    func bounds() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        let token = try #require(try await enrol(harness, tokens: 1).tokens.first)
        let first = try await provision(harness, "CAM-1")
        let end = ServiceHarness.opening.adding(milliseconds: 1000)
        _ = try await readmit(harness, "CAM-1", family: "Model Two", expires: end)
        let byToken = try await provision(harness, "CAM-1", token: token, family: "Model Two")
        #expect(byToken.rejection.reason == "already_provisioned" && byToken.rejection.detail.contains("without a token"))
        let secret = try await provision(harness, "CAM-1", secret: first.deviceSecret, family: "Model Two")
        #expect(secret.rejection.reason == "already_provisioned")
        let otherFamily = try await provision(harness, "CAM-1", family: "Model One").rejection
        #expect(otherFamily.reason == "not_enrolled" && otherFamily.detail.hasPrefix("the readmission is for another family"))
        #expect(try await provision(harness, "CAM-2", family: "Model Two").rejection.reason == "not_enrolled")
        let again = try await readmit(harness, "CAM-1")
        #expect(again.wasReadmitted && again.enrolment.deviceFamily == "Model Two", "it stays as it is")
        harness.clock.set(end)
        let late = try await provision(harness, "CAM-1", family: "Model Two").rejection
        #expect(late.reason == "not_enrolled" && late.detail.hasPrefix("the readmission ended at \(end)"), "\(late.detail)")
        #expect(late.detail.hasSuffix("('assay enrol readmit')"))
        #expect(try await readmit(harness, "CAM-1").wasReadmitted == false)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "")
    }

    @Test("A readmission that is removed is taken back, and the device keeps its answer")
    func takenBack() async throws {
        let harness = try await Self.harness()
        let csr = Self.csr()
        _ = try await enrol(harness, serials: ["CAM-1"])
        let first = try await provision(harness, "CAM-1", csr: csr, key: "1")
        _ = try await readmit(harness, "CAM-1")
        let removal = Assay_V1_RemoveEnrolmentRequest.with { ($0.app, $0.serial) = (AppID.camera.text, "CAM-1") }
        _ = try await harness.call(API.removeEnrolment, removal)
        let gone = await error { try await harness.call(API.removeEnrolment, removal) }
        #expect(gone?.code == .notFound)
        #expect(try await provision(harness, "CAM-1").rejection.reason == "already_provisioned")
        #expect(try await provision(harness, "CAM-1", csr: csr, key: "1").deviceSecret == first.deviceSecret)
        let listed = try await harness.call(API.listEnrolments, .with { $0.app = AppID.camera.text }).enrolments
        #expect(listed.map(\.usedBy) == [first.deviceID] && listed.allSatisfy(\.replaces.isEmpty))
    }

    @Test("A serial number that was not provisioned is not readmitted, and a readmission needs a reason, a fleet and a future")
    func refused() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        for serial in ["CAM-1", "CAM-2"] {
            let unknown = await error { try await readmit(harness, serial) }
            #expect(unknown?.code == .notFound && unknown?.reason == "not_provisioned")
            #expect(unknown?.message.contains("allow-list") == true)
        }
        for reason in ["", String(repeating: "x", count: 257)] {
            #expect(await error { try await readmit(harness, "CAM-1", reason: reason) }?.code == .invalidArgument)
        }
        let past = await error { try await readmit(harness, "CAM-1", expires: ServiceHarness.opening) }
        #expect(past?.code == .invalidArgument)
        let plain = try await ServiceHarness()
        #expect(await error { try await readmit(plain, "CAM-1") }?.reason == "fleet_not_configured")
    }

    @Test("16 requests race for one readmission: exactly one is provisioned, and equal ones get its answer")
    func readmissionRace() async throws {
        let harness = try await Self.harness()
        _ = try await enrol(harness, serials: ["CAM-1"])
        _ = try await provision(harness, "CAM-1")
        _ = try await readmit(harness, "CAM-1")
        let answers = try await AssayServiceTests.race(16) { _ in try await provision(harness, "CAM-1") }
        #expect(answers.count { $0.rejection.reason.isEmpty } == 1)
        #expect(answers.count { $0.rejection.reason == "already_provisioned" } == 15)
        _ = try await readmit(harness, "CAM-1")
        let csr = Self.csr()
        let equal = try await AssayServiceTests.race(16) { _ in try await provision(harness, "CAM-1", csr: csr, key: "k") }
        #expect(equal.allSatisfy { $0.rejection.reason.isEmpty } && Set(equal.map(\.deviceSecret)).count == 1)
        #expect(equal.count { !$0.repeated } == 1)
    }
}
