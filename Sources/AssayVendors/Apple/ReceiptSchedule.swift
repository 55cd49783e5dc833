import AssayCore

/// When a receipt is exchanged next. Pure: what is known of the receipt, of the device and of the attempt goes in.
struct ReceiptSchedule: Sendable {
    /// A device that was not accepted for so long is not worth asking about, in milliseconds.
    static let idleAfter: Int64 = 30 * 86_400_000
    /// How long before its expiration a receipt is exchanged at the latest, in milliseconds.
    static let margin: Int64 = 86_400_000
    /// After an attempt that came to nothing, for each device.
    static let backoff = Backoff(first: 60_000, cap: 86_400_000)

    /// In milliseconds.
    let period: Int64
    let now: Timestamp

    enum Step: Hashable, Sendable {
        case ask
        /// Nothing is to be asked; this is to be kept.
        case keep(ReceiptExchange)
    }

    /// What is to be done about a receipt that is due.
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

    /// 304. A receipt that names no time is asked about a day later.
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

    /// What was said before stays said; it is only not renewed.
    func ended(_ old: ReceiptExchange, _ end: ReceiptExchange.End) -> ReceiptExchange {
        ReceiptExchange(due: nil, failures: old.failures, end: end, metric: old.metric)
    }
}
