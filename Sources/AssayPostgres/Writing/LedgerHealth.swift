import AssayCore
import Synchronization

/// Whether the ledger may be written, and whether the last write succeeded. After damage, or when another process has taken the writer,
/// nothing is written until the ledger is opened again.
final class LedgerHealth: Sendable {
    private struct State {
        var stopped: LedgerError?
        var passing: LedgerError?
    }

    private let state = Mutex(State())
    private let report: @Sendable (LedgerFault) -> Void

    init(report: @escaping @Sendable (LedgerFault) -> Void) { self.report = report }

    /// Why nothing is accepted until the ledger is opened again; `nil` if it is accepted.
    var fault: LedgerError? { state.withLock { $0.stopped } }

    /// Why the last write failed, if it was for the store's sake.
    var passing: LedgerError? { state.withLock { $0.passing } }

    /// Stops acceptance. The first reason stays.
    func stop(_ error: LedgerError) {
        let isFirst = state.withLock { state in
            defer { state.stopped = state.stopped ?? error }
            return state.stopped == nil
        }
        if isFirst { report(.final(error)) }
    }

    /// Stops acceptance if the failure is damage, or if the database is not the one that was opened.
    func note(_ failure: PostgresError) { if failure.isDamage || failure.isReplacement { stop(failure.ledgerError) } }

    /// Tells what an operator should know.
    func warn(_ words: String) { report(.warning(words)) }

    /// The last write failed, or with `nil` succeeded.
    func wrote(failing error: LedgerError?) {
        let change: LedgerFault? = state.withLock { state in
            defer { state.passing = error }
            if let error { return state.passing == nil ? .passing(error) : nil }
            return state.passing == nil ? nil : .over
        }
        if let change, fault == nil { report(change) }
    }
}
