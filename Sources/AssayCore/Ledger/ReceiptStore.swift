/// The receipts of registered devices, as the exchange with the platform's service needs them.
public protocol ReceiptStore: Sendable {
    /// The devices of a queue whose receipts are due at `now`, at most `limit` of them, and the number of all.
    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) async throws(LedgerError) -> DueReceipts

    /// Stores the results of attempts to exchange receipts; those of devices that are no longer registered are dropped. Durable on
    /// return.
    func keep(_ outcomes: [ReceiptOutcome]) async throws(LedgerError)
}

/// The receipts that are exchanged together: those of one app and environment, by one account at one host.
public struct ReceiptQueue: Hashable, Sendable {
    public let app: AppID
    public let environment: String
    public init(app: AppID, environment: String) { (self.app, self.environment) = (app, environment) }
}

/// Devices whose receipts are due.
public struct DueReceipts: Hashable, Sendable {
    /// Counting stops here.
    public static let countLimit = 10_000

    /// Ordered by due time, the earliest first.
    public let devices: [Device]
    /// The number of due receipts, `countLimit` at most.
    public let count: Int
    public init(devices: [Device], count: Int) { (self.devices, self.count) = (devices, count) }
}

/// The result of one attempt to exchange a receipt.
public struct ReceiptOutcome: Hashable, Sendable {
    public let device: DeviceID
    /// The newer receipt, which replaces the stored one; `nil`: the stored one stays.
    public let receipt: [UInt8]?
    public let exchange: ReceiptExchange
    public init(device: DeviceID, receipt: [UInt8]? = nil, exchange: ReceiptExchange) {
        (self.device, self.receipt, self.exchange) = (device, receipt, exchange)
    }
}

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

/// The progress of the exchange of receipts, for operators.
package struct ReceiptReport: Hashable, Sendable {
    /// The number of receipts due at the last check, at most `DueReceipts.countLimit` for each app and environment.
    package var due = 0
    /// Since the start of the daemon: newer receipts stored, failed attempts, and exchanges that ended.
    package var exchanged: UInt64 = 0
    package var failed: UInt64 = 0
    package var ended: UInt64 = 0
    /// The last failure.
    package var problem: Problem?

    package struct Problem: Hashable, Sendable {
        package let at: Timestamp
        package let text: String
        package init(at: Timestamp, text: String) { (self.at, self.text) = (at, text) }
    }

    package init(due: Int = 0, exchanged: UInt64 = 0, failed: UInt64 = 0, ended: UInt64 = 0, problem: Problem? = nil) {
        (self.due, self.exchanged, self.failed) = (due, exchanged, failed)
        (self.ended, self.problem) = (ended, problem)
    }
}
