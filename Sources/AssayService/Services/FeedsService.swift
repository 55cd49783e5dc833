import AssayAPI
package import AssayCore
package import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Feeds`: the lists from outside that verdicts depend on.
package struct FeedsService: Sendable {
    /// Entries of one page: some 200 KiB.
    static let pageLimit = 4000

    private let authorizer: CallAuthorizer
    private let feeds: [any TrustFeed]
    private let changes: ChangeRecorder
    private let clock: any WallClock

    package init(authorizer: CallAuthorizer, feeds: [any TrustFeed], changes: ChangeRecorder, clock: any WallClock) {
        (self.authorizer, self.feeds, self.changes, self.clock) = (authorizer, feeds, changes, clock)
    }

    package var methods: [RPCMethod] {
        [
            RPCMethod(
                path: MethodDeclaration.listFeeds.path,
                handler: .unary { call async throws(RPCError) in
                    let caller = try authorizer.admit(call.peer, to: .listFeeds)
                    _ = try call.decode(Assay_V1_ListFeedsRequest.self)
                    let now = clock.now()
                    return Assay_V1_ListFeedsResponse.with { $0.feeds = feeds.shown(to: caller).map { $0.message(at: now) } }
                }),
            RPCMethod(
                path: MethodDeclaration.readFeed.path,
                handler: .unary { call async throws(RPCError) in try read(call) }),
            RPCMethod(
                path: MethodDeclaration.loadFeed.path,
                handler: .unary { call async throws(RPCError) in try await load(call) }),
        ]
    }

    private func read(_ call: RPCCall) throws(RPCError) -> Assay_V1_FeedEntries {
        let caller = try authorizer.admit(call.peer, to: .readFeed)
        let request = try call.decode(Assay_V1_ReadFeedRequest.self)
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

    private func load(_ call: RPCCall) async throws(RPCError) -> Assay_V1_Feed {
        // A list is everybody's: whoever may act for some apps only changes nothing for others.
        let caller = try authorizer.admit(call.peer, to: .loadFeed)
        guard caller.apps == nil else { throw authorizer.denial(of: caller, .notForAllApps, .loadFeed) }
        let request = try call.decode(Assay_V1_LoadFeedRequest.self)
        let feed = try feed(request.feed, for: caller)
        let now = clock.now()
        let asOf = request.asOfUnixMs == 0 ? now : Timestamp(unixMilliseconds: request.asOfUnixMs)
        guard asOf <= now else {
            throw RPCError(RequestError("as_of_unix_ms", "must not lie in the future"))
        }
        let text = Array(request.list)
        do throws(TrustFeedRefusal) {
            try feed.load(text, asOf: asOf, force: request.force)
        } catch {
            throw RPCError(.failedPrecondition, error.description, reason: "feed_refused")
        }
        let entries = feed.status(at: now).snapshot?.count ?? 0
        await changes.record(
            .listLoad(feed.name, text: text, entries: entries, isForced: request.force, by: .caller(caller.name)), at: now)
        authorizer.requestLog.changed("loaded a list", by: caller, ["feed": "\(feed.name)", "forced": "\(request.force)"])
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
    /// Those that the caller may know of.
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
