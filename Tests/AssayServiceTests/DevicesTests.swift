import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Devices")
struct DevicesTests {
    private func get(
        _ harness: ServiceHarness, _ app: AppID = .camera, _ change: (inout Assay_V1_GetDeviceRequest) -> Void
    ) async throws -> Result<Assay_V1_Device, RPCError> {
        var request = Assay_V1_GetDeviceRequest.with { $0.app = app.text }
        change(&request)
        do {
            return .success(try await harness.call(API.getDevice, request))
        } catch let error as RPCError {
            return .failure(error)
        }
    }

    @Test("are found by name and by key")
    func found() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol(subject: [1])
        let byName = try await get(harness) { $0.deviceID = Data(device.bytes) }.get()
        let byKey = try await get(harness) { $0.keyID = Data(handset.key.keyID) }.get()
        #expect(byName == byKey && Array(byName.deviceID) == device.bytes)
        #expect(byName.state == .active && byName.simulated && byName.hasSubject_p && byName.environment == "production")
        _ = try await harness.ledger.block(.device(device), reason: "stolen", at: ServiceHarness.opening)
        let blocked = try await get(harness) { $0.deviceID = Data(device.bytes) }.get()
        #expect(blocked.state == .blocked && blocked.blockReason == "stolen")
    }

    @Test("of another app are not found, as if there were none")
    func otherApp() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol(.camera)
        let errors = [
            try await get(harness, .notes) { $0.deviceID = Data(device.bytes) },
            try await get(harness, .notes) { $0.keyID = Data(handset.key.keyID) },
            try await get(harness, .notes) { $0.deviceID = Data(DeviceID.random().bytes) },
            try await get(harness, .camera) { $0.keyID = Data([1]) },
        ]
        let unknown = RPCError(.notFound, "no device of this app has that name, key or serial number", reason: "unknown_device")
        for error in errors {
            #expect(throws: unknown) { try error.get() }
        }
    }

    @Test("are asked for by something of the right size")
    func bounds() async throws {
        let harness = try await ServiceHarness()
        let requests: [(String, (inout Assay_V1_GetDeviceRequest) -> Void)] = [
            ("by", { _ in }), ("device_id", { $0.deviceID = Data(count: 15) }), ("device_id", { $0.deviceID = Data() }),
            ("key_id", { $0.keyID = Data(count: 65) }), ("app", { $0.app = "?" }),
        ]
        for (field, change) in requests {
            let answer = try await get(harness, .camera, change)
            let error = #expect(throws: RPCError.self) { try answer.get() }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix(field + " ") == true)
        }
    }

    @Test("cannot be told in an outage")
    func outage() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        harness.ledger.fail(.device, with: .unavailable("test"))
        let answer = try await get(harness) { $0.deviceID = Data(device.bytes) }
        let error = #expect(throws: RPCError.self) { try answer.get() }
        #expect(error?.code == .unavailable && error?.reason == "ledger_unavailable" && error?.retryAfterMilliseconds == 1000)
    }
}
