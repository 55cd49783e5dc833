import AssayCore

/// Computes when a receipt is exchanged next. Pure: a function of the receipt, the device and the attempt.
struct ReceiptSchedule: Sendable {
    /// A device without an acceptance for this long is not exchanged, in milliseconds.
    static let idleAfter: Int64 = 30 * 86_400_000
    /// A receipt is exchanged at the latest this long before its expiration, in milliseconds.
    static let margin: Int64 = 86_400_000
    /// After a failed attempt, for each device.
    static let backoff = Backoff(first: 60_000, cap: 86_400_000)

    /// In milliseconds.
    let period: Int64
    let now: Timestamp

    enum Step: Hashable, Sendable {
        case ask
        /// No request is needed; this schedule is stored.
        case keep(ReceiptExchange)
    }

    /// The next step for a receipt that is due.
    func step(_ device: Device, _ stored: ReceiptFacts) -> Step {
        var exchange = device.exchange
        guard stored.expiresAt > now else { return .keep(ended(exchange, .expired)) }
        if let notBefore = stored.notBefore, notBefore > now {
            exchange.due = notBefore
            return .keep(exchange)
        }
        guard !device.isBlocked, now.milliseconds(since: device.lastAcceptedAt) <= Self.idleAfter else {
            exchange.due = now.adding(milliseconds: period)
            return .keep(exchange)
        }
        return .ask
    }

    func exchanged(_ old: ReceiptExchange, for new: ReceiptFacts) -> ReceiptExchange {
        let latest = new.expiresAt.adding(milliseconds: -Self.margin)
        let wanted = min(now.adding(milliseconds: period), latest)
        return ReceiptExchange(
            due: max(wanted, new.notBefore ?? now, now.adding(milliseconds: Self.backoff.first)),
            metric: new.riskMetric.map { RiskMetric($0, at: new.createdAt) } ?? old.metric)
    }

    /// 304. A receipt without a stated time is tried a day later.
    func tooEarly(_ old: ReceiptExchange, _ stored: ReceiptFacts) -> ReceiptExchange {
        var exchange = old
        let notBefore = stored.notBefore ?? .distantPast
        exchange.due = notBefore > now ? notBefore : now.adding(milliseconds: Self.margin)
        exchange.failures = 0
        return exchange
    }

    func failed(
        _ old: ReceiptExchange, asked: Int64? = nil, using random: inout some RandomNumberGenerator
    ) -> ReceiptExchange {
        var exchange = old
        if exchange.failures < .max { exchange.failures += 1 }
        let wait = Self.backoff.wait(after: Int(exchange.failures), asked: asked, using: &random)
        exchange.due = now.adding(milliseconds: wait)
        return exchange
    }

    /// Earlier results stay; they are only no longer renewed.
    func ended(_ old: ReceiptExchange, _ end: ReceiptExchange.End) -> ReceiptExchange {
        ReceiptExchange(due: nil, failures: old.failures, end: end, metric: old.metric)
    }
}
