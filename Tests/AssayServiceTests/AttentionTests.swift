import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Attention in the status")
struct AttentionTests {
    private func status(_ harness: ServiceHarness, peer: RPCPeer = ServiceHarness.loopback) async throws
        -> Assay_V1_StatusResponse
    {
        try await harness.call(API.status, Assay_V1_StatusRequest(), peer: peer)
    }

    private func codes(_ harness: ServiceHarness) async throws -> [String] { try await status(harness).attention.map(\.code) }

    private func list(age: Int64) -> RevocationSnapshot {
        RevocationSnapshot(
            feed: FeedVersion(name: "list", id: "0123456789abcdef", asOf: ServiceHarness.opening.adding(milliseconds: -age)),
            entries: [[1]: .init(.revoked)])
    }

    @Test("is empty where all is well")
    func nothing() async throws {
        let harness = try await ServiceHarness(
            disk: DiskSpace(free: 50 << 30, capacity: 100 << 30), feeds: [StandInFeed(name: "list", snapshot: list(age: 5))])
        harness.certificates.value = [
            CertificateEnd(
                file: "server.pem", use: .server, notAfter: ServiceHarness.opening.adding(milliseconds: 15 * 86_400_000))
        ]
        let status = try await status(harness)
        #expect(status.attention.isEmpty)
        #expect(status.feeds.map(\.feed) == ["list"] && status.feeds.first?.entries == 1)
        #expect(status.certificates.map(\.file) == ["server.pem"] && status.certificates.first?.use == .server)
        #expect(status.certificates.first?.notAfterUnixMs == ServiceHarness.opening.unixMilliseconds + 15 * 86_400_000)
    }

    @Test("tells of a webhook that has failed for minutes, was ended by its receiver, or loses dead letters")
    func webhooks() {
        func codes(_ webhook: Assay_V1_Webhook) -> [String] {
            Assay_V1_StatusResponse.with {
                ($0.nowUnixMs, $0.webhooks, $0.store.available) = (1_000_000, [webhook], true)
            }.attention().map(\.code)
        }
        func webhook(_ state: Assay_V1_Webhook.State, since: Int64 = 0, _ problem: String = "") -> Assay_V1_Webhook {
            .with { ($0.name, $0.state, $0.failingSinceUnixMs, $0.problem) = ("pager", state, since, problem) }
        }
        #expect(codes(webhook(.delivering)).isEmpty)
        #expect(codes(webhook(.failing, since: 700_001, "no answer")).isEmpty, "not yet five minutes")
        #expect(codes(webhook(.failing, since: 700_000, "no answer")) == ["webhook_failing"])
        #expect(codes(webhook(.gone, since: 999_999, "410 Gone")) == ["webhook_failing"])
        #expect(codes(webhook(.delivering, "the file cannot be written")) == ["webhook_failing"])
    }

    @Test("tells of status lists that have been behind the ledger for a minute, and not of one look that failed")
    func statusLists() {
        func codes(checkedAt: Int64, _ problem: String) -> [String] {
            Assay_V1_StatusResponse.with {
                ($0.nowUnixMs, $0.store.available) = (1_000_000, true)
                $0.statusLists = .with { ($0.checkedAtUnixMs, $0.problem) = (checkedAt, problem) }
            }.attention().map(\.code)
        }
        #expect(codes(checkedAt: 900_000, "").isEmpty, "every look is good, and the last is long ago")
        #expect(codes(checkedAt: 940_001, "the ledger is unavailable").isEmpty)
        #expect(codes(checkedAt: 940_000, "the ledger is unavailable") == ["status_lists_not_refreshed"])
        #expect(codes(checkedAt: 0, "no key may sign") == ["status_lists_not_refreshed"], "not since the start")
    }

    @Test("tells a damaged and a replaced ledger apart from one that gives no answer, and of a clock out of order")
    func storeAndClock() {
        for (state, want) in [
            ("damaged", "store_damaged"), ("replaced", "store_replaced"), ("unavailable", "store_unavailable"),
        ] {
            let response = Assay_V1_StatusResponse.with { $0.store = .with { $0.state = state } }
            #expect(response.attention().map(\.code) == [want])
        }
        let response = Assay_V1_StatusResponse.with {
            $0.store = .with { $0.available = true }
            $0.clock = .with { ($0.noChallengesUntilUnixMs, $0.aheadMs) = (1, 5000) }
        }
        #expect(response.attention().map(\.code) == ["no_challenges"])
    }

    @Test("tells of a reload that was refused, until one is not")
    func reload() async throws {
        let harness = try await ServiceHarness()
        harness.reloadProblem.value = ReloadProblem(at: ServiceHarness.opening, text: "apps.camera: no\nlisten: no")
        let told = try await status(harness).attention
        #expect(
            told.map(\.code) == ["reload_refused"] && told.first?.message.hasSuffix(": apps.camera: no; listen: no") == true)
        harness.reloadProblem.value = nil
        #expect(try await codes(harness).isEmpty)
    }

    @Test("tells of lists that are missing, too old, or soon too old, where an app needs them")
    func feeds() async throws {
        for (feed, want) in [
            (StandInFeed(name: "list", snapshot: nil), ["feed_missing"]),
            (StandInFeed(name: "list", snapshot: nil, isWanted: false), []),
            (StandInFeed(name: "list", snapshot: list(age: 2000), unavailable: "too old"), ["feed_outdated"]),
            (StandInFeed(name: "list", snapshot: list(age: -2000), unavailable: "in the future"), ["feed_outdated"]),
            (StandInFeed(name: "list", snapshot: list(age: 750), problem: "no answer"), ["feed_not_refreshed"]),
            (StandInFeed(name: "list", snapshot: list(age: 749), problem: "no answer"), []),
            (StandInFeed(name: "list", snapshot: list(age: 999)), []),
        ] {
            #expect(try await codes(ServiceHarness(feeds: [feed])) == want)
        }
    }

    @Test("tells of certificates that end within 14 days, and of those that have ended")
    func certificates() async throws {
        let harness = try await ServiceHarness()
        let fortnight: Int64 = 14 * 86_400_000
        harness.certificates.value = [
            CertificateEnd(file: "a.pem", use: .server, notAfter: ServiceHarness.opening.adding(milliseconds: fortnight - 1)),
            CertificateEnd(file: "b.pem", use: .callerCA, notAfter: ServiceHarness.opening.adding(milliseconds: fortnight)),
            CertificateEnd(file: "c.pem", use: .callerCA, notAfter: ServiceHarness.opening.adding(milliseconds: -1)),
        ]
        let told = try await status(harness).attention
        let codes = told.map(\.code)
        #expect(codes == ["certificate_expires_soon", "certificate_expired"])
        #expect(told.first?.message.hasPrefix("a.pem: ") == true && told.last?.message.hasPrefix("c.pem: ") == true)
    }

    @Test("tells of apps that can give no verdict, and their callers alone")
    func apps() async throws {
        let board = RevocationBoard()
        let harness = try await ServiceHarness.android(board: board)
        board.set(.unavailable("no list is known yet"))
        let status = try await status(harness)
        let outage = try #require(status.apps.first?.outages.first)
        #expect(outage.formats == ["key-attestation.chain", "key-signature"] && outage.reason == "no list is known yet")
        #expect(status.attention.map(\.code) == ["app_unavailable"] && status.attention.first?.app == "camera")
        board.revoke([])
        #expect(try await codes(harness).isEmpty)

        let watcher = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let failing = AppProfile(
            id: .camera, verifiers: [], answerSources: [.playIntegrity: FailingVendor()], policyDigest: [1])
        let vendors = try await ServiceHarness(
            [failing, .testing(.notes)],
            callers: CallerDirectory(byUserID: [7: watcher], loopback: CallerDirectory.demo))
        let told = try await self.status(vendors)
        #expect(told.attention.map(\.message) == ["no verdict on play-integrity.token: it snows"])
        #expect(try await self.status(vendors, peer: .unix(userID: 7, groupID: 1, processID: 1)).attention.isEmpty)
    }

    @Test("tells of a store that fails, of a full disk and of evidence that can be remembered no more")
    func store() async throws {
        let harness = try await ServiceHarness(disk: DiskSpace(free: 1 << 20, capacity: 100 << 30))
        #expect(try await codes(harness) == ["disk_low"])
        _ = harness.memory.note(isFull: true)
        #expect(try await codes(harness) == ["evidence_memory_full", "disk_low"])
        harness.ledger.fail(with: .unavailable("no space"))
        #expect(try await codes(harness) == ["store_unavailable", "disk_low"])
    }

    @Test("has codes that the operators' page lists, and no other")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/operate/status.md"), encoding: .utf8)
        for code in AttentionCode.allCases { #expect(page.contains("| `\(code.rawValue)` |"), "\(code)") }
    }
}

private struct FailingVendor: AnswerSource {
    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        throw AnswerSourceError("it snows")
    }
    func outage(at now: Timestamp) -> String? { "it snows" }
}
