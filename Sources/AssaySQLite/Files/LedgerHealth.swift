import AssayCore
import Synchronization

/// Whether the ledger may be written: not after damage was met or one of its files was exchanged, until it is opened anew.
/// And whether it could be, when that was tried last.
final class LedgerHealth: Sendable {
    private let stopped = Mutex<LedgerError?>(nil)
    private let unwritten = Atomic(false)
    private let report: @Sendable (LedgerFault) -> Void

    init(report: @escaping @Sendable (LedgerFault) -> Void) { self.report = report }

    /// Why nothing is accepted any more.
    var fault: LedgerError? { stopped.withLock { $0 } }

    /// Ends acceptance. What was met first stays the reason.
    func stop(_ error: LedgerError) {
        let isFirst = stopped.withLock { stopped in
            defer { stopped = stopped ?? error }
            return stopped == nil
        }
        if isFirst { report(.final(error)) }
    }

    /// Ends acceptance if the error tells of damage.
    func note(_ failure: SQLiteFailure) { if failure.isDamage { stop(failure.ledgerError) } }

    /// True if the disk did not take what was written last, and nothing was written since.
    var isUnwritten: Bool { unwritten.load(ordering: .relaxed) }

    func wrote(_ isWritten: Bool) { unwritten.store(!isWritten, ordering: .relaxed) }

    /// The ledger's file is not there, or is there again.
    func file(isMissing error: LedgerError?) { report(error.map { .passing($0) } ?? .over) }
}
