import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Forgetting")
struct ForgettingTests {
    private func forget(
        _ harness: ServiceHarness, _ id: DeviceID, _ app: AppID = .camera
    ) async throws -> Assay_V1_ForgetDeviceResponse {
        try await harness.call(
            API.forgetDevice,
            Assay_V1_ForgetDeviceRequest.with { ($0.app, $0.deviceID) = (app.text, Data(id.bytes)) })
    }

    @Test("a device lets its key register again, as another device")
    func again() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol(subject: [1])
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(try await !forget(harness, device).keyStaysBlocked)
        #expect(try await harness.ledger.device(device) == nil)
        let unknown = try await harness.assert(&handset)
        #expect(unknown.rejection == .unknownDevice && unknown.claims.isEmpty)
        let verdict = try await harness.verify(try handset.registration(try await harness.challenge(.register)))
        #expect(verdict.isAccepted && Array(verdict.deviceID) != device.bytes)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("a device takes the claims beside the audit log with it, and no other's")
    func auditClaims() async throws {
        let harness = try await ServiceHarness([.testing(.camera, keepsAuditClaims: true)])
        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        _ = try await harness.enrol()
        _ = try await forget(harness, device)
        for number in 1...3 as ClosedRange<Int64> {
            #expect(try await (harness.ledger.auditClaims(of: number) != nil) == (number == 3))
        }
    }

    @Test("a blocked device leaves its key blocked")
    func blocked() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        #expect(try await forget(harness, device).keyStaysBlocked)
        #expect(try await harness.assert(&handset).rejection == .unknownDevice)
        let challenge = try await harness.challenge(.register)
        #expect(try await harness.verify(try handset.registration(challenge)).rejection == .deviceBlocked)
    }

    @Test("a device while its evidence is looked at refuses that in the commit")
    func meanwhile() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        harness.ledger.before(.commit) { [memory = harness.ledger.memory, device] in _ = try? await memory.forget(device) }
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .unknownDevice && verdict.check == "commit")
    }

    @Test("another app's device, or none, is NOT_FOUND")
    func unknown() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        for (id, app) in [(device, AppID.notes), (.random(), .camera)] {
            let error = await #expect(throws: RPCError.self) { try await forget(harness, id, app) }
            #expect(error?.code == .notFound && error?.reason == "unknown_device")
        }
        #expect(try await harness.ledger.device(device) != nil)
    }
}
