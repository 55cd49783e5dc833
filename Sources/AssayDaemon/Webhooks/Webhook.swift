import AssayAPI
import AssayCore
import AssayService
import AssayVendors
import Foundation
import Logging
import Synchronization

/// One receiver of events: collects what its filter selects, and delivers it in batches, one at a time, in order.
///
/// It has connections, a queue and a file of its own, so that a slow receiver delays no other. What cannot be delivered, and what waits when
/// it ends, goes to the dead-letter file.
final class Webhook: Sendable {
    let rule: WebhookRule
    private let client: VendorClient
    private let letters: DeadLetterFile
    private let subscription: WatchSubscription?
    private let clock: any WallClock
    private let logger: Logger
    private let state = Mutex(WebhookState())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Events from now on are delivered. Throws if the roots of the settings cannot be used.
    init(_ rule: WebhookRule, hub: WatchHub, clock: any WallClock, logger: Logger) throws {
        (self.rule, self.clock, self.logger) = (rule, clock, logger)
        client = try VendorClient(rule.settings)
        letters = DeadLetterFile(rule.deadLetters, limit: rule.deadLetterBytes)
        subscription = hub.subscribe(as: nil)?.subscription
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Throws if the roots of a rule's settings cannot be used.
    static func check(_ rule: WebhookRule) throws { _ = try VendorClient(rule.settings) }

    // MARK: Running

    /// Works until the task is cancelled or `end` is called; then everything that waits goes to the dead letters.
    func run() async {
        let work = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.collect() }
                group.addTask { await self.send() }
            }
        }
        let isEnded = state.withLock { state in
            state.work = work
            return state.isEnded
        }
        if isEnded { work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        conclude()
        client.close()
    }

    /// Ends the work, for a webhook that is not configured any more.
    func end() {
        state.withLock { state in
            state.isEnded = true
            state.work?.cancel()
        }
    }

    private func collect() async {
        guard let subscription else { return }
        while !Task.isCancelled { take(await subscription.next()) }
        // What was published before the end.
        while let reading = subscription.nextNow() {
            if case .stopped = reading { break }
            take(reading)
        }
    }

    private func take(_ reading: WatchSubscription.Reading) {
        switch reading {
        case .stopped: return
        case .overtaken(let missed):
            state.withLock { state in
                state.missed += missed
                state.counts.dropped += missed
            }
        case .events(let events):
            let selected = events.filter { rule.filter.admits($0.event) }
            guard !selected.isEmpty else { return }
            let overflow = state.withLock { state -> WebhookDelivery? in
                guard !state.isGone else {
                    state.counts.dropped += UInt64(selected.count)
                    return nil
                }
                state.queue += selected
                guard state.waiting > rule.waiting else { return nil }
                return state.nextDelivery(of: rule.name, at: clock.now())
            }
            if let overflow { bury(overflow, "more events waited than may") }
            wake.yield()
        }
    }

    private func send() async {
        var iterator = wakes.makeAsyncIterator()
        while !Task.isCancelled {
            if state.withLock({ $0.isResending }) {
                await resendLetters()
            } else if state.withLock({ $0.beginDelivery(of: rule.name, at: clock.now()) }) {
                await deliver()
            } else {
                guard await iterator.next() != nil else { return }
            }
        }
    }

    // MARK: Delivering

    private enum Outcome {
        case delivered
        case gone
        case failed(String, retryAfter: Int64?)
        case cancelled
    }

    /// Attempts to deliver the current batch until it is delivered, given up, or the work ends.
    private func deliver() async {
        while !Task.isCancelled, let delivery = state.withLock({ $0.current }) {
            if state.withLock({ $0.isResending }) { return }
            switch await attempt(delivery) {
            case .delivered:
                state.withLock { $0.current = nil }
                return
            case .gone:
                state.withLock { $0.current = nil }
                bury(delivery, "the receiver answered 410 Gone")
                buryWaiting("the receiver had answered 410 Gone")
                return
            case .failed(let why, let asked):
                let isGivenUp = state.withLock { state in
                    state.current?.attempts += 1
                    return delivery.attempts + 1 >= rule.attempts
                }
                if isGivenUp {
                    let last = state.withLock { state in
                        defer { state.current = nil }
                        return state.current
                    }
                    bury(last ?? delivery, why)
                }
                await pause(asked)
                if isGivenUp { return }
            case .cancelled: return
            }
        }
    }

    private func attempt(_ delivery: WebhookDelivery) async -> Outcome {
        let now = clock.now()
        let outcome: Outcome
        do throws(VendorError) {
            let answer = try await client.call(
                VendorRequest(.post, "", headers: delivery.headers(signedBy: rule.secrets, at: now), body: delivery.body),
                at: rule.address)
            switch answer.status {
            case 200..<300: outcome = .delivered
            case 410: outcome = .gone
            default:
                outcome = .failed(
                    "\(rule.address.host) answered with status \(answer.status)",
                    retryAfter: answer.headers.retryAfterMilliseconds(at: clock.now()))
            }
        } catch {
            outcome = error == .cancelled || Task.isCancelled ? .cancelled : .failed(error.description, retryAfter: nil)
        }
        note(outcome, delivery)
        return outcome
    }

    private func note(_ outcome: Outcome, _ delivery: WebhookDelivery) {
        let now = clock.now()
        let news = state.withLock { state -> (level: Logger.Level, text: Logger.Message)? in
            switch outcome {
            case .delivered:
                let wasFailing = state.failingSince != nil
                (state.failures, state.failingSince, state.problem, state.isGone) = (0, nil, "", false)
                state.counts.delivered += 1
                state.counts.deliveredEvents += UInt64(delivery.events)
                return wasFailing ? (.notice, "a webhook is delivered to again") : nil
            case .gone:
                (state.isGone, state.problem) = (true, "\(rule.address.host) answered 410 Gone")
                state.failingSince = state.failingSince ?? now
                state.counts.failedAttempts += 1
                return (.warning, "a webhook's receiver is gone; nothing is sent to it any more")
            case .failed(let why, _):
                let isNew = state.failingSince == nil
                state.failures += 1
                (state.failingSince, state.problem) = (state.failingSince ?? now, why)
                state.counts.failedAttempts += 1
                return isNew ? (.warning, "a webhook cannot be delivered to; it is tried again") : nil
            case .cancelled: return nil
            }
        }
        guard let news else { return }
        var names: Logger.Metadata = ["webhook": "\(rule.name)", "host": "\(rule.address.host)"]
        if case .failed(let why, _) = outcome { names["problem"] = "\(why)" }
        logger.log(level: news.level, news.text, metadata: names)
    }

    /// Waits until the next attempt, at least as long as the receiver asked for.
    private func pause(_ asked: Int64?) async {
        var random = SystemRandomNumberGenerator()
        let wait = rule.backoff.wait(after: state.withLock { $0.failures }, asked: asked, using: &random)
        let sleep = Task<Void, Never> { try? await Task.sleep(for: .milliseconds(wait)) }
        state.withLock { state in
            state.pause = sleep
            if state.isResending { sleep.cancel() }
        }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
    }

    // MARK: Dead letters

    /// Keeps what cannot be delivered.
    private func bury(_ delivery: WebhookDelivery, _ why: String) {
        let before = letters.report.problem
        letters.append(DeadLetterFile.Letter(delivery: delivery, reason: why))
        state.withLock { $0.counts.buried += 1 }
        guard let problem = letters.report.problem, problem != before else { return }
        logger.error(
            "events of a webhook are lost: dead letters cannot be kept",
            metadata: ["webhook": "\(rule.name)", "problem": "\(problem)"])
    }

    /// Sends the dead letters again soon. Returns their number.
    func resend() throws(DeadLetterError) -> Int {
        let count = try letters.letters().count
        let pause = state.withLock { state in
            (state.isResending, state.isGone) = (true, false)
            return state.pause
        }
        pause?.cancel()
        wake.yield()
        return count
    }

    /// One attempt for each, until one fails.
    private func resendLetters() async {
        for letter in (try? letters.letters()) ?? [] {
            guard !Task.isCancelled else { break }
            guard case .delivered = await attempt(letter.delivery) else { break }
            letters.remove(letter.delivery.id)
        }
        state.withLock { $0.isResending = false }
    }

    private func conclude() { buryWaiting("it waited when the daemon stopped, or the webhook was changed") }

    private func buryWaiting(_ why: String) {
        while true {
            let next = state.withLock { state -> WebhookDelivery? in
                defer { state.current = nil }
                return state.current ?? state.nextDelivery(of: rule.name, at: clock.now())
            }
            guard let next else { return }
            bury(next, why)
        }
    }

    // MARK: For the status

    var counts: WebhookCounts { state.withLock { $0.counts } }

    var message: Assay_V1_Webhook {
        let file = letters.report
        return state.withLock { state in
            var message = Assay_V1_Webhook()
            (message.name, message.host) = (rule.name, rule.address.origin)
            message.state = state.isGone ? .gone : state.failingSince != nil ? .failing : .delivering
            (message.delivered, message.deliveredEvents) = (state.counts.delivered, state.counts.deliveredEvents)
            message.failedAttempts = state.counts.failedAttempts
            message.waiting = UInt32(clamping: state.waiting)
            message.deadLetters = UInt32(clamping: file.letters)
            message.droppedEvents = state.counts.dropped + file.droppedEvents
            message.failingSinceUnixMs = state.failingSince?.unixMilliseconds ?? 0
            message.problem = state.problem.isEmpty ? file.problem ?? "" : state.problem
            return message
        }
    }
}
