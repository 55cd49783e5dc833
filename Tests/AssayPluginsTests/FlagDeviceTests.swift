import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayPlugins

@Suite("Flags that a plugin sets while it observes", .timeLimit(.minutes(30)))
struct FlagDeviceTests {
    private let app: AppID
    private let device = DeviceID.random()

    init() throws { app = try #require(AppID("photos")) }

    private func ask(
        _ calls: HostCalls, _ token: [UInt8], _ change: (inout Assay_Plugin_V1_FlagDeviceRequest) -> Void = { _ in }
    ) async throws -> Result<Bool, RPCError> {
        var request = Assay_Plugin_V1_FlagDeviceRequest.with {
            ($0.callToken, $0.app, $0.deviceID) = (Data(token), Data("photos".utf8), Data(device.bytes))
            ($0.flag, $0.detail, $0.untilUnixMs) = (Data("counter_gap".utf8), "a detail", 1_800_000_000_000)
        }
        change(&request)
        let message: [UInt8] = try request.serializedBytes()
        let answer = await withCheckedContinuation { continuation in
            calls.handle("/assay.plugin.v1.Host/FlagDevice", message) { continuation.resume(returning: $0) }
        }
        switch answer {
        case .success(let bytes): return .success(try Assay_Plugin_V1_FlagDeviceResponse(serializedBytes: bytes).found)
        case .failure(let error): return .failure(error)
        }
    }

    private func reason(_ answer: Result<Bool, RPCError>) -> String? {
        if case .failure(let error) = answer { error.reason } else { nil }
    }

    private func opened(_ host: StandInHost) -> (calls: HostCalls, call: ObserveCall) {
        let (calls, call) = (HostCalls(host, plugin: "anomaly"), ObserveCall(apps: [app]))
        calls.allow([.flagDevice, .findDevice])
        calls.begin(call)
        return (calls, call)
    }

    @Test("A device of an app that the plugin serves is flagged; one that is not registered is not found")
    func found() async throws {
        let host = StandInHost()
        host.state.withLock { $0.flags = [device: []] }
        let (calls, call) = opened(host)
        #expect(try await ask(calls, call.token).get())
        let until = Timestamp(unixMilliseconds: 1_800_000_000_000)
        let expected = PluginFlag(name: "counter_gap", detail: "a detail", until: until)
        let flags = host.state.withLock { $0.flags[device] }
        #expect(flags == [expected])
        let other = try await ask(calls, call.token) { $0.deviceID = Data(DeviceID.random().bytes) }
        #expect(try !other.get())
    }

    @Test("Flags are set during Observe alone, by plugins that declared it")
    func inFlight() async throws {
        let host = StandInHost()
        host.state.withLock { $0.flags = [device: []] }
        let (calls, call) = opened(host)
        let appraisal = PluginCall(app: app, format: EvidenceFormat(rawValue: "kiosk"))
        calls.begin(appraisal)
        for token in [appraisal.token, [], [UInt8](repeating: 0, count: 16)] {
            let answer = try await ask(calls, token)
            #expect(reason(answer) == "not_in_flight")
        }
        let find: [UInt8] = try Assay_Plugin_V1_FindDeviceRequest.with { $0.callToken = Data(call.token) }.serializedBytes()
        let answer = await withCheckedContinuation { continuation in
            calls.handle("/assay.plugin.v1.Host/FindDevice", find) { continuation.resume(returning: $0) }
        }
        guard case .failure(let error) = answer else {
            Issue.record("a device was looked up by the token of Observe")
            return
        }
        #expect(error.code == .permissionDenied && error.reason == "not_in_flight")
        calls.end(call)
        let late = try await ask(calls, call.token)
        #expect(reason(late) == "not_in_flight")
        let undeclared = HostCalls(host, plugin: "anomaly")
        undeclared.begin(call)
        let unheard = try await ask(undeclared, call.token)
        #expect(reason(unheard) == "not_declared")
        let flags = host.state.withLock { $0.flags[device] }
        #expect(flags == [])
    }

    @Test("What a flag must not be is refused, and changes nothing")
    func refused() async throws {
        let host = StandInHost()
        host.state.withLock { $0.flags = [device: []] }
        let (calls, call) = opened(host)
        let cases: [(String, @Sendable (inout Assay_Plugin_V1_FlagDeviceRequest) -> Void)] = [
            ("app_not_served", { $0.app = Data("notes".utf8) }), ("app_not_served", { $0.app = Data([0xFF]) }),
            ("invalid_device_id", { $0.deviceID = Data([1]) }), ("invalid_flag", { $0.flag = Data("Gap".utf8) }),
            ("invalid_flag", { $0.flag = Data() }), ("invalid_flag", { $0.flag = Data(repeating: 0x61, count: 33) }),
            ("invalid_detail", { $0.detail = String(repeating: "a", count: 257) }),
        ]
        for (expected, change) in cases {
            let answer = try await ask(calls, call.token, change)
            #expect(reason(answer) == expected)
        }
        let flags = host.state.withLock { $0.flags[device] }
        #expect(flags == [])
    }

    @Test("A device has eight flags, and a call of Observe sets 512")
    func bounds() async throws {
        let host = StandInHost()
        host.state.withLock { $0.flags = [device: []] }
        let (calls, call) = opened(host)
        for _ in 0..<8 { #expect(try await ask(calls, call.token).get()) }
        let ninth = try await ask(calls, call.token)
        #expect(reason(ninth) == "too_many_flags")
        let unknown = Data(DeviceID.random().bytes)
        for _ in 9..<HostCalls.flagLimit {
            let answer = try await ask(calls, call.token) { $0.deviceID = unknown }
            #expect(try !answer.get())
        }
        let last = try await ask(calls, call.token) { $0.deviceID = unknown }
        #expect(reason(last) == "too_many_flags")
    }
}
