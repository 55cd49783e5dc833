/// Reports the state of the ledger. Nothing here changes it.
public protocol LedgerStatusSource: Sendable {
    /// The state of the ledger. Throws if the ledger accepts nothing now, even where reads work.
    func status() async throws(LedgerError) -> LedgerStatus
}

/// The state of a ledger at one instant.
public struct LedgerStatus: Hashable, Sendable {
    /// The highest expiry that was purged. A challenge that expires at or below it is not fresh.
    public var spentHorizon: Timestamp
    public var devices: Int64
    /// The number of records ever appended to the audit log, and the head of the chain after the last of them, 32 bytes.
    public var auditCount: Int64
    public var auditHead: [UInt8]
    /// The number of records dropped from the front, and the head of the chain after the last of these, 32 bytes.
    public var auditDropped: Int64
    public var auditStartHead: [UInt8]
    /// The time of the last accepted verdict; `nil` if the log holds none.
    public var lastEntryAt: Timestamp?
    public init(
        spentHorizon: Timestamp, devices: Int64, auditCount: Int64, auditHead: [UInt8], auditDropped: Int64 = 0,
        auditStartHead: [UInt8] = AuditChain().head, lastEntryAt: Timestamp?
    ) {
        self.spentHorizon = spentHorizon
        self.devices = devices
        self.auditCount = auditCount
        self.auditHead = auditHead
        self.auditDropped = auditDropped
        self.auditStartHead = auditStartHead
        self.lastEntryAt = lastEntryAt
    }

    /// The chain before the first record that is kept.
    public var auditStart: AuditChain { AuditChain(number: auditDropped, head: auditStartHead) }
    /// The chain after the last record.
    public var auditEnd: AuditChain { AuditChain(number: auditCount, head: auditHead) }
}
