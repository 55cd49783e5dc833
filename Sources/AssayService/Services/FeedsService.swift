import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Feeds`: the trust feeds that verdicts depend on.
package struct FeedsService: Sendable {
    /// Entries of one page, about 200 KiB.
    static let pageLimit = 4000

    private let feeds: [any TrustFeed]
    private let changes: ChangeRecorder
    private let clock: any WallClock
    private let requestLog: RequestLog

    package init(feeds: [any TrustFeed], changes: ChangeRecorder, clock: any WallClock, requestLog: RequestLog) {
        (self.feeds, self.changes, self.clock, self.requestLog) = (feeds, changes, clock, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.listFeeds) { caller, _ in
                let now = clock.now()
                return .with { $0.feeds = feeds.shown(to: caller).map { $0.message(at: now) } }
            },
            .unary(API.readFeed, read),
            .unary(API.loadFeed, load),
        ]
    }

    private func read(_ caller: Caller, _ request: Assay_V1_ReadFeedRequest) throws(RPCError) -> Assay_V1_FeedEntries {
        guard let snapshot = try feed(request.feed, for: caller).status(at: clock.now()).snapshot else {
            return Assay_V1_FeedEntries()
        }
        return .with {
            $0.id = snapshot.feed.id
            $0.total = UInt32(clamping: snapshot.count)
            $0.entries = snapshot.page(from: Int(request.from), limit: Self.pageLimit).map { serial, entry in
                .with { ($0.serial, $0.status, $0.reason) = (Data(serial), entry.status.text, entry.reason) }
            }
        }
    }

    private func load(_ caller: Caller, _ request: Assay_V1_LoadFeedRequest) async throws -> Assay_V1_Feed {
        let feed = try feed(request.feed, for: caller)
        let now = clock.now()
        let asOf = request.asOfUnixMs == 0 ? now : Timestamp(unixMilliseconds: request.asOfUnixMs)
        guard asOf <= now else {
            throw RequestError("as_of_unix_ms", "must not lie in the future")
        }
        let text = Array(request.list)
        try await feed.load(text, asOf: asOf, force: request.force)
        let entries = feed.status(at: now).snapshot?.count ?? 0
        await changes.record(
            .listLoad(feed.name, text: text, entries: entries, isForced: request.force, by: .caller(caller.name)), at: now)
        requestLog.changed("loaded a list", by: caller, ["feed": "\(feed.name)", "forced": "\(request.force)"])
        return feed.message(at: now)
    }

    private func feed(_ name: String, for caller: Caller) throws(RPCError) -> any TrustFeed {
        guard let feed = feeds.shown(to: caller).first(where: { $0.name == name }) else {
            throw RPCError(.notFound, "there is no feed of that name", reason: "unknown_feed")
        }
        return feed
    }
}

extension [any TrustFeed] {
    /// The feeds that no app owns, and the ones of the caller's apps.
    func shown(to caller: Caller) -> Self {
        filter { feed in feed.apps.map { $0.contains(where: caller.may(use:)) } ?? true }
    }
}

extension TrustFeed {
    func message(at now: Timestamp) -> Assay_V1_Feed {
        let status = status(at: now)
        return .with {
            $0.feed = name
            $0.source = status.source
            $0.wanted = status.isWanted
            $0.maxAgeMs = status.maxAgeMilliseconds
            $0.unavailable = status.unavailable ?? ""
            $0.problem = status.problem ?? ""
            $0.triedAtUnixMs = status.triedAt?.unixMilliseconds ?? 0
            guard let snapshot = status.snapshot else { return }
            $0.id = snapshot.feed.id
            $0.asOfUnixMs = snapshot.feed.asOf.unixMilliseconds
            $0.entries = UInt32(clamping: snapshot.count)
            $0.unreadableEntries = UInt32(clamping: snapshot.oddEntries.unreadable)
            $0.unreadableExample = snapshot.oddEntries.example
            $0.unknownStatusEntries = UInt32(clamping: snapshot.oddEntries.unknownStatus)
        }
    }
}
