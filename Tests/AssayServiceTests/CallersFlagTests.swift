import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Flags that callers set and clear")
struct CallersFlagTests {
    private static let longest: Int64 = 400 * 86_400_000

    private func flag(
        _ harness: ServiceHarness, _ device: DeviceID, _ name: String = "farm", reason: String = "case 12",
        until: Timestamp? = nil, app: AppID = .camera
    ) async throws -> Assay_V1_FlagDeviceResponse {
        try await harness.call(
            API.flagDevice,
            .with {
                ($0.app, $0.deviceID, $0.flag, $0.reason) = (app.text, Data(device.bytes), name, reason)
                $0.untilUnixMs = until?.unixMilliseconds ?? 0
            })
    }

    private func unflag(
        _ harness: ServiceHarness, _ device: DeviceID, _ name: String = "farm", reason: String = "", app: AppID = .camera
    ) async throws -> Bool {
        let answer = try await harness.call(
            API.unflagDevice,
            .with { ($0.app, $0.deviceID, $0.flag, $0.reason) = (app.text, Data(device.bytes), name, reason) })
        return answer.wasFlagged
    }

    /// Sets the flag as a plugin does.
    private func set(_ name: String, on device: DeviceID, _ harness: ServiceHarness) async throws {
        let now = harness.clock.now()
        let flag = DeviceFlag(
            name: name, setter: .plugin("anomaly"), detail: "", since: now, until: now.adding(milliseconds: 60_000))
        let outcome = try await harness.ledger.change(
            .set(flag), of: device, app: .camera, ChangeContext(.plugin("anomaly"), at: now))
        #expect(outcome == .set)
    }

    private func flags(_ harness: ServiceHarness, _ device: DeviceID) async throws -> [Assay_V1_Device.Flag] {
        try await harness.call(API.getDevice, .with { ($0.app, $0.deviceID) = ("camera", Data(device.bytes)) }).flags
    }

    private func changes(_ harness: ServiceHarness) -> [AuditChange] { harness.ledger.memory.auditChanges.map(\.change) }

    @Test("A flag is set, set again with another reason and end, and cleared, and each is recorded with the caller")
    func life() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let opening = ServiceHarness.opening
        let first = try await flag(harness, device)
        #expect(!first.wasFlagged && first.untilUnixMs == opening.unixMilliseconds + Self.longest)
        let shown = try #require(try await flags(harness, device).first)
        #expect(shown.name == "farm" && shown.caller == Caller.demo.name && shown.plugin.isEmpty && shown.detail == "case 12")
        #expect(shown.sinceUnixMs == opening.unixMilliseconds && shown.untilUnixMs == first.untilUnixMs)

        harness.clock.advance(milliseconds: 1000)
        let until = opening.adding(milliseconds: 60_000)
        for _ in 0..<2 {
            let again = try await flag(harness, device, reason: "case 13", until: until)
            #expect(again.wasFlagged && again.untilUnixMs == until.unixMilliseconds)
        }
        let renewed = try await flags(harness, device)
        #expect(renewed.map(\.detail) == ["case 13"] && renewed.map(\.sinceUnixMs) == [opening.unixMilliseconds])
        #expect(try await unflag(harness, device, reason: "a mistake"))
        #expect(try await !unflag(harness, device), "there is nothing to clear any more")
        #expect(try await flags(harness, device).isEmpty)

        let found = changes(harness)
        let (kinds, reasons, ends) = (found.map(\.kind), found.map(\.reason), found.map(\.count))
        #expect(kinds == [.setFlag, .setFlag, .clearFlag], "a call that changes nothing is not recorded")
        #expect(found.allSatisfy { $0.origin == .caller(Caller.demo.name) && $0.app == .camera && $0.device == device })
        #expect(found.allSatisfy { $0.name == "farm" } && found.map(\.flag) == [false, true, false])
        #expect(reasons == ["case 12", "case 13", "a mistake"])
        #expect(ends == [first.untilUnixMs, until.unixMilliseconds, 0])
        let counts: [[String]: UInt64] = [
            ["set", "caller"]: 1, ["cleared", "caller"]: 1, ["set", "plugin"]: 0, ["cleared", "plugin"]: 0,
        ]
        #expect(harness.flags.counts == counts)
    }

    @Test("The app's policy decides about a caller's flag as about a plugin's")
    func policy() async throws {
        let harness = try await ServiceHarness([.testing(.camera, deviceFlags: DeviceFlagRule(rejected: ["farm"]))])
        var (handset, device) = try await harness.enrol()
        _ = try await flag(harness, device, "odd")
        let noted = try await harness.assert(&handset)
        #expect(noted.isAccepted && noted.findings.contains { $0.code == "device_flagged" && $0.detail.contains("odd") })
        _ = try await flag(harness, device)
        let rejected = try await harness.assert(&handset)
        #expect(rejected.rejection == .deviceFlagged && rejected.detail.contains("farm"))
        #expect(!rejected.detail.contains("case 12"), "the reason is for operators")
        #expect(try await unflag(harness, device))
        #expect(try await harness.assert(&handset).isAccepted)
        _ = try await flag(harness, device, until: harness.clock.now().adding(milliseconds: 1000))
        #expect(try await harness.assert(&handset).rejection == .deviceFlagged)
        harness.clock.advance(milliseconds: 1000)
        #expect(try await harness.assert(&handset).isAccepted)
        #expect(try await !unflag(harness, device), "it has ended")
    }

    @Test("A caller clears the flags of a name of all setters, and leaves other names")
    func allSetters() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        try await set("farm", on: device, harness)
        try await set("counter_gap", on: device, harness)
        #expect(try await !flag(harness, device).wasFlagged, "the plugin's stands beside it")
        let both = try await flags(harness, device).filter { $0.name == "farm" }
        #expect(both.map(\.plugin) == ["anomaly", ""] && both.map(\.caller) == ["", Caller.demo.name])
        #expect(try await unflag(harness, device))
        #expect(try await flags(harness, device).map(\.name) == ["counter_gap"])
        #expect(try await unflag(harness, device, "counter_gap"), "a flag that a plugin set by mistake")
        #expect(try await flags(harness, device).isEmpty)
        #expect(harness.flags.counts[["cleared", "caller"]] == 2)
    }

    @Test("A ninth flag is refused until another is cleared, and those that stand can be renewed")
    func tooMany() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        for number in 1...DeviceFlag.countLimit { _ = try await flag(harness, device, "flag_\(number)") }
        let ninth = await #expect(throws: RPCError.self) { try await flag(harness, device) }
        #expect(ninth?.code == .failedPrecondition && ninth?.reason == "too_many_flags")
        #expect(try await flag(harness, device, "flag_1", reason: "").wasFlagged)
        #expect(try await unflag(harness, device, "flag_2"))
        #expect(try await !flag(harness, device).wasFlagged)
        #expect(harness.flags.counts[["set", "caller"]] == 9)
    }

    @Test("Another app's device, and one that is not on record, are unknown")
    func unknownDevice() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        for (id, app) in [(device, AppID.notes), (DeviceID.random(), .camera)] {
            let set = await #expect(throws: RPCError.self) { try await flag(harness, id, app: app) }
            let cleared = await #expect(throws: RPCError.self) { try await unflag(harness, id, app: app) }
            #expect(set?.code == .notFound && set?.reason == "unknown_device" && cleared == set)
        }
        #expect(changes(harness).isEmpty && harness.flags.counts.values.allSatisfy { $0 == 0 })
    }

    private func refusal<Method: APIMethod>(
        _ method: Method, _ request: Method.Request, _ harness: ServiceHarness
    ) async -> RPCError? {
        await #expect(throws: RPCError.self) { _ = try await harness.call(method, request) }
    }

    @Test("A field that is not of its form is INVALID_ARGUMENT, and names itself")
    func fields() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let now = harness.clock.now().unixMilliseconds
        let good = Assay_V1_FlagDeviceRequest.with {
            ($0.app, $0.deviceID, $0.flag) = ("camera", Data(device.bytes), "farm")
        }
        let cases: [(String, (inout Assay_V1_FlagDeviceRequest) -> Void)] = [
            ("device_id", { $0.deviceID = Data(count: 15) }), ("device_id", { $0.deviceID = Data() }),
            ("flag", { $0.flag = "" }), ("flag", { $0.flag = "Farm" }),
            ("flag", { $0.flag = String(repeating: "a", count: 33) }),
            ("reason", { $0.reason = String(repeating: "r", count: 257) }),
            ("until_unix_ms", { $0.untilUnixMs = now }), ("until_unix_ms", { $0.untilUnixMs = -1 }),
            ("until_unix_ms", { $0.untilUnixMs = .max }), ("until_unix_ms", { $0.untilUnixMs = now + Self.longest + 1 }),
        ]
        for (field, change) in cases {
            var request = good
            change(&request)
            let set = await refusal(API.flagDevice, request, harness)
            #expect(set?.code == .invalidArgument && set?.reason == "invalid_request")
            let message = try #require(set?.message)
            #expect(message.hasPrefix("\(field) "), "\(message)")
            guard field != "until_unix_ms" else { continue }
            let clearing = Assay_V1_UnflagDeviceRequest.with {
                ($0.app, $0.deviceID, $0.flag, $0.reason) = (request.app, request.deviceID, request.flag, request.reason)
            }
            let cleared = await refusal(API.unflagDevice, clearing, harness)
            #expect(cleared?.code == .invalidArgument && cleared?.message.hasPrefix(field + " ") == true)
        }
        #expect(harness.ledger.asked(.flag) == 0)
        var longest = good
        longest.untilUnixMs = now + Self.longest
        longest.reason = String(repeating: "r", count: 256)
        #expect(try await harness.call(API.flagDevice, longest).untilUnixMs == longest.untilUnixMs)
    }
}
