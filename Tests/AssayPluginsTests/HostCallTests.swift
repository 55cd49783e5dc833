import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayPlugins

@Suite("Calls of a plugin to the daemon", .timeLimit(.minutes(30)))
struct HostCallTests {
    private static let kiosk = EvidenceFormat(rawValue: "kiosk")
    private let app: AppID

    init() throws { app = try #require(AppID("photos")) }

    private static func digest(_ token: String) -> [UInt8] {
        PluginScope.digest(PluginScope.tokenTag, plugin: "kiosk", format: kiosk, Array(token.utf8))
    }

    private func areUsed(_ tokens: [String], _ calls: HostCalls, _ call: PluginCall) async throws -> [Bool] {
        let request = Assay_Plugin_V1_FindUsedRequest.with {
            ($0.callToken, $0.tokens) = (Data(call.token), tokens.map { Data($0.utf8) })
        }
        let message: [UInt8] = try request.serializedBytes()
        let answer = await withCheckedContinuation { continuation in
            calls.handle("/assay.plugin.v1.Host/FindUsed", message) { continuation.resume(returning: $0) }
        }
        return try Assay_Plugin_V1_FindUsedResponse(serializedBytes: try answer.get()).used
    }

    @Test("A plugin has 32 metrics, over all its processes: a restart gives it no further names")
    func metrics() async throws {
        let host = StandInHost()
        func measure(_ name: String, _ calls: HostCalls) async throws -> Bool {
            let message: [UInt8] = try Assay_Plugin_V1_MeasureRequest.with { ($0.name, $0.increment) = (name.data, 1) }
                .serializedBytes()
            let answer = await withCheckedContinuation { continuation in
                calls.handle("/assay.plugin.v1.Host/Measure", message) { continuation.resume(returning: $0) }
            }
            switch answer {
            case .success: return true
            case .failure(let error):
                #expect(error.code == .resourceExhausted && error.reason == "too_many_metrics", "\(error)")
                return false
            }
        }
        for process in 0..<12 {
            // A process that is started anew: nothing of the one before is in it.
            let calls = HostCalls(host, plugin: "kiosk")
            for number in 0..<32 { #expect(try await measure("name_\(process)_\(number)", calls) == (process == 0)) }
            #expect(try await measure("name_0_7", calls))
        }
        host.measures.countDroppedLine()
        #expect(host.measures.values.count == 33 && host.measures.values["name_0_7"] == 13)
    }

    @Test("A blocked device of the fleet that a plugin was told of is remembered for the call, and for no other")
    func toldBlock() async throws {
        let host = StandInHost()
        let device = PluginFleetDevice(
            id: .random(), serial: [1], family: "", tables: [], publicKey: [], isBlocked: true)
        host.state.withLock { $0.fleet = [[7]: device] }
        let calls = HostCalls(host, plugin: "kiosk")
        calls.allow([.findFleetDevice])
        let (call, other) = (PluginCall(app: app, format: Self.kiosk), PluginCall(app: app, format: Self.kiosk))
        calls.begin(call)
        calls.begin(other)
        for (secret, expected) in [([8], false), ([7], true)] as [([UInt8], Bool)] {
            let request = Assay_Plugin_V1_FindFleetDeviceRequest.with {
                ($0.callToken, $0.secret) = (Data(call.token), Data(secret))
            }
            let message: [UInt8] = try request.serializedBytes()
            let answer = await withCheckedContinuation { continuation in
                calls.handle("/assay.plugin.v1.Host/FindFleetDevice", message) { continuation.resume(returning: $0) }
            }
            #expect(try Assay_Plugin_V1_FindFleetDeviceResponse(serializedBytes: try answer.get()).hasDevice == expected)
            #expect(calls.toldBlock(in: call) == expected && !calls.toldBlock(in: other))
        }
    }

    @Test("Tokens that the request itself used up are unused to a shadow of its judgement, and others are not")
    func ownUses() async throws {
        let host = StandInHost()
        host.state.withLock { $0.used = [Self.digest("own"), Self.digest("another's")] }
        let calls = HostCalls(host, plugin: "kiosk")
        calls.allow([.findUsed])
        let own = EvidenceUse.token(app: app, digest: Self.digest("own"))
        for (uses, expected) in [([own], [false, true, false]), ([], [true, true, false])] {
            let call = PluginCall(app: app, format: Self.kiosk, ownUses: Set(uses))
            calls.begin(call)
            #expect(try await areUsed(["own", "another's", "fresh"], calls, call) == expected)
            calls.end(call)
        }
    }
}
