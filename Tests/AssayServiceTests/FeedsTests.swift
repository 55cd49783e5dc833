import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Feeds")
struct FeedsTests {
    private func snapshot(_ count: Int) -> RevocationSnapshot {
        var entries: [[UInt8]: RevocationSnapshot.Entry] = [:]
        for number in 1...count {
            let serialNumber = withUnsafeBytes(of: UInt16(number).bigEndian) { Array($0) }
            let status: RevocationSnapshot.Status = number % 2 == 0 ? .suspended : .revoked
            entries[serialNumber] = .init(status, reason: "KEY_COMPROMISE")
        }
        return RevocationSnapshot(
            feed: FeedVersion(name: "list", id: "0123456789abcdef", asOf: ServiceHarness.opening.adding(milliseconds: -5000)),
            entries: entries,
            oddEntries: .init(unreadable: 2, unknownStatus: 1, example: "0x7"))
    }

    private func read(_ harness: ServiceHarness, from: UInt32 = 0) async throws -> Assay_V1_FeedEntries {
        try await harness.call(API.readFeed, Assay_V1_ReadFeedRequest.with { ($0.feed, $0.from) = ("list", from) })
    }

    private func error(_ harness: ServiceHarness, _ path: String, _ message: some SwiftProtobuf.Message) async throws
        -> RPCError?
    {
        guard case .failure(let error)? = try await harness.ask(path, try message.serializedBytes()) else { return nil }
        return error
    }

    @Test("feeds are listed with their version, their age and their problem")
    func list() async throws {
        let known = StandInFeed(name: "list", snapshot: snapshot(3), problem: "it snows")
        let harness = try await ServiceHarness(feeds: [known, StandInFeed(name: "empty", snapshot: nil)])
        let response: Assay_V1_ListFeedsResponse = try await harness.call(API.listFeeds, Assay_V1_ListFeedsRequest())
        #expect(response.feeds.map(\.feed) == ["list", "empty"])
        let feed = try #require(response.feeds.first)
        #expect(feed.id == "0123456789abcdef" && feed.entries == 3 && feed.problem == "it snows" && feed.wanted)
        #expect(feed.asOfUnixMs == ServiceHarness.opening.unixMilliseconds - 5000 && feed.maxAgeMs == 1000)
        #expect(response.feeds.last?.id == "" && response.feeds.last?.asOfUnixMs == 0)
        #expect(feed.unreadableEntries == 2 && feed.unreadableExample == "0x7" && feed.unknownStatusEntries == 1)
        #expect(feed.unavailable.isEmpty && response.feeds.last?.unavailable == "no list")
    }

    @Test("a feed of an app is shown to callers that may use the app")
    func oneApp() async throws {
        let watcher = Caller(name: "watcher", roles: [.observe], apps: [.notes])
        let harness = try await ServiceHarness(
            callers: CallerDirectory(byUserID: [7: watcher], loopback: CallerDirectory.demo),
            feeds: [
                StandInFeed(name: "list", snapshot: snapshot(3)),
                StandInFeed(name: "file:camera", snapshot: snapshot(3), apps: [.camera]),
                StandInFeed(name: "file:notes", snapshot: snapshot(3), apps: [.notes]),
            ])
        let peer = RPCPeer.unix(userID: 7, groupID: 1, processID: 1)
        let all: Assay_V1_ListFeedsResponse = try await harness.call(API.listFeeds, Assay_V1_ListFeedsRequest())
        #expect(all.feeds.map(\.feed) == ["list", "file:camera", "file:notes"])
        let some: Assay_V1_ListFeedsResponse = try await harness.call(
            API.listFeeds, Assay_V1_ListFeedsRequest(), peer: peer)
        #expect(some.feeds.map(\.feed) == ["list", "file:notes"])
        let own: Assay_V1_FeedEntries = try await harness.call(
            API.readFeed, Assay_V1_ReadFeedRequest.with { $0.feed = "file:notes" }, peer: peer)
        #expect(own.total == 3)
        let other = try await harness.ask(
            API.readFeed.path, try Assay_V1_ReadFeedRequest.with { $0.feed = "file:camera" }.serializedBytes(), peer: peer)
        guard case .failure(let error)? = other else {
            Issue.record("a list of another app's was read")
            return
        }
        #expect(error.code == .notFound && error.reason == "unknown_feed")
    }

    @Test("a feed is read page by page, in the order of the serial numbers")
    func pages() async throws {
        let harness = try await ServiceHarness(feeds: [StandInFeed(name: "list", snapshot: snapshot(4500))])
        let first = try await read(harness)
        #expect(first.total == 4500 && first.entries.count == 4000 && first.id == "0123456789abcdef")
        let second = try await read(harness, from: 4000)
        #expect(second.entries.count == 500)
        #expect(try await read(harness, from: .max).entries.isEmpty)
        let serials = (first.entries + second.entries).map { Array($0.serial) }
        #expect(Set(serials).count == 4500 && serials.first == [1] && serials.last == [0x11, 0x94])
        #expect(first.entries.first?.status == "REVOKED" && first.entries.first?.reason == "KEY_COMPROMISE")
        #expect(first.entries.dropFirst().first?.status == "SUSPENDED")
    }

    @Test("a feed takes an operator's list, or says why not")
    func load() async throws {
        let feed = StandInFeed(name: "list", snapshot: nil)
        let harness = try await ServiceHarness(feeds: [feed])
        let request = Assay_V1_LoadFeedRequest.with { ($0.feed, $0.list, $0.force) = ("list", Data("good".utf8), true) }
        let _: Assay_V1_Feed = try await harness.call(API.loadFeed, request)
        #expect(feed.loaded.map(\.text) == ["good"] && feed.loaded.map(\.force) == [true])
        #expect(feed.loaded.map(\.asOf) == [ServiceHarness.opening])
        func recorded() -> [AuditChange] { harness.ledger.memory.auditChanges.map(\.change) }
        let change = AuditChange.listLoad(
            "list", text: Array("good".utf8), entries: 0, isForced: true, by: .caller(Caller.demo.name))
        #expect(recorded() == [change] && change.digest == ClientData.payloadHash(Array("good".utf8)))
        let bad = try await error(
            harness, API.loadFeed.path, Assay_V1_LoadFeedRequest.with { ($0.feed, $0.list) = ("list", Data("bad".utf8)) })
        #expect(bad?.code == .failedPrecondition && bad?.reason == "feed_refused" && bad?.message == "no list")
        let future = try await error(
            harness, API.loadFeed.path,
            Assay_V1_LoadFeedRequest.with { ($0.feed, $0.asOfUnixMs) = ("list", ServiceHarness.opening.unixMilliseconds + 1) })
        #expect(future?.code == .invalidArgument)
        #expect(
            try await error(harness, API.loadFeed.path, Assay_V1_LoadFeedRequest.with { $0.feed = "x" })?.code == .notFound
        )
        #expect(recorded() == [change], "what is not taken is not recorded")
    }
}
