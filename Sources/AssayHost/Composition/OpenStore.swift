import AssayCore
package import AssayService
package import AssayStore

/// The ledger of a configuration, open, and the vault that opens its secrets.
package struct OpenStore: Sendable {
    package let ledger: SQLiteLedger
    package let vault: SecretVault

    /// Opens or makes the ledger and its key file. Throws `LedgerError` or `StartupError`.
    package init(_ store: Configuration.Store) async throws {
        ledger = try SQLiteLedger.open(path: store.path)
        let isNew = try await ledger.secrets().isEmpty
        vault = SecretVault(key: try KeyFile.open(store.keyFile, mayCreate: isNew))
    }

    package func close() { ledger.close() }
}
