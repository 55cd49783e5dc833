package import AssayConfiguration
package import AssayCore
import AssaySQLite

extension FixedConfiguration.Store {
    /// The store that holds the ledger.
    package var backend: any LedgerBackend { Self.backend(at: path) }

    /// The store of the ledger at a path, as the configuration and the commands name it.
    package static func backend(at path: String) -> any LedgerBackend { SQLiteBackend(path: path) }
}
