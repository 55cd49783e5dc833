import AssayCore
import AssayService

/// What waits for a webhook, and how its delivery goes.
struct WebhookState {
    /// What the filter selected, from `first` on.
    var queue: [WatchHub.Numbered] = []
    var first = 0
    var missed: UInt64 = 0
    var current: WebhookDelivery?
    var failures = 0
    var failingSince: Timestamp?
    var problem = ""
    var isGone = false
    var isResending = false
    var isEnded = false
    var pause: Task<Void, Never>?
    var work: Task<Void, Never>?
    var counts = WebhookCounts()

    var waiting: Int { queue.count - first + (current?.events ?? 0) }
}

extension WebhookState {
    /// Makes the next batch the current one. False: there is nothing to deliver.
    mutating func beginDelivery(of name: String, at now: Timestamp) -> Bool {
        guard !isGone else { return false }
        if current == nil { current = nextDelivery(of: name, at: now) }
        return current != nil
    }

    mutating func nextDelivery(of name: String, at now: Timestamp) -> WebhookDelivery? {
        guard first < queue.count else { return nil }
        let batch = Array(queue[first...].prefix(WebhookDelivery.eventLimit))
        first += batch.count
        if first == queue.count || first >= 4096 {
            queue.removeFirst(first)
            first = 0
        }
        defer { missed = 0 }
        return WebhookDelivery(of: batch, to: name, missed: missed, at: now)
    }
}

/// What became of a webhook's events since the daemon started, or the webhook was changed.
struct WebhookCounts: Hashable, Sendable {
    var delivered: UInt64 = 0
    var deliveredEvents: UInt64 = 0
    var failedAttempts: UInt64 = 0
    var buried: UInt64 = 0
    var dropped: UInt64 = 0
}
