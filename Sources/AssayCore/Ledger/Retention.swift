/// How much a ledger is to keep of what only grows.
public struct Retention: Hashable, Sendable {
    /// Audit rows from the front that are older than this are dropped; `nil`: none is.
    public var auditFrom: Timestamp?
    /// The most audit rows that are kept, however young the others are; `nil`: no limit.
    public var auditRows: Int64?
    /// The most verdicts that are kept under idempotency keys; `nil`: no limit.
    public var verdicts: Int64?
    /// The most spent challenges that are kept: tokens whose expiry is fixed; `nil`: no limit.
    public var challenges: Int64?

    public init(
        auditFrom: Timestamp? = nil, auditRows: Int64? = nil, verdicts: Int64? = nil, challenges: Int64? = nil
    ) {
        (self.auditFrom, self.auditRows) = (auditFrom, auditRows)
        (self.verdicts, self.challenges) = (verdicts, challenges)
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
    /// Spent challenges that were forgotten before their expiry, up to which the spent horizon was raised.
    public var challenges: Int64
    /// Spent tokens whose expiry is not fixed, uses of evidence, that are kept. They cannot be forgotten early: they would
    /// be accepted again with a later expiry. Counted at the end: 0 as long as there is more to drop.
    public var evidence: Int64
    /// True if there is more to drop.
    public var hasMore: Bool
    /// Why the front of the audit log was not dropped: its chain is broken.
    public var fault: AuditFault?

    public init(
        auditRows: Int64 = 0, start: AuditChain = AuditChain(), verdicts: Int64 = 0, challenges: Int64 = 0,
        evidence: Int64 = 0, hasMore: Bool = false, fault: AuditFault? = nil
    ) {
        (self.auditRows, self.start, self.verdicts) = (auditRows, start, verdicts)
        (self.challenges, self.evidence) = (challenges, evidence)
        (self.hasMore, self.fault) = (hasMore, fault)
    }
}

extension AuditPage {
    /// The chain after those rows at the front of the log that are too old or too many, up to a break in it, and the break.
    public func droppable(under limits: Retention) -> (chain: AuditChain, fault: AuditFault?) {
        let surplus = limits.auditRows.map { last - max(0, $0) } ?? .min
        let oldest = limits.auditFrom ?? .distantPast
        var verifier = AuditVerifier(from: start)
        for row in rows {
            guard row.time < oldest || row.number <= surplus else { break }
            verifier.take(row)
        }
        let fault = verifier.finish()
        return (verifier.chain, fault)
    }
}
