package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// A revocation list that is kept up to date in the background, and read on the request path without I/O.
///
/// The last good list is in force: an answer that is not a list, an empty list, or one that shrank drastically changes nothing.
/// It is valid until it is older than the configured age; after that, apps that require a list get no verdicts. The last good
/// copy is on disk, so that a restart needs no network.
package final class RevocationFeed: RevocationSource, TrustFeed, Service {
    package struct Settings: Hashable, Sendable {
        package var address: VendorAddress
        package var path: String
        /// The greatest age of the list, in milliseconds.
        package var maxAgeMilliseconds: Int64
        /// The file of the last good copy; `nil`: none.
        package var file: String?
        /// False if no app uses it, so that it is not fetched.
        package var isWanted: Bool

        package init(
            address: VendorAddress, path: String, maxAgeMilliseconds: Int64 = 86_400_000, file: String?, isWanted: Bool = true
        ) {
            self.address = address
            self.path = path
            self.maxAgeMilliseconds = maxAgeMilliseconds
            self.file = file
            self.isWanted = isWanted
        }
    }

    /// A list with fewer than this part of the previous entries is refused as a mistake, in percent.
    static let shrinkPercent = 75
    struct State {
        var settings: Settings
        var list: CachedFeed?
        var snapshot: RevocationSnapshot?
        var failures = 0
        var problem: FeedError?
        var triedAt: Timestamp?
        var askAgainAt = Timestamp.distantPast
        /// The settings changed since the loop read them.
        var isChanged = false
        var sleep: Task<Void, Never>?

        /// The same list, confirmed as the latest at another time.
        mutating func date(asOf time: Timestamp) {
            list = list.map { CachedFeed(text: $0.text, asOf: time, eTag: $0.eTag) }
            snapshot = snapshot?.known(asOf: time)
        }
    }

    package let name: String
    let state: Mutex<State>
    let client: VendorClient
    let clock: any WallClock
    let logger: Logger
    let backoff = Backoff(first: 30_000, cap: 1_800_000)

    /// Reads the last good copy, if there is one.
    package init(name: String, settings: Settings, client: VendorClient, clock: any WallClock, logger: Logger) {
        self.name = name
        self.client = client
        self.clock = clock
        self.logger = logger
        state = Mutex(State(settings: settings))
        recall()
    }

    // MARK: The list in force

    package func knowledge(at now: Timestamp) -> RevocationKnowledge {
        state.withLock { state in
            guard let snapshot = state.snapshot else {
                return .unavailable("no list of \(name) is known yet" + (state.problem.map { ": \($0)" } ?? ""))
            }
            let age = now.milliseconds(since: snapshot.feed.asOf)
            guard age <= state.settings.maxAgeMilliseconds else {
                return .unavailable("the list of \(name) is \(DurationText.rounded(age)) old, older than it may be")
            }
            return .snapshot(snapshot)
        }
    }

    package func status(at now: Timestamp) -> TrustFeedStatus {
        let unavailable = knowledge(at: now).unavailable
        return state.withLock { state in
            TrustFeedStatus(
                source: state.settings.address.description + state.settings.path, isWanted: state.settings.isWanted,
                snapshot: state.snapshot, maxAgeMilliseconds: state.settings.maxAgeMilliseconds, unavailable: unavailable,
                problem: state.problem?.description, triedAt: state.triedAt)
        }
    }

    // MARK: New lists

    /// Replaces the settings.
    package func use(_ settings: Settings) {
        state.withLock { state in
            guard state.settings != settings else { return }
            state.settings = settings
            state.askAgainAt = .distantPast
            state.failures = 0
            state.isChanged = true
            state.sleep?.cancel()
        }
    }

    /// Accepts an operator's list under the rules of a fetched one.
    ///
    /// - Parameter evenIfShrunken: accepts it although it is empty or much shorter than the one in force.
    package func load(
        _ text: [UInt8], asOf: Timestamp, evenIfShrunken: Bool = false
    ) async throws(FeedError) -> RevocationSnapshot {
        try await take(CachedFeed(text: text, asOf: min(asOf, clock.now()), eTag: nil), evenIfShrunken: evenIfShrunken)
    }

    package func load(_ text: [UInt8], asOf: Timestamp, force: Bool) async throws(TrustFeedError) {
        do throws(FeedError) {
            _ = try await load(text, asOf: asOf, evenIfShrunken: force)
        } catch {
            throw TrustFeedError(error.description)
        }
    }

    /// Puts a list in force, and keeps it in the file. It is read behind requests: Google's has had thousands of entries.
    func take(_ list: CachedFeed, evenIfShrunken: Bool) async throws(FeedError) -> RevocationSnapshot {
        try await BackgroundThread.run("assay-lists") { () throws(FeedError) in
            try self.takeNow(list, evenIfShrunken: evenIfShrunken)
        }
    }

    private func takeNow(_ list: CachedFeed, evenIfShrunken: Bool) throws(FeedError) -> RevocationSnapshot {
        let snapshot = try RevocationSnapshot(attestationStatus: list.text, feed: name, asOf: list.asOf)
        let now = clock.now()
        let (file, isNew) = try state.withLock { (state) throws(FeedError) -> (String?, Bool) in
            if let known = state.snapshot?.dated(by: now), list.asOf < known, !evenIfShrunken { throw .outdated }
            let before = state.snapshot?.count ?? 0
            guard evenIfShrunken || (snapshot.count > 0 && snapshot.count * 100 >= before * Self.shrinkPercent) else {
                throw .shrunken(from: before, to: snapshot.count)
            }
            let isNew = state.snapshot?.feed.id != snapshot.feed.id
            (state.list, state.snapshot) = (list, snapshot)
            (state.problem, state.failures) = (nil, 0)
            return (state.settings.file, isNew)
        }
        if isNew { snapshot.logOddEntries(by: logger) }
        if let file { keep(list, in: file) }
        return snapshot
    }

    /// Dates `list`, unless another one is in force by now: what an operator loaded meanwhile stays.
    func confirm(_ list: CachedFeed, asOf time: Timestamp) async {
        await BackgroundThread.run("assay-lists") {
            let dated = self.state.withLock { state -> (CachedFeed, String)? in
                guard state.list == list else { return nil }
                state.date(asOf: time)
                return state.list.flatMap { list in state.settings.file.map { (list, $0) } }
            }
            if let (list, file) = dated { self.keep(list, in: file) }
        }
    }

    func keep(_ list: CachedFeed, in file: String) {
        do throws(CachedFeedFileError) {
            try CachedFeedFile.write(list.file, to: file)
        } catch {
            logger.warning("the last good list could not be kept", metadata: ["feed": "\(name)", "problem": "\(error)"])
        }
    }

    private func recall() {
        guard let path = state.withLock({ $0.settings.file }), let file = CachedFeedFile.read(path) else { return }
        // A copy from the future was made under a clock that ran ahead: its age is unknown.
        guard let list = CachedFeed(file: file), list.asOf <= clock.now(),
            (try? takeNow(list, evenIfShrunken: true)) != nil
        else {
            logger.warning("the kept list is not used: it is damaged, or from the future", metadata: ["feed": "\(name)"])
            return
        }
    }
}

extension RevocationSnapshot {
    /// When it was last confirmed as the latest; `nil` if that is in the future. Such a list was accepted under a clock that
    /// ran ahead: its age is unknown, and it takes precedence over no other.
    func dated(by now: Timestamp) -> Timestamp? { feed.asOf <= now ? feed.asOf : nil }
}

/// Why a list was refused. The earlier list stays in force.
package enum FeedError: Error, Hashable, Sendable {
    /// The service did not answer, or without a list.
    case unavailable(String)
    /// The bytes are not a list.
    case malformed(String)
    /// The list is much shorter than the earlier one, or empty.
    case shrunken(from: Int, to: Int)
    /// The list is older than the one in force.
    case outdated
}

extension FeedError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let why): why
        case .malformed(let why): "not a revocation list: \(why)"
        case .shrunken(let from, let to):
            "the list has shrunk from \(from) to \(to) entries, which is taken for a mistake"
        case .outdated: "the list is older than the one that is known"
        }
    }
}
