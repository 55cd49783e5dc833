import AssayConfiguration
import AssayCore
import AssaySQLite

extension Configuration.Store {
    /// The store that holds the ledger.
    var backend: any LedgerBackend { Self.backend(at: path) }

    /// The store of the ledger at a path, as the configuration and the commands name it.
    static func backend(at path: String) -> any LedgerBackend { SQLiteBackend(path: path) }
}
