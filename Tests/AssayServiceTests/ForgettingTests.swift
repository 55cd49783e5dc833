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
        _ house: House, _ id: DeviceID, _ app: AppID = .camera
    ) async throws -> Assay_V1_ForgetDeviceResponse {
        try await house.call(
            MethodDeclaration.forgetDevice.path,
            Assay_V1_ForgetDeviceRequest.with { ($0.app, $0.deviceID) = (app.text, Data(id.bytes)) })
    }

    @Test("a device lets its key register again, as another device")
    func again() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol(subject: [1])
        #expect(try await house.assert(&handset).isAccepted)
        #expect(try await !forget(house, device).keyStaysBlocked)
        #expect(try await house.ledger.device(device) == nil)
        let unknown = try await house.assert(&handset)
        #expect(unknown.rejection == .unknownDevice && unknown.claims.isEmpty)
        let verdict = try await house.verify(try handset.registration(try await house.challenge(.register)))
        #expect(verdict.isAccepted && Array(verdict.deviceID) != device.bytes)
        #expect(try await house.assert(&handset).isAccepted)
    }

    @Test("a device takes the claims beside the audit log with it, and no other's")
    func auditClaims() async throws {
        let house = try await House([.testing(.camera, keepsAuditClaims: true)])
        var (handset, device) = try await house.enrol()
        #expect(try await house.assert(&handset).isAccepted)
        _ = try await house.enrol()
        _ = try await forget(house, device)
        for number in 1...3 as ClosedRange<Int64> {
            #expect(try await (house.ledger.auditClaims(of: number) != nil) == (number == 3))
        }
    }

    @Test("a blocked device leaves its key blocked")
    func blocked() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        _ = try await house.ledger.block(.device(device), reason: "stolen", at: House.opening)
        #expect(try await forget(house, device).keyStaysBlocked)
        #expect(try await house.assert(&handset).rejection == .unknownDevice)
        let challenge = try await house.challenge(.register)
        #expect(try await house.verify(try handset.registration(challenge)).rejection == .deviceBlocked)
    }

    @Test("a device while its evidence is looked at refuses that in the commit")
    func meanwhile() async throws {
        let house = try await House()
        var (handset, device) = try await house.enrol()
        house.ledger.before(.commit) { [memory = house.ledger.memory, device] in _ = try? await memory.forget(device) }
        let verdict = try await house.assert(&handset)
        #expect(verdict.rejection == .unknownDevice && verdict.check == "commit")
    }

    @Test("another app's device, or none, is NOT_FOUND")
    func unknown() async throws {
        let house = try await House()
        let (_, device) = try await house.enrol()
        for (id, app) in [(device, AppID.notes), (.random(), .camera)] {
            let error = await #expect(throws: RPCError.self) { try await forget(house, id, app) }
            #expect(error?.code == .notFound && error?.reason == "unknown_device")
        }
        #expect(try await house.ledger.device(device) != nil)
    }
}
