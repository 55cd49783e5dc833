package import AssayAPI
package import AssayCore
package import AssayMetrics
package import AssayService
package import Logging
import ServiceLifecycle
import Synchronization

/// The webhooks of the configuration in force. A reload ends those that changed, whose waiting events go to their dead letters, and keeps the
/// others at work.
package final class WebhookService: Service {
    private let hub: WatchHub
    private let clock: any WallClock
    private let logger: Logger
    private let hooks = Mutex<[String: Webhook]>([:])
    private let added: AsyncStream<Webhook>
    private let add: AsyncStream<Webhook>.Continuation

    package init(hub: WatchHub, clock: any WallClock, logger: Logger) {
        (self.hub, self.clock, self.logger) = (hub, clock, logger)
        (added, add) = AsyncStream.makeStream(of: Webhook.self)
    }

    /// Prepares other webhooks; throws if one cannot be made, and then nothing has changed.
    package func prepare(_ rules: [WebhookRule]) throws -> @Sendable () -> Void {
        for rule in rules { try Webhook.check(rule) }
        return { self.use(rules) }
    }

    private func use(_ rules: [WebhookRule]) {
        let ended = hooks.withLock { hooks in
            let kept = hooks.filter { name, hook in rules.contains { $0.name == name && $0 == hook.rule } }
            let ended = hooks.filter { kept[$0.key] == nil }.values
            hooks = kept
            return Array(ended)
        }
        for hook in ended { hook.end() }
        for rule in rules where hooks.withLock({ $0[rule.name] }) == nil {
            guard let hook = try? Webhook(rule, hub: hub, clock: clock, logger: logger) else { continue }
            hooks.withLock { $0[rule.name] = hook }
            add.yield(hook)
        }
    }

    /// Works until graceful shutdown. Stop it after what publishes events.
    package func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for await hook in self.added { group.addTask { await hook.run() } }
            }
        }
    }

    private var inOrder: [Webhook] { hooks.withLock { $0.values.sorted { $0.rule.name < $1.rule.name } } }
}

extension WebhookService: WebhookControl {
    package func webhooks() -> [Assay_V1_Webhook] { inOrder.map(\.message) }
    package func resend(_ name: String) throws(DeadLettersUnreadable) -> Int? {
        guard let hook = hooks.withLock({ $0[name] }) else { return nil }
        do throws(DeadLetterError) { return try hook.resend() } catch {
            throw DeadLettersUnreadable(problem: error.description)
        }
    }
}

extension WebhookService: MetricsCollector {
    private static let requests = MetricFamily(
        "assay_webhook_requests", .counter, labels: ["webhook", "outcome"],
        "Requests to webhooks: delivered, failed (an attempt), dead (kept in the dead-letter file).")
    private static let delivered = MetricFamily(
        "assay_webhook_events_delivered", .counter, labels: ["webhook"], "Events in requests that webhooks took.")
    private static let dropped = MetricFamily(
        "assay_webhook_events_dropped", .counter, labels: ["webhook"],
        "Events for a webhook that are neither delivered nor in its dead-letter file.")
    private static let waiting = MetricFamily(
        "assay_webhook_events_waiting", .gauge, labels: ["webhook"], "Events that wait to be delivered.")
    private static let letters = MetricFamily(
        "assay_webhook_dead_letters", .gauge, labels: ["webhook"], "Requests in the webhook's dead-letter file.")
    private static let failing = MetricFamily(
        "assay_webhook_failing", .gauge, labels: ["webhook"], "1 if the last attempt to deliver to the webhook failed.")

    package var metricFamilies: [MetricFamily] {
        [Self.requests, Self.delivered, Self.dropped, Self.waiting, Self.letters, Self.failing]
    }

    package func collect(into exposition: inout Exposition) {
        for hook in inOrder {
            let (name, counts, message) = ([hook.rule.name], hook.counts, hook.message)
            exposition.add(Self.requests, name + ["delivered"], count: counts.delivered)
            exposition.add(Self.requests, name + ["failed"], count: counts.failedAttempts)
            exposition.add(Self.requests, name + ["dead"], count: counts.buried)
            exposition.add(Self.delivered, name, count: counts.deliveredEvents)
            exposition.add(Self.dropped, name, count: message.droppedEvents)
            exposition.add(Self.waiting, name, count: message.waiting)
            exposition.add(Self.letters, name, count: message.deadLetters)
            exposition.add(Self.failing, name, isTrue: message.state != .delivering)
        }
    }
}
