/// A record of the audit log as a ledger keeps it. Nothing of it is believed before the chain was followed to it.
public struct AuditRow: Hashable, Sendable {
    public let number: Int64
    /// When the verdict was reached, or the change made. Clocks can be set back, so times need not rise with numbers.
    public let time: Timestamp
    /// The canonical bytes of an `AuditRecord` or an `AuditChange`: see `AuditEntry`.
    public let record: [UInt8]
    /// The head of the chain after this record.
    public let head: [UInt8]

    public init(number: Int64, time: Timestamp, record: [UInt8], head: [UInt8]) {
        (self.number, self.time, self.record, self.head) = (number, time, record, head)
    }
}

/// Some rows of the audit log, as they were together at one instant.
public struct AuditPage: Hashable, Sendable {
    /// The most rows that a ledger reads at once.
    public static let limit = 1000

    /// The chain before the first row that is still kept: empty, unless rows were dropped from the front.
    public let start: AuditChain
    /// The number of the last row of all; that of `start` if none is kept.
    public let last: Int64
    /// In the order of their numbers.
    public let rows: [AuditRow]

    public init(start: AuditChain, last: Int64, rows: [AuditRow]) {
        (self.start, self.last, self.rows) = (start, last, rows)
    }
}
