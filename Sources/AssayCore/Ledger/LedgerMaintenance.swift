/// Removes expired and surplus data. The daemon calls it once in each period of maintenance.
public protocol LedgerMaintenance: Sendable {
    /// Removes what has expired at `now`, and raises the spent horizon to the highest expiry that was removed. The horizon never falls.
    /// Removed with it: submissions that no count includes any more, and places of status lists and verdicts by payload that were kept until before
    /// `now`.
    func purge(now: Timestamp) async throws(LedgerError)

    /// Removes a bounded part of what exceeds the limits; `Trimmed.hasMore` says whether to call it again.
    ///
    /// - Audit rows and the claims beside them are dropped from the front. The chain then begins after the last dropped row. Rows
    ///   whose chain is broken are never dropped: an investigation needs them. The limits are of each writer's chain: this ledger's own,
    ///   and those of writers that have no daemon any more.
    /// - Stored verdicts: the oldest first, expired or not.
    /// - Spent challenges, once nothing else exceeds the limits: those that expire first. The spent horizon rises to their expiry, so
    ///   that none is fresh again; unspent challenges with an expiry up to it are no longer fresh either.
    func trim(to limits: Retention) async throws(LedgerError) -> Trimmed

    /// Whether this daemon does the work now. Of the daemons on a ledger one does; another one takes the work over when that one has ended,
    /// or has not reached the ledger for some seconds. So it may be done twice for a moment, and must bear that. Always true in a
    /// ledger with one daemon.
    func takes(_ work: BackgroundWork) async throws(LedgerError) -> Bool
}

/// Work that one daemon does for all that share a ledger.
public enum BackgroundWork: String, Hashable, Sendable, CaseIterable {
    /// Removing what has expired.
    case purge
    /// Removing what exceeds the limits, except each writer's own audit log.
    case retention
    /// Exchanging receipts of App Attest for newer ones.
    case receipts
    /// Signing the revocation lists of the ledger's own CAs before they end.
    case revocationLists = "revocation_lists"
}

extension LedgerMaintenance {
    public func takes(_ work: BackgroundWork) async throws(LedgerError) -> Bool { true }
}

/// Limits of the data that a ledger keeps.
public struct Retention: Hashable, Sendable {
    /// Audit rows at the front that are older than this are dropped; `nil`: none are.
    public var auditFrom: Timestamp?
    /// The most audit rows kept, whatever their age; `nil`: no limit.
    public var auditRows: Int64?
    /// The most verdicts stored under idempotency keys; `nil`: no limit.
    public var verdicts: Int64?
    /// The most spent challenges kept (tokens whose expiry is fixed); `nil`: no limit.
    public var challenges: Int64?

    public init(
        auditFrom: Timestamp? = nil, auditRows: Int64? = nil, verdicts: Int64? = nil, challenges: Int64? = nil
    ) {
        (self.auditFrom, self.auditRows) = (auditFrom, auditRows)
        (self.verdicts, self.challenges) = (verdicts, challenges)
    }
}

/// The result of one call of `trim`.
public struct Trimmed: Hashable, Sendable {
    /// The number of audit rows dropped.
    public var auditRows: Int64
    /// The chain before the first audit row that is kept.
    public var start: AuditChain
    /// The number of stored verdicts dropped.
    public var verdicts: Int64
    /// The number of spent challenges dropped before their expiry. The spent horizon was raised to the last of these expiries.
    public var challenges: Int64
    /// The number of uses of evidence kept: spent tokens whose expiry is not fixed. They cannot be dropped early, because they
    /// would be accepted again with a later expiry. 0 while `hasMore` is true: they are counted last.
    public var evidence: Int64
    /// True if more data may exceed the limits.
    public var hasMore: Bool
    /// The break in the chain that kept the front of the audit log from being dropped; `nil` if there is none.
    public var fault: AuditError?
    /// The chains of other writers from which rows were dropped, or could not be for a break.
    public var others: [TrimmedChain]

    public init(
        auditRows: Int64 = 0, start: AuditChain = AuditChain(), verdicts: Int64 = 0, challenges: Int64 = 0,
        evidence: Int64 = 0, hasMore: Bool = false, fault: AuditError? = nil, others: [TrimmedChain] = []
    ) {
        (self.auditRows, self.start, self.verdicts) = (auditRows, start, verdicts)
        (self.challenges, self.evidence) = (challenges, evidence)
        (self.hasMore, self.fault, self.others) = (hasMore, fault, others)
    }
}

/// What one call of `trim` did to the chain of another writer.
public struct TrimmedChain: Hashable, Sendable {
    public let writer: AuditWriter
    /// The number of rows dropped.
    public let rows: Int64
    /// The chain before the first row that is kept.
    public let start: AuditChain
    /// The break in the chain that kept its front from being dropped; `nil` if there is none.
    public let fault: AuditError?

    public init(_ writer: AuditWriter, rows: Int64, start: AuditChain, fault: AuditError?) {
        (self.writer, self.rows, self.start, self.fault) = (writer, rows, start, fault)
    }
}

extension AuditPage {
    /// The chain after the rows at the front that exceed the limits, up to a break in the chain, and that break.
    public func droppable(under limits: Retention) -> (chain: AuditChain, fault: AuditError?) {
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
