package import AssayCore
package import AssayResults
package import Logging
import ServiceLifecycle
import Synchronization

/// Publishes the status lists: looks every 15 seconds at what the ledger says of each list, signs a list again that says something else or is at half
/// of its life, and keeps the signed bytes for readers, who cost nothing more.
///
/// Every daemon on a ledger does so by itself: a list comes from what the ledger says, and no daemon waits for another. A block is visible after one
/// period, the time that caches keep a list (``cacheLifetime``) and that of its reader (`ttl`, as long): 45 seconds at most.
package actor StatusListPublisher: Service {
    /// From the beginning of a look to the next, in milliseconds.
    package static let period: Int64 = 15_000
    /// How long caches and readers may keep a list, in seconds.
    package static let cacheLifetime: Int64 = 15
    /// The most lists, with 131,072 places each. A list takes 150 KB at most, and some KB as a rule.
    package static let listLimit = 1024
    /// From the end of a look to the next, at least, in milliseconds: also where readers ask for lists that are not known.
    private static let pause: Int64 = 1000

    /// A list of an issuer.
    struct Name: Hashable {
        let list: UInt32
        let issuer: ResultPublicKey.Issuer
    }

    /// What a list says.
    private struct Content {
        let revision: Int64
        let readAt: Timestamp
        let compressed: [UInt8]
    }

    /// What readers see.
    private struct Shown {
        var lists: [Name: PublishedStatusList] = [:]
        var report = StatusListReport()
    }

    private let ledger: any ResultStatusRegistry
    private let keys: ResultKeyRing
    private let permutations: StatusListPermutations
    private let clock: any WallClock
    private let logger: Logger
    private let rule: Mutex<StatusListRule>
    private let shown = Mutex(Shown())
    private var contents: [UInt32: Content] = [:]
    private var signers: [[UInt8]: StatusListSigner] = [:]
    private var looking: Task<Void, Never>?
    private var lookedAt = Timestamp.distantPast

    package init(
        ledger: any ResultStatusRegistry, keys: ResultKeyRing, permutations: StatusListPermutations, rule: StatusListRule,
        clock: any WallClock, logger: Logger
    ) {
        (self.ledger, self.keys, self.permutations) = (ledger, keys, permutations)
        (self.clock, self.logger) = (clock, logger)
        self.rule = Mutex(rule)
    }

    /// Follows a new configuration, at the next look.
    package nonisolated func use(_ rule: StatusListRule) { self.rule.withLock { $0 = rule } }

    package nonisolated var report: StatusListReport { shown.withLock { $0.report } }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let next = ContinuousClock.now + .milliseconds(Self.period)
                await self.look()
                // A look at many lists may take as long as the period.
                let pause = max(next, ContinuousClock.now + .milliseconds(Self.pause))
                do { try await Task.sleep(until: pause) } catch { return }
            }
        }
    }

    // MARK: Readers

    /// A list, or why there is none. A list that is not known may have begun since the last look: then the ledger is asked, at most once a second
    /// for all readers; before the second is over nothing is said of it.
    package nonisolated func find(_ list: UInt32, of issuer: ResultPublicKey.Issuer) async -> StatusListAnswer {
        guard keys.issuer(issuer) != nil else { return .unknownIssuer }
        let name = Name(list: list, issuer: issuer)
        if let published = shown.withLock({ $0.lists[name] }) { return answer(published) }
        let hasLooked = await lookAgain()
        if let published = shown.withLock({ $0.lists[name] }) { return answer(published) }
        return hasLooked && report.problem == nil ? .unknownList : .unavailable
    }

    private nonisolated func answer(_ published: PublishedStatusList) -> StatusListAnswer {
        published.isGood(at: clock.now()) ? .list(published) : .unavailable
    }

    /// Returns whether the lists were looked at since the call.
    private func lookAgain() async -> Bool {
        // What is under way may have passed a list by that has begun since.
        let isUnderWay = looking != nil
        guard isUnderWay || !(0..<Self.pause).contains(clock.now().milliseconds(since: lookedAt)) else { return false }
        await look()
        return !isUnderWay
    }

    // MARK: Looking and signing

    /// Looks at all lists once, or waits for the look that is under way.
    package func look() async {
        if let looking { return await looking.value }
        let task = Task { await refresh() }
        looking = task
        await task.value
        looking = nil
    }

    private func refresh() async {
        let now = clock.now()
        guard ResultPublicKey.Issuer.allCases.contains(where: { keys.issuer($0) != nil }) else {
            contents = [:]
            shown.withLock { $0 = Shown() }
            return
        }
        var problem: String?
        do throws(LedgerError) {
            let lists = try await ledger.statusLists()
            if lists.count > Self.listLimit {
                problem = "there are \(lists.count) lists, of which \(Self.listLimit) are published"
            }
            forget(allBut: Set(lists.prefix(Self.listLimit).map(\.number)))
            for list in lists.prefix(Self.listLimit) {
                if let found = try await refresh(list, at: now) { problem = found }
            }
        } catch {
            problem = error.description
        }
        lookedAt = now
        note(problem, at: now)
    }

    /// Forgets lists that have no places any more, and those of issuers that are not configured.
    private func forget(allBut lists: Set<UInt32>) {
        contents = contents.filter { lists.contains($0.key) }
        shown.withLock { shown in
            shown.lists = shown.lists.filter { lists.contains($0.key.list) && keys.issuer($0.key.issuer) != nil }
        }
    }

    /// Returns what stands in the way of the list.
    private func refresh(_ list: ResultStatusList, at now: Timestamp) async throws(LedgerError) -> String? {
        if isDue(list, at: now) {
            // The revision was read first: a change that comes between is in the entries, and asks for the list once more.
            let entries = try await ledger.statusEntries(ofList: list.number)
            guard let compressed = StatusList(entries, by: permutations[list.number]).compressed else {
                return "a list cannot be compressed: there is no memory"
            }
            contents[list.number] = Content(revision: list.revision, readAt: now, compressed: compressed)
        }
        guard let content = contents[list.number] else { return nil }
        var problem: String?
        for kind in ResultPublicKey.Issuer.allCases {
            guard let issuer = keys.issuer(kind) else { continue }
            if let found = await publish(content, as: Name(list: list.number, issuer: kind), from: issuer, at: now) {
                problem = found
            }
        }
        return problem
    }

    /// Whether the entries of a list are read again: they changed, or the list is signed again, which asks the ledger and not the memory.
    private func isDue(_ list: ResultStatusList, at now: Timestamp) -> Bool {
        guard let content = contents[list.number], content.revision == list.revision else { return true }
        return !(0..<rule.withLock(\.lifetime) / 2).contains(now.milliseconds(since: content.readAt))
    }

    /// Signs a list if it says something else than the signed one, or is due. Returns what stands in the way.
    private func publish(_ content: Content, as name: Name, from issuer: ResultIssuer, at now: Timestamp) async -> String? {
        let claims = StatusListClaims(
            uri: StatusListAddress.uri(of: name.list, from: issuer), issuedAt: now,
            expiry: now.adding(milliseconds: rule.withLock(\.lifetime)), timeToLive: Self.cacheLifetime, width: .two,
            compressed: content.compressed)
        let signer: StatusListSigner
        do throws(ResultProblem) {
            signer = try self.signer(with: try keys.signer(name.issuer, at: now))
        } catch {
            return "no key may sign status lists now (\(error.rawValue))"
        }
        if let last = shown.withLock({ $0.lists[name] }), last.signer == signer.key.identifier, !last.isDue(claims) {
            return nil
        }
        do {
            let jwt = try await signer.sign(claims, as: .jwt)
            let cwt = try await signer.sign(claims, as: .cwt)
            let published = PublishedStatusList(claims, signer: signer.key.identifier, jwt: jwt, cwt: cwt)
            shown.withLock { shown in
                shown.lists[name] = published
                shown.report.signed += 1
            }
            return nil
        } catch {
            return "a status list cannot be signed: \(error)"
        }
    }

    private func signer(with key: ResultKey) throws(ResultProblem) -> StatusListSigner {
        if let signer = signers[key.identifier] { return signer }
        let signer = StatusListSigner(key)
        // Keys are few: those of the present configuration, and some before.
        if signers.count >= 16 { signers = [:] }
        signers[key.identifier] = signer
        return signer
    }

    private func note(_ problem: String?, at now: Timestamp) {
        let before = shown.withLock { shown in
            let before = shown.report.problem
            shown.report.problem = problem
            if problem == nil { shown.report.checkedAt = now }
            shown.report.lists = shown.lists.count
            shown.report.firstEnd = shown.lists.values.map(\.claims.expiry).min()
            return before
        }
        if let problem, before == nil {
            logger.warning(
                "status lists are not brought up to date; the last ones are served", metadata: ["problem": "\(problem)"])
        }
        if problem == nil, before != nil { logger.info("status lists are up to date again") }
    }
}

/// What a reader of a status list gets.
package enum StatusListAnswer: Sendable {
    case list(PublishedStatusList)
    /// The configuration has no such issuer.
    case unknownIssuer
    /// No place of the list was given out, or all have been forgotten.
    case unknownList
    /// The list has ended, or cannot be made: nothing can be said now.
    case unavailable
}

extension PublishedStatusList {
    /// Whether it is signed again with these claims: it says something else, is at half of its life, or would be good for longer than is wanted now.
    fileprivate func isDue(_ next: StatusListClaims) -> Bool {
        let age = next.issuedAt.milliseconds(since: claims.issuedAt)
        return claims.uri != next.uri || claims.compressed != next.compressed || age < 0
            || age >= claims.expiry.milliseconds(since: claims.issuedAt) / 2 || claims.expiry > next.expiry
    }
}
