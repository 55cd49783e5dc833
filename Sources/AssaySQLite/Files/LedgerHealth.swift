import AssayCore
import Synchronization

/// Whether the ledger may be written, and whether the last write succeeded. After damage, or after a file was exchanged, nothing is
/// written until the ledger is opened again.
final class LedgerHealth: Sendable {
    private let stopped = Mutex<LedgerError?>(nil)
    private let unwritten = Atomic(false)
    private let report: @Sendable (LedgerFault) -> Void

    init(report: @escaping @Sendable (LedgerFault) -> Void) { self.report = report }

    /// Why nothing is accepted until the ledger is opened again; `nil` if it is accepted.
    var fault: LedgerError? { stopped.withLock { $0 } }

    /// Stops acceptance. The first reason stays.
    func stop(_ error: LedgerError) {
        let isFirst = stopped.withLock { stopped in
            defer { stopped = stopped ?? error }
            return stopped == nil
        }
        if isFirst { report(.final(error)) }
    }

    /// Stops acceptance if the failure is damage.
    func note(_ failure: SQLiteError) { if failure.isDamage { stop(failure.ledgerError) } }

    /// True if the last write failed because the disk could not be written.
    var isUnwritten: Bool { unwritten.load(ordering: .relaxed) }

    func wrote(_ isWritten: Bool) { unwritten.store(!isWritten, ordering: .relaxed) }

    /// Reports that the ledger's file is missing, or with `nil` that it is back.
    func file(isMissing error: LedgerError?) { report(error.map { .passing($0) } ?? .over) }
}
