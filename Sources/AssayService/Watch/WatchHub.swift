package import AssayCore
package import AssayMetrics
import Synchronization

/// Where events meet those who watch: a ring of the last events, numbered, with a cursor for each subscription.
///
/// Nothing that produces events waits for those who read them: an event overwrites the oldest one, and a subscription that has not read that
/// one learns how many it missed. While there is no subscription an event costs one relaxed load for a whole group of verdicts; with
/// subscriptions one lock for the group.
package final class WatchHub: Sendable {
    /// Events of the ring, some 300 bytes each. At ten thousand verdicts a second it holds three seconds.
    package static let capacity = 32_768
    /// Subscriptions of callers. Those of the daemon itself, such as webhooks, do not count.
    package static let watcherLimit = 64
    /// Those of one caller.
    package static let watcherLimitOfCaller = 16
    /// How long the ring is kept after the last subscription has ended, so that a reader that connects again misses nothing, in milliseconds.
    package static let linger: Int64 = 60_000

    /// An event with its number.
    package typealias Numbered = (sequence: UInt64, event: WatchEvent)

    struct Subscriber {
        let wake: AsyncStream<Void>.Continuation
        /// `nil`: the daemon itself.
        let caller: String?
        var isWatcher: Bool { caller != nil }
        var cursor: UInt64
        var isWaiting = false
    }

    fileprivate struct State {
        var id = SecureRandom.bytes(8)
        /// The event of number n is at `(n - base) % capacity`.
        var ring: [WatchEvent] = []
        var base: UInt64 = 1
        var next: UInt64 = 1
        var subscribers: [UInt64: Subscriber] = [:]
        var lastSubscriber: UInt64 = 0
        var emptySince: Timestamp?
        var isStopping = false
        var overtaken: UInt64 = 0

        /// The number of the oldest event of the ring.
        var first: UInt64 { next - UInt64(ring.count) }
    }

    private let capacity: Int
    private let clock: any WallClock
    private let state = Mutex(State())
    /// Whether events are kept. Read on the hot path.
    private let keepsEvents = Atomic(false)

    /// - Parameter capacity: of the ring, in events.
    package init(clock: any WallClock, capacity: Int = WatchHub.capacity) {
        (self.clock, self.capacity) = (clock, max(1, capacity))
    }

    /// Whether events are kept.
    package var isActive: Bool { keepsEvents.load(ordering: .relaxed) }

    // MARK: Producing

    /// Takes the verdicts of a group, once they are decided.
    func judged(_ requests: [AuthorizedRequest], _ answers: [Answer]) {
        guard isActive else { return }
        publish(zip(requests, answers).compactMap { WatchEvent($0, $1) })
    }

    /// Takes events. Never waits for a reader.
    package func publish(_ events: [WatchEvent]) {
        guard !events.isEmpty, isActive else { return }
        let waiting = state.withLock { state in
            for event in events { state.append(event, capacity) }
            var waiting: [AsyncStream<Void>.Continuation] = []
            for id in state.subscribers.keys {
                guard let subscriber = state.subscribers[id], subscriber.isWaiting else { continue }
                state.subscribers[id]?.isWaiting = false
                waiting.append(subscriber.wake)
            }
            return waiting
        }
        for wake in waiting { wake.yield() }
    }

    // MARK: Subscribing

    /// Where a subscription begins.
    package struct Start: Sendable {
        /// 8 bytes: names the numbering.
        package let id: [UInt8]
        package let next: UInt64
        /// Whether the events since the place that was asked for are known.
        package let isResumed: Bool
        package let missed: UInt64
    }

    /// A place in an earlier stream.
    package struct Place: Hashable, Sendable {
        package let id: [UInt8]
        /// The number of the last event that was read.
        package let after: UInt64
        package init(id: [UInt8], after: UInt64) { (self.id, self.after) = (id, after) }
    }

    /// Begins a subscription with the next event, or with the one after `place` if it is still known. `nil` if there are as many watchers as
    /// may be, in all or of the caller, or the daemon stops.
    ///
    /// - Parameter caller: `nil`: the daemon itself.
    package func subscribe(as caller: String?, from place: Place? = nil) -> (
        subscription: WatchSubscription, start: Start
    )? {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let begun = state.withLock { state -> (id: UInt64, start: Start)? in
            guard !state.isStopping else { return nil }
            if let caller {
                let watching = state.subscribers.values.filter(\.isWatcher)
                guard watching.count < Self.watcherLimit,
                    watching.count(where: { $0.caller == caller }) < Self.watcherLimitOfCaller
                else { return nil }
            }
            state.lastSubscriber += 1
            state.emptySince = nil
            let start = state.start(from: place)
            state.subscribers[state.lastSubscriber] = Subscriber(wake: wake, caller: caller, cursor: start.next)
            return (state.lastSubscriber, start)
        }
        guard let begun else { return nil }
        keepsEvents.store(true, ordering: .relaxed)
        return (WatchSubscription(self, begun.id, wakes), begun.start)
    }

    /// The next events of a subscription, or what ended it; `nil`: there is none yet, and the subscription is woken when there is one.
    func read(_ id: UInt64, limit: Int) -> WatchSubscription.Reading? {
        state.withLock { state -> WatchSubscription.Reading? in
            guard var subscriber = state.subscribers[id] else { return .stopped }
            // Those of the daemon itself read what is there.
            guard !state.isStopping || (!subscriber.isWatcher && subscriber.cursor < state.next) else { return .stopped }
            defer { state.subscribers[id] = subscriber }
            if subscriber.cursor < state.first {
                let missed = state.first - subscriber.cursor
                state.overtaken += 1
                subscriber.cursor = state.first
                return .overtaken(missed: missed)
            }
            guard subscriber.cursor < state.next else {
                subscriber.isWaiting = true
                return nil
            }
            let end = min(state.next, subscriber.cursor + UInt64(limit))
            let events = (subscriber.cursor..<end).map { (sequence: $0, event: state.event($0, capacity)) }
            subscriber.cursor = end
            return .events(events)
        }
    }

    func end(_ id: UInt64) {
        state.withLock { state in
            state.subscribers[id] = nil
            if state.subscribers.isEmpty { state.emptySince = clock.now() }
        }
    }

    // MARK: Ending

    /// Forgets the events once there has been no subscription for a while. Called at intervals.
    package func rest(at now: Timestamp) {
        state.withLock { state in
            guard let since = state.emptySince else { return }
            let passed = now.milliseconds(since: since)
            // A clock that was set back does not keep the ring.
            guard passed >= Self.linger || passed < 0 else { return }
            keepsEvents.store(false, ordering: .relaxed)
            (state.ring, state.base, state.emptySince, state.id) = ([], state.next, nil, SecureRandom.bytes(8))
        }
    }

    /// Ends all subscriptions, and begins no more: the daemon stops.
    package func stop() {
        let wakes = state.withLock { state in
            state.isStopping = true
            return state.subscribers.values.map(\.wake)
        }
        for wake in wakes { wake.finish() }
    }

    /// The state for status and metrics.
    package struct Report: Sendable, Hashable {
        package let watchers: Int
        /// Events since the start, of those times when events were kept.
        package let events: UInt64
        /// Subscriptions that missed events.
        package let overtaken: UInt64
    }

    package var report: Report {
        state.withLock { state in
            Report(
                watchers: state.subscribers.values.count(where: \.isWatcher), events: state.next - 1, overtaken: state.overtaken
            )
        }
    }
}

extension WatchHub.State {
    fileprivate mutating func append(_ event: WatchEvent, _ capacity: Int) {
        if ring.count < capacity { ring.append(event) } else { ring[place(of: next, capacity)] = event }
        next += 1
    }

    /// - Parameter sequence: of the ring.
    fileprivate func event(_ sequence: UInt64, _ capacity: Int) -> WatchEvent { ring[place(of: sequence, capacity)] }

    private func place(of sequence: UInt64, _ capacity: Int) -> Int { Int((sequence - base) % UInt64(capacity)) }

    fileprivate func start(from place: WatchHub.Place?) -> WatchHub.Start {
        guard let place else { return WatchHub.Start(id: id, next: next, isResumed: false, missed: 0) }
        guard place.id == id, place.after < next else {
            return WatchHub.Start(id: id, next: next, isResumed: false, missed: 0)
        }
        let wanted = place.after + 1
        return WatchHub.Start(
            id: id, next: max(wanted, first), isResumed: true, missed: wanted < first ? first - wanted : 0)
    }
}

/// One reader of the hub's events, for one task. It ends when it is released.
package final class WatchSubscription: Sendable {
    /// What a subscription reads.
    package enum Reading: Sendable {
        /// At least one, in order.
        case events([WatchHub.Numbered])
        /// The ring overtook the subscription: so many events, of any kind, are gone. Reading goes on behind them.
        case overtaken(missed: UInt64)
        /// The daemon stops, or the task was cancelled.
        case stopped
    }

    private let hub: WatchHub
    private let id: UInt64
    private let wakes: AsyncStream<Void>

    fileprivate init(_ hub: WatchHub, _ id: UInt64, _ wakes: AsyncStream<Void>) {
        (self.hub, self.id, self.wakes) = (hub, id, wakes)
    }

    deinit { hub.end(id) }

    /// Waits for the next events.
    package func next(limit: Int = 256) async -> Reading {
        while true {
            if Task.isCancelled { return .stopped }
            if let reading = hub.read(id, limit: limit) { return reading }
            var iterator = wakes.makeAsyncIterator()
            guard await iterator.next() != nil else { return .stopped }
        }
    }

    /// The events that are there now; `nil`: none.
    package func nextNow(limit: Int = 256) -> Reading? { hub.read(id, limit: limit) }
}

extension WatchHub: MetricsCollector {
    private static let watchers = MetricFamily("assay_watchers", .gauge, "Calls of Operations.Watch that have not ended.")
    private static let events = MetricFamily(
        "assay_watch_events", .counter, "Events since the start that watchers and webhooks could read.")
    private static let overtakenFamily = MetricFamily(
        "assay_watch_overtaken", .counter, "How often a reader of events was too slow, and missed some.")

    package var metricFamilies: [MetricFamily] { [Self.watchers, Self.events, Self.overtakenFamily] }

    package func collect(into exposition: inout Exposition) {
        let report = report
        exposition.add(Self.watchers, count: report.watchers)
        exposition.add(Self.events, count: report.events)
        exposition.add(Self.overtakenFamily, count: report.overtaken)
    }
}
