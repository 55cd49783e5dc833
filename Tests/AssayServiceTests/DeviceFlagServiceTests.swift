import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Flags of devices in verdicts and listings")
struct DeviceFlagServiceTests {
    private func set(_ name: String, on device: DeviceID, lasting: Int64 = 60_000, _ harness: ServiceHarness) async throws {
        let now = harness.clock.now()
        let flag = DeviceFlag(
            name: name, setter: .plugin("anomaly"), detail: "seen twice", since: now, until: now.adding(milliseconds: lasting))
        let context = ChangeContext(.plugin("anomaly"), at: now)
        #expect(try await harness.ledger.change(.set(flag), of: device, app: .camera, context) == .set)
    }

    @Test("A flag that no policy names is a note in the verdict, until it ends")
    func note() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        #expect(try await !harness.assert(&handset).findings.contains { $0.code == "device_flagged" })
        try await set("many_models", on: device, harness)
        try await set("counter_gap", on: device, lasting: 1000, harness)
        let verdict = try await harness.assert(&handset)
        let note = try #require(verdict.findings.first { $0.code == "device_flagged" })
        #expect(verdict.isAccepted && note.check == "registry" && note.detail.contains("counter_gap, many_models"))
        #expect(!note.detail.contains("seen twice"), "the detail is for operators")
        harness.clock.advance(milliseconds: 1000)
        let later = try await harness.assert(&handset)
        #expect(later.findings.first { $0.code == "device_flagged" }?.detail.contains("counter_gap") == false)
    }

    @Test("A flag that the policy rejects refuses the device's evidence until it ends, and a block comes first")
    func rejected() async throws {
        let harness = try await ServiceHarness([.testing(.camera, deviceFlags: DeviceFlagRule(rejected: ["many_models"]))])
        var (handset, device) = try await harness.enrol()
        try await set("counter_gap", on: device, harness)
        #expect(try await harness.assert(&handset).isAccepted)
        try await set("many_models", on: device, harness)
        let verdict = try await harness.assert(&handset)
        #expect(verdict.rejection == .deviceFlagged && verdict.check == "registry" && verdict.retry == .contactOperator)
        #expect(Array(verdict.deviceID) == device.bytes && verdict.detail.contains("many_models"))
        _ = try await harness.ledger.block(.device(device), reason: "lost", at: harness.clock.now())
        #expect(try await harness.assert(&handset).rejection == .deviceBlocked)
        _ = try await harness.ledger.unblock(.device(device))
        harness.clock.advance(milliseconds: 60_000)
        #expect(try await harness.assert(&handset).isAccepted)
    }

    @Test("Get shows the flags that stand, and List selects by them and leaves details out")
    func listing() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let (_, other) = try await harness.enrol()
        try await set("farm", on: device, harness)
        try await set("counter_gap", on: other, lasting: 1000, harness)
        let found = try await harness.call(
            API.getDevice, Assay_V1_GetDeviceRequest.with { ($0.app, $0.deviceID) = ("camera", Data(device.bytes)) })
        let flag = try #require(found.flags.first)
        #expect(found.flags.count == 1 && flag.name == "farm" && flag.plugin == "anomaly" && flag.detail == "seen twice")
        #expect(flag.untilUnixMs - flag.sinceUnixMs == 60_000)
        func listed(_ name: String) async throws -> [Assay_V1_Device] {
            try await harness.call(
                API.listDevices, Assay_V1_ListDevicesRequest.with { ($0.app, $0.flag) = ("camera", name) }
            ).devices
        }
        let farm = try await listed("farm")
        #expect(farm.map { Array($0.deviceID) } == [device.bytes] && farm.first?.flags.map(\.detail) == [""])
        #expect(try await listed("").count == 2)
        #expect(try await listed("counter_gap").map { Array($0.deviceID) } == [other.bytes])
        harness.clock.advance(milliseconds: 1000)
        #expect(try await listed("counter_gap").isEmpty)
        await #expect(throws: RPCError.self) { try await listed("Not a name") }
    }
}
