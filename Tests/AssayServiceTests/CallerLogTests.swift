import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import Logging
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Callers in the log")
struct CallerLogTests {
    private let book = LogBook()
    private static let uploads = RPCPeer.tls(
        address: "192.0.2.1", port: 7, names: RPCPeerNames(uris: ["spiffe://example.org/uploads"], dnsNames: []))
    private static let security = RPCPeer.unix(userID: 1002, groupID: 1, processID: 2)
    private static let callers = CallerDirectory(
        byUserID: [1002: Caller(name: "security", roles: [.devices, .operate], apps: [.camera])],
        byURI: ["spiffe://example.org/uploads": Caller(name: "uploads", roles: [.verify], apps: [.camera])],
        byDNSName: ["monitor.example.org": Caller(name: "monitor", roles: [.observe], apps: nil)],
        loopback: CallerDirectory.demo)

    private func harness(_ clock: TestInstant = TestInstant()) async throws -> ServiceHarness {
        try await ServiceHarness(
            callers: Self.callers,
            requestLog: RequestLog(
                logger: book.logger(.info), denials: LogRateLimiter(period: .seconds(10), now: { clock.now })))
    }

    private func expectDenied(
        _ harness: ServiceHarness, _ method: some APIMethod, _ message: some SwiftProtobuf.Message, _ peer: RPCPeer
    ) async throws {
        let answer = try await harness.ask(method.path, try message.serializedBytes(), peer: peer)
        guard case .failure(.denied)? = answer else {
            Issue.record("\(method.path) was permitted")
            return
        }
    }

    @Test("the log says which caller was denied what and why, while all denied callers get the same answer")
    func denials() async throws {
        let harness = try await harness()
        func challenge(_ app: String, _ purpose: Assay_V1_Purpose = .assert) -> Assay_V1_IssueChallengeRequest {
            .with { ($0.app, $0.purpose) = (app, purpose) }
        }
        let stranger = RPCPeer.tls(
            address: "192.0.2.9", port: 7, names: RPCPeerNames(uris: [], dnsNames: ["Monitor.example.org"]))
        let both = RPCPeer.tls(
            address: "192.0.2.9", port: 7,
            names: RPCPeerNames(uris: ["spiffe://example.org/uploads"], dnsNames: ["monitor.example.org"]))
        try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), stranger)
        try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), both)
        try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), Self.uploads)
        try await expectDenied(harness, API.issueChallenge, challenge("notes"), Self.uploads)
        try await expectDenied(harness, API.issueChallenge, challenge("another-callers"), Self.uploads)
        try await expectDenied(harness, API.issueChallenge, challenge("camera", .provision), Self.uploads)
        try await expectDenied(harness, API.loadFeed, Assay_V1_LoadFeedRequest(), Self.security)
        let status = API.status.path
        let metadata = book.entries.map(\.metadata)
        #expect(
            metadata == [
                ["why": "not_recognised", "peer": "tls 192.0.2.9 port 7 dns=Monitor.example.org", "method": status],
                [
                    "why": "several_callers", "method": status,
                    "peer": "tls 192.0.2.9 port 7 uri=spiffe://example.org/uploads dns=monitor.example.org",
                ],
                ["why": "no_role", "caller": "uploads", "method": status],
                ["why": "not_its_app", "caller": "uploads", "app": "notes"],
                // What a caller calls an app that is not here is its own word.
                ["why": "no_such_app", "caller": "uploads"],
                ["why": "not_for_all_apps", "caller": "security", "method": API.loadFeed.path],
            ], "the missing role for another purpose is held back: uploads was told of one before")
        #expect(book.entries.allSatisfy { $0.level == .notice && $0.message == "a call was not permitted" })
    }

    @Test("a caller that repeats a denied call gets one line in a period, and other callers keep theirs")
    func flood() async throws {
        let clock = TestInstant()
        let harness = try await harness(clock)
        for _ in 0..<100 { try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), Self.uploads) }
        try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), Self.security)
        #expect(book.entries.map { $0.metadata["caller"] } == ["uploads", "security"])
        clock.advance(.seconds(10))
        try await expectDenied(harness, API.status, Assay_V1_StatusRequest(), Self.uploads)
        #expect(book.entries.last?.metadata["held_back"] == "99")
    }

    @Test("a second unknown peer is named in the log, however soon after the first it comes")
    func strangers() async throws {
        let harness = try await harness()
        for _ in 0..<3 {
            for user in [UInt32(3001), 3002] {
                try await expectDenied(
                    harness, API.status, Assay_V1_StatusRequest(),
                    .tls(
                        address: "192.0.2.9", port: 7, names: RPCPeerNames(uris: ["spiffe://other/\(user)"], dnsNames: [])))
            }
        }
        #expect(
            book.entries.map { $0.metadata["peer"] } == [
                "tls 192.0.2.9 port 7 uri=spiffe://other/3001", "tls 192.0.2.9 port 7 uri=spiffe://other/3002",
            ])
    }

    @Test("the log says which caller blocked, unblocked, forgot and imported, and names no subject or key")
    func changes() async throws {
        let harness = try await harness()
        let (_, device) = try await harness.enrol()
        func change(_ method: some APIMethod, _ message: some SwiftProtobuf.Message) async throws {
            _ = try await harness.ask(method.path, try message.serializedBytes(), peer: Self.security)?.get()
        }
        let target = Assay_V1_BlockTarget.with { $0.deviceID = Data(device.bytes) }
        try await change(
            API.block, Assay_V1_BlockRequest.with { ($0.app, $0.target, $0.reason) = ("camera", target, "stolen by mr. x") })
        for _ in 0..<2 {
            try await change(API.unblock, Assay_V1_UnblockRequest.with { ($0.app, $0.target) = ("camera", target) })
        }
        let subject = Assay_V1_BlockTarget.with { $0.subject = Data("mrs.robinson".utf8) }
        try await change(
            API.block, Assay_V1_BlockRequest.with { ($0.app, $0.target, $0.reason) = ("camera", subject, "fraud") })
        try await change(
            API.forgetDevice, Assay_V1_ForgetDeviceRequest.with { ($0.app, $0.deviceID) = ("camera", Data(device.bytes)) })
        let said = book.entries.filter { $0.level == .notice }.map { [$0.message: $0.metadata] }
        let common = ["caller": "security", "app": "camera"]
        func line(_ names: [String: String]) -> [String: String] { names.merging(common) { $1 } }
        #expect(
            said == [
                ["blocked": line(["by": "device", "device": "\(device)", "devices": "1"])],
                ["unblocked": line(["by": "device", "device": "\(device)", "devices": "1"])],
                ["blocked": line(["by": "subject", "devices": "0"])],
                ["forgot a device": line(["device": "\(device)", "key_stays_blocked": "false"])],
            ], "lifting what is not there changes nothing")
    }

    @Test("the log says which caller set a flag on a device and cleared it, and has no reason")
    func flags() async throws {
        let harness = try await harness()
        let (_, device) = try await harness.enrol()
        let until = ServiceHarness.opening.adding(milliseconds: 60_000).unixMilliseconds
        let set = Assay_V1_FlagDeviceRequest.with {
            ($0.app, $0.deviceID, $0.flag, $0.untilUnixMs) = ("camera", Data(device.bytes), "farm", until)
            $0.reason = "of mr. x"
        }
        let cleared = Assay_V1_UnflagDeviceRequest.with {
            ($0.app, $0.deviceID, $0.flag, $0.reason) = ("camera", Data(device.bytes), "farm", "not of mr. x")
        }
        for _ in 0..<2 { _ = try await harness.call(API.flagDevice, set, peer: Self.security) }
        for _ in 0..<2 { _ = try await harness.call(API.unflagDevice, cleared, peer: Self.security) }
        let said = book.entries.filter { $0.level == .notice }.map { [$0.message: $0.metadata] }
        let names = ["caller": "security", "app": "camera", "device": "\(device)", "flag": "farm"]
        #expect(
            said == [["flagged a device": names], ["unflagged a device": names]], "a call that changes nothing is not said")
    }
}
