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
        let entries = (1...count).map { number -> ([UInt8], RevocationSnapshot.Entry) in
            (
                [UInt8(number >> 8), UInt8(number & 0xFF)],
                .init(number % 2 == 0 ? .suspended : .revoked, reason: "KEY_COMPROMISE")
            )
        }
        return RevocationSnapshot(
            feed: FeedVersion(name: "list", id: "0123456789abcdef", asOf: House.opening.adding(milliseconds: -5000)),
            entries: Dictionary(uniqueKeysWithValues: entries))
    }

    private func read(_ house: House, from: UInt32 = 0) async throws -> Assay_V1_FeedEntries {
        try await house.call("/assay.v1.Feeds/Read", Assay_V1_ReadFeedRequest.with { ($0.feed, $0.from) = ("list", from) })
    }

    private func error(_ house: House, _ path: String, _ message: some SwiftProtobuf.Message) async throws -> RPCError? {
        guard case .failure(let error)? = try await house.ask(path, try message.serializedBytes()) else { return nil }
        return error
    }

    @Test("are listed with their version, their age and what troubles them")
    func list() async throws {
        let known = StandInFeed(name: "list", snapshot: snapshot(3), problem: "it snows")
        let house = try await House(feeds: [known, StandInFeed(name: "empty", snapshot: nil)])
        let response: Assay_V1_ListFeedsResponse = try await house.call("/assay.v1.Feeds/List", Assay_V1_ListFeedsRequest())
        #expect(response.feeds.map(\.feed) == ["list", "empty"])
        let feed = try #require(response.feeds.first)
        #expect(feed.id == "0123456789abcdef" && feed.entries == 3 && feed.problem == "it snows" && feed.wanted)
        #expect(feed.asOfUnixMs == House.opening.unixMilliseconds - 5000 && feed.maxAgeMs == 1000)
        #expect(response.feeds.last?.id == "" && response.feeds.last?.asOfUnixMs == 0)
    }

    @Test("are read page by page, in the order of the serial numbers")
    func pages() async throws {
        let house = try await House(feeds: [StandInFeed(name: "list", snapshot: snapshot(4500))])
        let first = try await read(house)
        #expect(first.total == 4500 && first.entries.count == 4000 && first.id == "0123456789abcdef")
        let second = try await read(house, from: 4000)
        #expect(second.entries.count == 500)
        #expect(try await read(house, from: .max).entries.isEmpty)
        let serials = (first.entries + second.entries).map { Array($0.serial) }
        #expect(Set(serials).count == 4500 && serials.first == [1] && serials.last == [0x11, 0x94])
        #expect(first.entries.first?.status == "REVOKED" && first.entries.first?.reason == "KEY_COMPROMISE")
        #expect(first.entries.dropFirst().first?.status == "SUSPENDED")
    }

    @Test("take a list from an operator, or say why not")
    func load() async throws {
        let feed = StandInFeed(name: "list", snapshot: nil)
        let house = try await House(feeds: [feed])
        let request = Assay_V1_LoadFeedRequest.with { ($0.feed, $0.list, $0.force) = ("list", Data("good".utf8), true) }
        let _: Assay_V1_Feed = try await house.call("/assay.v1.Feeds/Load", request)
        #expect(feed.loaded.map(\.text) == ["good"] && feed.loaded.map(\.force) == [true])
        #expect(feed.loaded.map(\.asOf) == [House.opening])
        func recorded() -> [AuditChange] { house.ledger.memory.auditChanges.map(\.change) }
        let change = AuditChange.listLoad(
            "list", text: Array("good".utf8), entries: 0, isForced: true, by: .caller(Caller.demo.name))
        #expect(recorded() == [change] && change.digest == ClientData.payloadHash(Array("good".utf8)))
        let bad = try await error(
            house, "/assay.v1.Feeds/Load", Assay_V1_LoadFeedRequest.with { ($0.feed, $0.list) = ("list", Data("bad".utf8)) })
        #expect(bad?.code == .failedPrecondition && bad?.reason == "feed_refused" && bad?.message == "no list")
        let future = try await error(
            house, "/assay.v1.Feeds/Load",
            Assay_V1_LoadFeedRequest.with { ($0.feed, $0.asOfUnixMs) = ("list", House.opening.unixMilliseconds + 1) })
        #expect(future?.code == .invalidArgument)
        #expect(
            try await error(house, "/assay.v1.Feeds/Load", Assay_V1_LoadFeedRequest.with { $0.feed = "x" })?.code == .notFound)
        #expect(recorded() == [change], "what is not taken is not recorded")
    }
}

/// A feed that remembers what it was brought.
private final class StandInFeed: TrustFeed {
    struct Loaded {
        let text: String
        let asOf: Timestamp
        let force: Bool
    }

    let name: String
    let status: TrustFeedStatus
    private let state = Mutex<[Loaded]>([])
    var loaded: [Loaded] { state.withLock { $0 } }

    init(name: String, snapshot: RevocationSnapshot?, problem: String? = nil) {
        self.name = name
        status = TrustFeedStatus(
            source: "test", isWanted: true, snapshot: snapshot, maxAgeMilliseconds: 1000, problem: problem, triedAt: nil)
    }

    func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedRefusal) {
        guard text == Array("good".utf8) else { throw TrustFeedRefusal("no list") }
        state.withLock { $0.append(Loaded(text: "good", asOf: asOf, force: force)) }
    }
}
