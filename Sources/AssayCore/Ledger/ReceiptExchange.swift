/// The state of the exchange of a device's receipt. The platform's service gives a newer receipt, with a risk metric, for an older one.
public struct ReceiptExchange: Hashable, Sendable {
    /// Why the exchange ended.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// The service has no data for the receipt.
        case noData = "no_data"
        /// The receipt expired before it was exchanged.
        case expired
        /// The service refuses the receipt, or the receipt fails the checks before it is sent.
        case refused
    }

    /// When the stored receipt is due for exchange; `nil`: never.
    public var due: Timestamp?
    /// The number of consecutive failed attempts.
    public var failures: UInt32
    public var end: End?
    /// The risk metric in the newest receipt that has one; `nil` before the first.
    public var metric: RiskMetric?

    public init(due: Timestamp?, failures: UInt32 = 0, end: End? = nil, metric: RiskMetric? = nil) {
        (self.due, self.failures, self.end, self.metric) = (due, failures, end, metric)
    }

    /// The state at registration: a receipt, if there is one, is due at once.
    public init(of registration: Registration, at time: Timestamp) {
        self.init(due: registration.receipt.isEmpty ? nil : time)
    }
}

/// The approximate number of keys that the app attested on the device in the last 30 days, as the platform's service counts (Apple,
/// "Assessing fraud risk"). A signal: it does not identify the device, and reinstalling the app raises it.
public struct RiskMetric: Hashable, Sendable {
    public let value: Int64
    /// The creation time of the receipt.
    public let at: Timestamp
    public init(_ value: Int64, at: Timestamp) { (self.value, self.at) = (value, at) }
}

extension ReceiptExchange {
    /// The claims of a device and of its verdicts that the exchange adds. None before the first exchange.
    public var claims: Claims {
        var claims = Claims()
        claims.add("risk_metric", metric.map { .integer($0.value) })
        claims.add("risk_metric_time", metric.map { .time($0.at) })
        return claims
    }
}
