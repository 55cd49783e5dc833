/// How a device's receipt fares with the platform's service, which gives newer receipts in exchange, and in them a risk metric.
public struct ReceiptExchange: Hashable, Sendable {
    /// Why no newer receipt will be asked for.
    public enum End: String, CaseIterable, Hashable, Sendable {
        /// The service has no data for the receipt (any more).
        case noData = "no_data"
        /// The receipt expired before it was exchanged.
        case expired
        /// The service does not take the receipt, or it is not good enough to be sent.
        case refused
    }

    /// When the receipt on record may be exchanged; `nil`: it never will be.
    public var due: Timestamp?
    /// Attempts in a row that came to nothing.
    public var failures: UInt32
    public var end: End?
    /// What the newest receipt says; `nil` until there is one that says it.
    public var metric: RiskMetric?

    public init(due: Timestamp?, failures: UInt32 = 0, end: End? = nil, metric: RiskMetric? = nil) {
        (self.due, self.failures, self.end, self.metric) = (due, failures, end, metric)
    }

    /// As it is when a device is registered: a receipt is due at once, where there is one.
    public init(of registration: Registration, at time: Timestamp) {
        self.init(due: registration.receipt.isEmpty ? nil : time)
    }
}

/// About how many keys the app attested on the device in the 30 days before, as the platform's service counts. A signal: it
/// never names the device, and reinstalling raises it.
public struct RiskMetric: Hashable, Sendable {
    public let value: Int64
    /// When the receipt that says so was made.
    public let at: Timestamp
    public init(_ value: Int64, at: Timestamp) { (self.value, self.at) = (value, at) }
}

extension ReceiptExchange {
    /// What is told of it among the claims of a device and of its verdicts. Nothing of a receipt that was never exchanged.
    public var claims: Claims {
        var claims = Claims()
        claims.add("risk_metric", metric.map { .integer($0.value) })
        claims.add("risk_metric_time", metric.map { .time($0.at) })
        return claims
    }
}

/// Which receipts are asked for together: those of one app and environment, which one account exchanges at one host.
public struct ReceiptQueue: Hashable, Sendable {
    public let app: AppID
    public let environment: String
    public init(app: AppID, environment: String) { (self.app, self.environment) = (app, environment) }
}

/// Receipts that are due.
public struct DueReceipts: Hashable, Sendable {
    /// Counting ends here: a longer queue is as long.
    public static let countLimit = 10_000

    /// Those due longest first.
    public let devices: [Device]
    /// How many are due, `countLimit` at most.
    public let count: Int
    public init(devices: [Device], count: Int) { (self.devices, self.count) = (devices, count) }
}

/// What became of one attempt.
public struct ReceiptOutcome: Hashable, Sendable {
    public let device: DeviceID
    /// The newer receipt, in place of the one on record; `nil`: that one stays.
    public let receipt: [UInt8]?
    public let exchange: ReceiptExchange
    public init(device: DeviceID, receipt: [UInt8]? = nil, exchange: ReceiptExchange) {
        (self.device, self.receipt, self.exchange) = (device, receipt, exchange)
    }
}
