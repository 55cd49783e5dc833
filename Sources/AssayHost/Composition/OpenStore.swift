import AssayCore
package import AssaySQLite
package import AssayService
package import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The ledger of a configuration, open, and the vault that opens its secrets.
package struct OpenStore: Sendable {
    package let ledger: SQLiteLedger
    package let vault: SecretVault

    /// What the daemon starts with only if it is told to.
    package struct Exceptions: Hashable, Sendable {
        /// An empty ledger although its key file exists.
        package var newLedger = false
        /// Files of the ledger that others than its owner may read or write.
        package var ledgerMode = false
        package init() {}
    }

    /// Opens or makes the ledger and its key file. Throws `LedgerError`, `StartupError`, or `VaultError` for a key file that
    /// does not open every secret of the ledger: with it nothing may be written, or the right one would not open that.
    ///
    /// - Parameter logger: hears what happens to the ledger while it is open.
    package init(_ store: Configuration.Store, accepting exceptions: Exceptions = Exceptions(), logger: Logger) async throws {
        if !exceptions.ledgerMode { try Self.checkMode(of: store, orTell: "start once with --accept-ledger-mode") }
        // Before the ledger is made.
        if access(store.path, F_OK) != 0, !exceptions.newLedger { try Self.checkMayBeNew(store) }
        var options = LedgerOptions()
        options.onFault = { Self.log($0, logger) }
        let ledger = try SQLiteLedger.open(path: store.path, options: options)
        try await ledger.checkAuditEnd()
        let secrets = try await ledger.secrets()
        if secrets.isEmpty {
            if !exceptions.newLedger, try await !ledger.isDeclaredNew() { try Self.checkMayBeNew(store) }
            // Before the key file is made: a start that ends between the two can be repeated.
            try await ledger.declareNew()
        }
        vault = SecretVault(key: try KeyFile.open(store.keyFile, mayCreate: secrets.isEmpty))
        for secret in secrets { _ = try vault.unwrap(secret) }
        self.ledger = ledger
    }

    /// Makes every challenge worthless that was issued so far, without the key file; returns how many keys were removed. No
    /// daemon may have the ledger open. Throws `LedgerError` or `StartupError`.
    package static func forgetChallenges(_ store: Configuration.Store) async throws -> Int {
        try checkMode(of: store, orTell: nil)
        var options = LedgerOptions()
        options.mayCreate = false
        let ledger = try SQLiteLedger.open(path: store.path, options: options)
        defer { ledger.close() }
        return try await ChallengeKeys.removeAll(from: ledger)
    }

    /// Makes an empty ledger, with which the daemon starts although the key file exists. Throws `LedgerError`, or `StartupError` if the ledger
    /// holds anything.
    package static func makeNew(_ store: Configuration.Store) async throws {
        try checkMode(of: store, orTell: nil)
        let ledger = try SQLiteLedger.open(path: store.path)
        defer { ledger.close() }
        guard try await ledger.secrets().isEmpty else {
            throw StartupError("the ledger \(store.path) is in use already: it has secrets; nothing was changed")
        }
        try await ledger.declareNew()
    }

    package func close() { ledger.close() }

    // MARK: Files

    /// A ledger whose key exists was used before, or is about to be used first: an empty one looks the same in both cases.
    private static func checkMayBeNew(_ store: Configuration.Store) throws(StartupError) {
        var status = stat()
        guard lstat(store.keyFile, &status) == 0 else { return }
        throw StartupError(
            "the ledger \(store.path) is empty, but its key file \(store.keyFile) exists: the ledger may be lost, and in an empty "
                + "one everything that was spent is fresh again; restore it, or, if it is to be a new one, run once "
                + "assayd new-ledger (or assayd run --accept-new-ledger)")
    }

    /// The key file is its owner's only; so must be what the key protects.
    private static func checkMode(of store: Configuration.Store, orTell option: String?) throws(StartupError) {
        guard let (path, mode) = SQLiteLedger.wideFile(of: store.path) else { return }
        throw StartupError(
            "other users may use the ledger's file \(path) (mode 0\(String(mode, radix: 8))), while its key is its owner's only: "
                + "the ledger may have been changed or read by them; chmod 600 it" + (option.map { ", or \($0)" } ?? ""))
    }

    private static func log(_ fault: LedgerFault, _ logger: Logger) {
        switch fault {
        case .final(let error):
            logger.critical(
                "nothing is accepted any more until the daemon is started anew", metadata: ["error": "\(error)"])
        case .passing(let error):
            logger.critical("nothing is accepted until the ledger's file is back", metadata: ["error": "\(error)"])
        case .over: logger.notice("the ledger's file is back; evidence is accepted again")
        }
    }
}
