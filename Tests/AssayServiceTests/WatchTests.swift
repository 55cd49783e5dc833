import AssayAPI
import AssayCore
import AssayRPC
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

@Suite("Watching events", .timeLimit(.minutes(30)))
struct WatchTests {
    private static func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }

    private func block(_ device: DeviceID, _ harness: ServiceHarness, app: AppID = .camera) async throws {
        _ = try await harness.call(
            API.block,
            .with {
                ($0.app, $0.reason) = (app.text, "stolen")
                $0.target.deviceID = Data(device.bytes)
            })
        await harness.changeTail.round()
    }

    @Test("a watcher sees each verdict once, with what a record of it holds")
    func verdicts() async throws {
        let harness = try await ServiceHarness()
        let watcher = try WatchingCaller(harness)
        let start = try await watcher.start()
        #expect(start.nextSequence == 1 && start.streamID.count == 8 && !start.resumed)
        var (handset, device) = try await harness.enrol()
        let accepted = try await harness.assert(&handset)
        let rejected = try await harness.assert(&handset, changes: .genuine.hashing(.single))
        let events = await watcher.events(3)
        let kinds = events.map(\.kind)
        #expect(kinds == ["verdict.accepted", "verdict.accepted", "verdict.rejected"])
        #expect(events.map(\.sequence) == [1, 2, 3])
        #expect(events.allSatisfy { $0.app == "camera" && $0.caller == Caller.demo.name && Array($0.deviceID) == device.bytes })
        #expect(events.map(\.verdict.requestID).dropFirst() == [accepted.requestID, rejected.requestID])
        #expect(events.map(\.verdict.purpose) == [.register, .assert, .assert])
        #expect(events[1].verdict.assurance == accepted.assurance && events[1].verdict.code.isEmpty)
        #expect(events[1].verdict.formats == [EvidenceFormat.appAttestAssertion.rawValue])
        #expect(events[2].verdict.code == rejected.reason && !events[2].verdict.check.isEmpty)
        #expect(events[2].verdict.policyDigest == rejected.policyDigest)
        await watcher.cancel()
    }

    @Test("a call that could not be judged is an event with the reason of its error")
    func unjudged() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        let watcher = try WatchingCaller(harness)
        _ = try await watcher.start()
        let request = try handset.assertion(try await harness.challenge(.assert))
        harness.ledger.fail(with: .unavailable("disk full"))
        _ = try await harness.failure(request)
        let event = try #require(await watcher.events(1).first)
        #expect(event.kind == "verdict.unjudged" && event.verdict.code == "ledger_unavailable")
        await watcher.cancel()
    }

    @Test("changes of the audit log are events, in the order of their records, without an operator's words")
    func changes() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let watcher = try WatchingCaller(harness, .with { $0.kinds = ["change"] })
        _ = try await watcher.start()
        try await block(device, harness)
        _ = try await harness.call(
            API.unblock,
            .with {
                $0.app = "camera"
                $0.target.deviceID = Data(device.bytes)
            })
        await harness.changeTail.round()
        let events = await watcher.events(2)
        #expect(events.map(\.kind) == ["change.block", "change.unblock"])
        #expect(events.allSatisfy { Array($0.deviceID) == device.bytes && $0.app == "camera" && $0.caller == Caller.demo.name })
        let rows = try await harness.ledger.audit(from: .min, limit: 100).rows
        let numbers = events.map(\.change.auditNumber)
        #expect(numbers == rows.suffix(2).map(\.number))
        let bytes: [UInt8] = try events[0].serializedBytes()
        #expect(!bytes.contains(Array("stolen".utf8)), "an operator's words stay in the audit log")
        await watcher.cancel()
    }

    @Test("flags that a caller sets and clears are events, without an operator's words")
    func flags() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        let watcher = try WatchingCaller(harness, .with { $0.kinds = ["change"] })
        _ = try await watcher.start()
        let set = try await harness.call(
            API.flagDevice,
            .with { ($0.app, $0.deviceID, $0.flag, $0.reason) = ("camera", Data(device.bytes), "farm", "case twelve") })
        _ = try await harness.call(
            API.unflagDevice,
            .with { ($0.app, $0.deviceID, $0.flag, $0.reason) = ("camera", Data(device.bytes), "farm", "case twelve") })
        await harness.changeTail.round()
        let events = await watcher.events(2)
        let kinds = events.map(\.kind)
        #expect(kinds == ["change.flag_set", "change.flag_clear"])
        #expect(events.allSatisfy { Array($0.deviceID) == device.bytes && $0.app == "camera" && $0.caller == Caller.demo.name })
        #expect(events.allSatisfy { $0.change.name == "farm" } && events.map(\.change.count) == [set.untilUnixMs, 0])
        for event in events {
            let bytes: [UInt8] = try event.serializedBytes()
            #expect(!bytes.contains(Array("twelve".utf8)))
        }
        await watcher.cancel()
    }

    @Test("changes that were made before watching began are no events")
    func earlierChanges() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        try await block(device, harness)
        let watcher = try WatchingCaller(harness, .with { $0.kinds = ["change"] })
        _ = try await watcher.start()
        let (_, other) = try await harness.enrol()
        try await block(other, harness)
        #expect(await watcher.events(1).map { Array($0.deviceID) } == [other.bytes])
        await watcher.cancel()
    }

    @Test(
        "an event passes a filter exactly if every part selects it",
        arguments: [
            (WatchFilter(), true), (WatchFilter(kinds: ["verdict"]), true), (WatchFilter(kinds: ["verdict.rejected"]), true),
            (WatchFilter(kinds: ["verdict.accepted"]), false), (WatchFilter(kinds: ["change", "verdict.rejected"]), true),
            (WatchFilter(kinds: ["change"]), false), (WatchFilter(apps: [.camera]), true), (WatchFilter(apps: [.notes]), false),
            (WatchFilter(callers: ["uploads"]), true), (WatchFilter(callers: ["others"]), false),
            (WatchFilter(codes: ["nonce_mismatch"]), true), (WatchFilter(codes: ["bad_signature"]), false),
            (WatchFilter(device: DeviceID(bytes: [UInt8](repeating: 1, count: 16))), true),
            (WatchFilter(device: DeviceID(bytes: [UInt8](repeating: 2, count: 16))), false),
            (WatchFilter(apps: [.camera], codes: ["bad_signature"]), false),
        ])
    func filters(_ filter: WatchFilter, _ admits: Bool) {
        let event = WatchEvent(
            time: ServiceHarness.opening, app: .camera, device: DeviceID(bytes: [UInt8](repeating: 1, count: 16)),
            caller: "uploads",
            .verdict(
                .init(
                    requestID: [1], decision: .rejected, code: "nonce_mismatch", check: "nonce", assurance: .none,
                    purpose: .assert, formats: [], policyDigest: [], simulated: false)))
        #expect(filter.admits(event) == admits)
        let change = WatchEvent(
            .configurationLoad([UInt8](repeating: 0, count: 32), version: "1", by: .start), number: 1,
            at: ServiceHarness.opening)
        let hasOnlyKinds = filter.apps.isEmpty && filter.callers.isEmpty && filter.codes.isEmpty && filter.device == nil
        #expect(
            filter.admits(change) == (hasOnlyKinds && (filter.kinds.isEmpty || filter.kinds.contains("change"))),
            "what an event does not have, no filter finds")
    }

    @Test(
        "a request with a filter that cannot be one is INVALID_ARGUMENT",
        arguments: [
            Assay_V1_WatchRequest.with { $0.kinds = ["verdict.refused"] }, .with { $0.kinds = [""] },
            .with { $0.kinds = .init(repeating: "verdict", count: 33) }, .with { $0.apps = ["Camera!"] },
            .with { $0.apps = .init(repeating: "camera", count: 65) },
            .with { $0.callers = [String(repeating: "a", count: 257)] },
            .with { $0.codes = [String(repeating: "a", count: 65)] }, .with { $0.deviceID = Data([1, 2, 3]) },
            .with { $0.resumeStreamID = Data(count: 9) },
        ])
    func badFilters(_ request: Assay_V1_WatchRequest) async throws {
        let watcher = try WatchingCaller(try await ServiceHarness(), request)
        #expect(await watcher.end()?.code == .invalidArgument)
    }

    @Test("a caller that is limited to some apps sees the events of these alone, and not those that concern all apps")
    func scoped() async throws {
        let limited = Caller(name: "limited", roles: [.operate], apps: [.camera])
        let harness = try await ServiceHarness(
            callers: CallerDirectory(byUserID: [1: limited], loopback: CallerDirectory.demo))
        let watcher = try WatchingCaller(harness, peer: Self.peer(1))
        _ = try await watcher.start()
        let everything = try WatchingCaller(harness)
        _ = try await everything.start()
        _ = try await harness.enrol(.notes)
        try await harness.ledger.record(
            .configurationLoad([UInt8](repeating: 0, count: 32), version: "1", by: .signal), at: ServiceHarness.opening)
        await harness.changeTail.round()
        let (_, device) = try await harness.enrol(.camera)
        #expect(await watcher.events(1).map { Array($0.deviceID) } == [device.bytes])
        #expect(await everything.events(3).map(\.app) == ["notes", "", "camera"])
        let foreign = try WatchingCaller(harness, .with { $0.apps = ["notes"] }, peer: Self.peer(1))
        #expect(await foreign.end()?.code == .permissionDenied)
        await watcher.cancel()
        await everything.cancel()
    }

    @Test("a caller that a reload takes the role from sees nothing more, and the stream ends")
    func revokedRole() async throws {
        let operators = CallerDirectory(
            byUserID: [1: Caller(name: "operator", roles: [.operate], apps: nil)], loopback: CallerDirectory.demo)
        let harness = try await ServiceHarness(callers: operators)
        let watcher = try WatchingCaller(harness, peer: Self.peer(1))
        _ = try await watcher.start()
        let next = CallAuthorizer(
            callers: CallerDirectory(byUserID: [1: Caller(name: "operator", roles: [.observe], apps: nil)]), apps: harness.apps)
        harness.reloadable.exchange(
            for: ServedMethods([], authorizer: next, limiter: harness.limiter, counters: harness.calls))
        harness.hub.publish([
            WatchEvent(
                .configurationLoad([UInt8](repeating: 0, count: 32), version: "1", by: .signal), number: 1,
                at: ServiceHarness.opening)
        ])
        #expect(await watcher.end()?.code == .permissionDenied)
        #expect(await watcher.next(1).isEmpty, "no event is shown after the role is gone")
    }

    @Test("a watcher that is too slow is ended with slow_consumer, and told how many events it missed")
    func overtaken() async throws {
        let harness = try await ServiceHarness(watching: 8)
        let (gate, opened) = AsyncStream.makeStream(of: Void.self)
        let isFirst = Mutex(true)
        let watcher = try WatchingCaller(harness) {
            // The start passes; the first event waits.
            guard
                !isFirst.withLock({ value in
                    defer { value = false }; return value
                })
            else { return }
            for await _ in gate { break }
        }
        _ = try await watcher.start()
        let event = WatchEvent(
            .configurationLoad([UInt8](repeating: 0, count: 32), version: "1", by: .signal), number: 1,
            at: ServiceHarness.opening)
        harness.hub.publish([event])
        // The reader has taken the first event when nothing is left for it.
        while harness.hub.report.events < 1 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        for _ in 0..<20 { harness.hub.publish([event]) }
        opened.finish()
        let items = await watcher.next(.max)
        let missed = items.compactMap { item in if case .overtaken(let it) = item.item { it.missed } else { nil } }
        let read = items.count { if case .event = $0.item { true } else { false } }
        #expect(missed.count == 1 && missed.first.map { Int($0) + read + 8 } == 21, "\(items)")
        let end = await watcher.end()
        #expect(end?.code == .resourceExhausted && end?.reason == "slow_consumer")
        #expect(harness.hub.report.overtaken == 1)
    }

    @Test("as many calls watch as may, in all and of one caller, and the next one is refused until one has ended")
    func bound() async throws {
        let callers = (UInt32(1)...5).map { ($0, Caller(name: "caller \($0)", roles: [.operate, .observe], apps: nil)) }
        let harness = try await ServiceHarness(
            callers: CallerDirectory(byUserID: Dictionary(uniqueKeysWithValues: callers)))
        func peer(_ user: UInt32) -> RPCPeer { .unix(userID: user, groupID: 1, processID: 1) }
        func refusal(_ user: UInt32) async throws -> RPCError? { await (try WatchingCaller(harness, peer: peer(user))).end() }
        var watchers: [WatchingCaller] = []
        for user in UInt32(1)...4 {
            for _ in 0..<WatchHub.watcherLimitOfCaller {
                watchers.append(try WatchingCaller(harness, peer: peer(user)))
                _ = try await watchers.last?.start()
            }
            #expect(try await refusal(user)?.reason == "too_many_watchers", "its own share")
        }
        #expect(harness.hub.report.watchers == WatchHub.watcherLimit)
        let error = try await refusal(5)
        #expect(error?.code == .resourceExhausted && error?.reason == "too_many_watchers")
        await watchers.removeLast().cancel()
        let next = try WatchingCaller(harness, peer: peer(5))
        _ = try await next.start()
        await next.cancel()
        for watcher in watchers { await watcher.cancel() }
        #expect(harness.hub.report.watchers == 0)
    }

    @Test("a stop of the server ends every stream with shutting_down, and begins none")
    func stop() async throws {
        let harness = try await ServiceHarness()
        let watcher = try WatchingCaller(harness)
        _ = try await watcher.start()
        harness.hub.stop()
        let end = await watcher.end()
        #expect(end?.code == .unavailable && end?.reason == "shutting_down")
        let late = try WatchingCaller(harness)
        #expect(await late.end() != nil)
    }

    @Test("without a reader no event is kept, and a reader that comes back soon goes on where it was")
    func resuming() async throws {
        let harness = try await ServiceHarness()
        _ = try await harness.enrol()
        #expect(harness.hub.report.events == 0 && !harness.hub.isActive)
        let watcher = try WatchingCaller(harness)
        let start = try await watcher.start()
        _ = try await harness.enrol()
        let last = try #require(await watcher.events(1).first).sequence
        await watcher.cancel()
        let (_, missed) = try await harness.enrol()
        let again = try WatchingCaller(harness, .with { ($0.resumeStreamID, $0.resumeAfter) = (start.streamID, last) })
        let resumed = try await again.start()
        #expect(resumed.resumed && resumed.missed == 0 && resumed.nextSequence == last + 1)
        #expect(await again.events(1).map { Array($0.deviceID) } == [missed.bytes])
        await again.cancel()
        harness.clock.advance(milliseconds: WatchHub.linger)
        await harness.changeTail.round()
        #expect(!harness.hub.isActive)
        let late = try WatchingCaller(harness, .with { ($0.resumeStreamID, $0.resumeAfter) = (start.streamID, last) })
        let lateStart = try await late.start()
        #expect(!lateStart.resumed && lateStart.streamID != start.streamID)
        await late.cancel()
    }
}
