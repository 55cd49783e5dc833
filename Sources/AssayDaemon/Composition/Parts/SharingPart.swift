import AssayCore
import AssayService
import ServiceLifecycle

/// Follows a ledger that other daemons change too; nothing runs if the ledger is of this daemon alone.
struct SharingPart: DaemonPart {
    private let task: SharedLedgerTask?

    init(_ base: DaemonBase, _ store: LedgerPart, _ callers: CallersPart) {
        guard let ledger = base.ledger as? any OpenedLedger, ledger.isShared else {
            task = nil
            return
        }
        task = SharedLedgerTask(
            ledger, callers.keys, store.keys, hasStaleSecrets: { ledger.hasStaleSecrets }, logger: base.logger)
    }

    var services: [any Service] { task.map { [$0] } ?? [] }
}
