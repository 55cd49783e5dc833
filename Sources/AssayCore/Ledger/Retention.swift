/// How much a ledger is to keep of what only grows.
public struct Retention: Hashable, Sendable {
    /// Audit rows from the front that are older than this are dropped; `nil`: none is.
    public var auditFrom: Timestamp?
    /// The most verdicts that are kept under idempotency keys; `nil`: no limit.
    public var verdicts: Int64?

    public init(auditFrom: Timestamp? = nil, verdicts: Int64? = nil) {
        (self.auditFrom, self.verdicts) = (auditFrom, verdicts)
    }
}

/// What one `trim` came to.
public struct Trimmed: Hashable, Sendable {
    /// Audit rows that were dropped.
    public var auditRows: Int64
    /// Where the audit log begins now.
    public var start: AuditChain
    /// Verdicts that were dropped.
    public var verdicts: Int64
    /// True if there is more to drop.
    public var hasMore: Bool
    /// Why the front of the audit log was not dropped: its chain is broken.
    public var fault: AuditFault?

    public init(auditRows: Int64, start: AuditChain, verdicts: Int64, hasMore: Bool, fault: AuditFault?) {
        (self.auditRows, self.start, self.verdicts) = (auditRows, start, verdicts)
        (self.hasMore, self.fault) = (hasMore, fault)
    }
}

extension AuditPage {
    /// The chain after those rows at the front of the log that are older than `time`, up to a break in it, and the break.
    public func droppable(before time: Timestamp) -> (chain: AuditChain, fault: AuditFault?) {
        var verifier = AuditVerifier(from: start)
        for row in rows {
            guard row.time < time else { break }
            verifier.take(row)
        }
        let fault = verifier.finish()
        return (verifier.chain, fault)
    }
}
