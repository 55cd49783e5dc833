package import AssayCore
package import AssayService
package import AssayStore

/// The ledger of a configuration, open, and the vault that opens its secrets.
package struct OpenStore: Sendable {
    package let ledger: SQLiteLedger
    package let vault: SecretVault

    /// Opens or makes the ledger and its key file. Throws `LedgerError`, `StartupError`, or `VaultError` for a key file that
    /// does not open every secret of the ledger: with it nothing may be written, or the right one would not open that.
    package init(_ store: Configuration.Store) async throws {
        ledger = try SQLiteLedger.open(path: store.path)
        let secrets = try await ledger.secrets()
        vault = SecretVault(key: try KeyFile.open(store.keyFile, mayCreate: secrets.isEmpty))
        for secret in secrets { _ = try vault.unwrap(secret) }
    }

    /// Makes every challenge worthless that was issued so far, without the key file; returns how many keys were removed.
    package static func forgetChallenges(_ store: Configuration.Store) async throws(LedgerError) -> Int {
        let ledger = try SQLiteLedger.open(path: store.path)
        defer { ledger.close() }
        return try await ChallengeKeys.removeAll(from: ledger)
    }

    package func close() { ledger.close() }
}
