package import AssayCore
package import Logging
import Synchronization

/// Drops what the configuration does not let be kept, and says so: audit records that are too old, verdicts that are too many.
package final class RetentionDuty: HousekeepingDuty {
    /// What is to be kept.
    package struct Rule: Hashable, Sendable {
        /// How long audit records are kept, in milliseconds; `nil`: for ever.
        package var auditRecords: Int64?
        /// The most verdicts kept under idempotency keys. One has a few kilobytes.
        package var verdicts: Int64 = 1_000_000
        package init() {}
    }

    private let ledger: any Ledger
    private let rule: Rule
    /// What is dropped is gone for good.
    private let clock: SettledClock
    private let logger: Logger
    private let reported = Mutex<AuditFault?>(nil)

    package init(ledger: any Ledger, rule: Rule, clock: any WallClock, logger: Logger) {
        self.ledger = ledger
        self.rule = rule
        self.clock = SettledClock(clock)
        self.logger = logger
    }

    package func perform() async throws {
        let now = clock.now()
        let limits = Retention(
            auditFrom: rule.auditRecords.map { now.adding(milliseconds: -$0) }, verdicts: rule.verdicts)
        var (rows, verdicts) = (Int64(0), Int64(0))
        while true {
            let trimmed = try await ledger.trim(to: limits)
            rows += trimmed.auditRows
            verdicts += trimmed.verdicts
            guard trimmed.hasMore else {
                report(rows, verdicts, trimmed)
                return
            }
        }
    }

    private func report(_ rows: Int64, _ verdicts: Int64, _ trimmed: Trimmed) {
        if rows > 0 {
            logger.notice(
                "old audit records dropped; the log now begins after this head",
                metadata: ["records": "\(rows)", "head": "\(ExpectedAuditHead(trimmed.start))"])
        }
        if verdicts > 0 {
            logger.warning(
                "more verdicts were to be repeated than may be kept; the oldest were forgotten early",
                metadata: ["verdicts": "\(verdicts)", "limit": "\(rule.verdicts)"])
        }
        let isNew = reported.withLock { reported in
            defer { reported = trimmed.fault }
            return reported != trimmed.fault
        }
        if isNew, let fault = trimmed.fault {
            logger.critical(
                "the audit log is not what was written; nothing from there on is dropped", metadata: ["fault": "\(fault)"])
        }
    }
}
