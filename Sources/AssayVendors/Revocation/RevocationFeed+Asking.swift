import AssayCore
import Logging
import ServiceLifecycle
import Synchronization

/// Fetches the list repeatedly, as often as the answers' cache rules allow.
extension RevocationFeed {
    /// The shortest wait between two requests, whatever the service allows, in milliseconds.
    static let shortestWait: Int64 = 300_000

    /// Fetches whenever the last answer has expired, until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled { await self.sleep(milliseconds: await self.askIfDue()) }
        }
    }

    /// Until the time is over or the settings change; an hour at most, for clocks that step.
    private func sleep(milliseconds: Int64) async {
        let sleep = Task<Void, Never> { try? await Task.sleep(for: .milliseconds(min(milliseconds, 3_600_000))) }
        state.withLock { state in
            state.sleep = sleep
            if state.isChanged { sleep.cancel() }
            state.isChanged = false
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    /// Fetches if it is time to, and returns the next wait, in milliseconds.
    func askIfDue() async -> Int64 {
        let now = clock.now()
        let (wanted, due) = state.withLock { ($0.settings.isWanted, $0.askAgainAt) }
        guard wanted else { return 3_600_000 }
        // With a clock that was set back the wait would never end.
        if due > now, due.milliseconds(since: now) <= state.withLock({ $0.settings.maxAgeMilliseconds }) {
            return due.milliseconds(since: now)
        }
        await ask()
        return max(1, state.withLock { $0.askAgainAt }.milliseconds(since: clock.now()))
    }

    /// Fetches once, now.
    func ask() async {
        let (settings, known) = state.withLock { ($0.settings, $0.list) }
        var headers: [(name: String, value: String)] = [("accept", "application/json")]
        if let eTag = known?.eTag { headers.append(("if-none-match", eTag)) }
        var asked: Int64?
        do throws(FeedError) {
            let answer: VendorAnswer
            do {
                answer = try await client.call(VendorRequest(.get, settings.path, headers: headers), at: settings.address)
            } catch {
                throw .unavailable("\(error)")
            }
            asked = answer.headers.retryAfterMilliseconds(at: clock.now())
            try await read(answer, known, settings)
        } catch {
            failed(error, asked: asked)
        }
    }

    private func read(_ answer: VendorAnswer, _ known: CachedFeed?, _ settings: Settings) async throws(FeedError) {
        let now = clock.now()
        let rule = CacheRule(
            answer.headers, at: now, bounds: Self.shortestWait...max(Self.shortestWait, settings.maxAgeMilliseconds / 2))
        switch (answer.status, known) {
        case (200, _): try await take(CachedFeed(text: answer.body, asOf: rule.asOf, eTag: answer.headers.eTag))
        case (304, let known?) where known.eTag != nil:
            await confirm(known, asOf: known.asOf <= now ? max(known.asOf, rule.asOf) : rule.asOf)
        default: throw .unavailable("\(settings.address.host) answered with status \(answer.status)")
        }
        state.withLock { state in
            (state.triedAt, state.askAgainAt) = (now, rule.askAgainAt)
            (state.problem, state.failures) = (nil, 0)
        }
    }

    /// Puts a fetched list in force. A cache on the path may have an older version than the one in force, and an operator may have loaded a newer
    /// one meanwhile: such an answer changes nothing.
    private func take(_ list: CachedFeed) async throws(FeedError) {
        let before = state.withLock { $0.snapshot?.feed.id }
        let snapshot: RevocationSnapshot
        do throws(FeedError) {
            snapshot = try await take(list, evenIfShrunken: false)
        } catch {
            guard error == .outdated else { throw error }
            return
        }
        if snapshot.feed.id != before {
            logger.notice(
                "a new list is in force",
                metadata: ["feed": "\(name)", "version": "\(snapshot.feed.id)", "entries": "\(snapshot.count)"])
        }
    }

    private func failed(_ problem: FeedError, asked: Int64?) {
        let now = clock.now()
        var random = SystemRandomNumberGenerator()
        let isKnown = state.withLock { state in
            state.failures += 1
            (state.problem, state.triedAt) = (problem, now)
            let wait = backoff.wait(after: state.failures, asked: asked, using: &random)
            state.askAgainAt = now.adding(milliseconds: wait)
            state.setDate(now)
            return state.snapshot != nil
        }
        logger.warning(
            isKnown
                ? "a list could not be refreshed; the last good one stays"
                : "a list could not be fetched; there is no list yet, and apps that need it get no verdicts",
            metadata: ["feed": "\(name)", "problem": "\(problem)"])
    }
}

extension RevocationFeed.State {
    /// A list from the future was accepted under a clock that ran ahead. If no other is available it counts as accepted now, so
    /// that it expires like any other.
    fileprivate mutating func setDate(_ now: Timestamp) {
        if snapshot?.dated(by: now) == nil { date(asOf: now) }
    }
}
