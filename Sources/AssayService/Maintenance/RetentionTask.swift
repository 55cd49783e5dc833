package import AssayCore
package import Logging
import Synchronization

/// Drops what the configuration does not let be kept, and says so: audit records that are too old or too many, verdicts and
/// spent challenges that are too many. Says too when uses of evidence are: these cannot be dropped.
package final class RetentionTask: MaintenanceTask {
    private let ledger: any LedgerMaintenance
    private let rule: RetentionRule
    private let memory: EvidenceUseLimit
    /// What is dropped is gone for good.
    private let clock: SettledClock
    private let logger: Logger
    private let reported = Mutex<[AuditWriter?: AuditError]>([:])

    /// - Parameter memory: told whether further uses of evidence may be kept.
    package init(
        ledger: any LedgerMaintenance, rule: RetentionRule, memory: EvidenceUseLimit, clock: SettledClock, logger: Logger
    ) {
        self.ledger = ledger
        self.rule = rule
        self.memory = memory
        self.clock = clock
        self.logger = logger
    }

    package func perform() async throws {
        let now = clock.now()
        let limits = Retention(
            auditFrom: rule.auditRecords.map { now.adding(milliseconds: -$0) }, auditRows: rule.auditRows,
            verdicts: rule.verdicts, challenges: rule.challenges)
        var all = Trimmed(hasMore: true)
        while all.hasMore {
            let some = try await ledger.trim(to: limits)
            all.auditRows += some.auditRows
            all.verdicts += some.verdicts
            all.challenges += some.challenges
            all.others += some.others
            (all.start, all.evidence, all.hasMore, all.fault) = (some.start, some.evidence, some.hasMore, some.fault)
        }
        report(all)
        reportMemory(all.evidence)
    }

    private func report(_ trimmed: Trimmed) {
        if trimmed.auditRows > 0 {
            logger.notice(
                "old audit records dropped; the log now begins after this head",
                metadata: ["records": "\(trimmed.auditRows)", "head": "\(ExpectedAuditHead(trimmed.start))"])
        }
        if trimmed.verdicts > 0 {
            logger.warning(
                "more verdicts were to be repeated than may be kept; the oldest were forgotten early",
                metadata: ["verdicts": "\(trimmed.verdicts)", "limit": "\(rule.verdicts)"])
        }
        if trimmed.challenges > 0 {
            logger.warning(
                "more challenges were spent than may be kept; open ones that expire about now are no longer accepted",
                metadata: ["challenges": "\(trimmed.challenges)", "limit": "\(rule.challenges)"])
        }
        for chain in trimmed.others where chain.rows > 0 {
            logger.notice(
                "old audit records of another writer dropped; its chain now begins after this head",
                metadata: ["records": "\(chain.rows)", "head": "\(ExpectedAuditHead(chain.start, of: chain.writer))"])
        }
        reportFaults(trimmed)
    }

    /// Each fault once, until the chain has another one or none.
    private func reportFaults(_ trimmed: Trimmed) {
        var faults: [AuditWriter?: AuditError] = [:]
        faults[.none] = trimmed.fault
        for chain in trimmed.others { faults[chain.writer] = chain.fault }
        let known = reported.withLock { reported in
            defer { reported = faults }
            return reported
        }
        for (writer, fault) in faults where known[writer] != fault {
            var metadata: Logger.Metadata = ["fault": "\(fault)"]
            if let writer { metadata["writer"] = "\(writer)" }
            logger.critical("the audit log is not what was written; nothing from there on is dropped", metadata: metadata)
        }
    }

    private func reportMemory(_ kept: Int64) {
        let isFull = kept >= rule.evidence
        guard memory.note(isFull: isFull) else { return }
        let metadata: Logger.Metadata = ["uses": "\(kept)", "limit": "\(rule.evidence)"]
        if isFull {
            logger.error(
                "no more uses of evidence may be kept; evidence that no challenge binds is not judged until some have expired",
                metadata: metadata)
        } else {
            logger.notice("there is room again for uses of evidence", metadata: metadata)
        }
    }
}
