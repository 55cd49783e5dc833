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
