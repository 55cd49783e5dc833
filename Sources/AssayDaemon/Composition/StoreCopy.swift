package import AssayConfiguration
import AssayCore
import AssayFiles
package import AssayLedger
import AssayPostgres
package import AssaySQLite
import AssayService

/// A copy of a ledger in a file into a database.
package struct StoreCopy: Sendable {
    package let content: LedgerContentSummary
    package let key: KeyFit
    package let changes: LedgerTransfer.Changes
    /// The rows of each table that has any.
    package let rows: [(table: String, rows: Int64)]
    /// False if a daemon had the ledger open: what it has written since is missing, and the copy is not opened by any daemon yet.
    package let isFinished: Bool

    /// The step that runs, for people.
    package enum Step: Sendable {
        case copying(pages: Int, of: Int)
        case comparing(LedgerTransfer.Progress)
        case verifying(LedgerTransfer.Progress)
    }

    /// Makes the ledger of a store in a database equal to one in a file, and compares all of it. It can be repeated: what is equal already
    /// is only read. The copy is finished, so that daemons open it, when no daemon has the file open. Throws `LedgerError` or `StartupError`.
    ///
    /// - Parameters:
    ///   - ledger: the path of the file. It is not changed.
    ///   - writer: the name of the writer whose audit chain that of the file becomes. No daemon has it.
    package static func run(
        from ledger: String, into store: FixedConfiguration.Store, writer: String, progress: @escaping (Step) -> Void
    ) throws -> StoreCopy {
        guard case .postgresql(let settings, _) = store.place else {
            throw StartupError(
                "the configuration's ledger is the file \(store.name): to copy a ledger into a file, use assayd backup and restore"
            )
        }
        guard settings.writer != writer else {
            throw StartupError(
                "the writer \"\(writer)\" is this daemon's own: give the chain of the file another name (--writer)")
        }
        // Held to the end: a daemon that starts meanwhile would write what the copy lacks.
        let owner = try SQLiteBackend(path: ledger).holdIfUnused()
        defer { owner?.release() }
        let draft: DraftFile
        do throws(NewFileError) { draft = try DraftFile(of: store.ownFiles + ".copy") } catch {
            throw StartupError("\(store.ownFiles).copy \(error.description)")
        }
        let source = try SQLiteTransferSource(copying: ledger, into: draft.path) { progress(.copying(pages: $0, of: $1)) }
        let key = KeyFit(of: store.keyFile, to: source.content.secrets)
        guard key != .wrong else {
            throw StartupError(
                "the key file \(store.keyFile) does not open the ledger \(ledger): copy the key file of the ledger to that place first"
            )
        }
        let target = try PostgresTransferTarget(settings, writer: writer)
        let changes = try LedgerTransfer(from: source, to: target) { progress(.comparing($0)) }.run()
        let rows = try LedgerTransfer(from: source, to: target) { progress(.verifying($0)) }.verify()
        if owner != nil {
            try target.finish(
                start: source.content.auditStart, end: source.content.auditEnd, lastEntry: source.content.lastRecordAt,
                devices: source.content.devices, highestNumbers: source.highestNumbers)
        }
        return StoreCopy(
            content: source.content, key: key, changes: changes, rows: rows.filter { $0.rows > 0 }, isFinished: owner != nil)
    }
}
