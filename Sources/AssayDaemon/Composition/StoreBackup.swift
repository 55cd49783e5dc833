package import AssayConfiguration
import AssayCore
import AssayFiles
package import AssaySQLite
import AssayService

/// Whether a key file opens the secrets of a ledger.
package enum KeyFit: Hashable, Sendable {
    case opens
    /// The key file cannot be read here: why.
    case unknown(String)
    /// The key file belongs to another ledger.
    case wrong

    /// Compares without changing anything.
    init(of keyFile: String, to secrets: [WrappedSecret]) {
        do throws(StartupError) {
            let vault = SecretVault(key: try KeyFile.open(keyFile, mayCreate: false))
            do {
                for secret in secrets { _ = try vault.unwrap(secret) }
                self = .opens
            } catch {
                self = .wrong
            }
        } catch {
            self = .unknown(error.description)
        }
    }
}

extension FixedConfiguration.Store {
    /// The ledger's file. Throws a sentence where the ledger is in a database.
    fileprivate func fileOrExplain() throws(StartupError) -> String {
        guard let file else {
            throw StartupError(
                "the ledger is in the \(name): back it up, and restore it, by the database's own means, and run "
                    + "assayd forget-challenges before the first start after a restore")
        }
        return file
    }
}

/// A backup of a ledger, as it was written and verified.
package struct StoreBackup: Sendable {
    package let content: LedgerContentSummary
    package let key: KeyFit

    /// Writes a copy of the ledger as it is at one instant into a new file, mode 0600, and verifies it. A daemon may run on the ledger. The
    /// file has its name only when it is whole and verified. Throws `LedgerError` or `StartupError`.
    ///
    /// - Parameter progress: called with the pages copied and the pages in all.
    package static func make(
        of store: FixedConfiguration.Store, at path: String, keyFile: String? = nil, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> StoreBackup {
        let ledger = try store.fileOrExplain()
        do {
            let draft = try DraftFile(of: path)
            try LedgerCopy.make(of: ledger, .ledger, into: draft.path, progress: progress)
            let content = try LedgerCopy.inspect(draft.path)
            try draft.publish()
            return StoreBackup(content: content, key: KeyFit(of: keyFile ?? store.keyFile, to: content.secrets))
        } catch let error as NewFileError {
            throw StartupError("the backup \(path) \(error.description)")
        }
    }
}

/// A ledger that was restored from a backup.
package struct StoreRestore: Sendable {
    package let content: LedgerContentSummary
    package let key: KeyFit
    /// How many keys of challenges were removed: no challenge that was issued before is good.
    package let challengeKeys: Int
    /// API keys of callers that are neither revoked nor expired in the backup: one that was revoked since is good again.
    package let callerKeys: [String]

    /// Verifies a backup, and makes it the ledger of a store that is empty. Challenges are forgotten before the ledger has its name. Throws
    /// `LedgerError` or `StartupError`, and then the store is as it was.
    ///
    /// - Parameter progress: called with the pages copied and the pages in all.
    package static func run(
        _ backup: String, into store: FixedConfiguration.Store, keyFile: String? = nil,
        progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> StoreRestore {
        if let exposure = SQLiteBackend(path: backup).exposure {
            throw StartupError(
                "other users may use the backup \(exposure.path) (mode 0\(String(exposure.mode, radix: 8))): they may have changed "
                    + "it; if they have not, chmod 600 it")
        }
        let ledger = try store.fileOrExplain()
        let keyFile = keyFile ?? store.keyFile
        var key = KeyFit.unknown("")
        do {
            let (content, removed) = try await LedgerRestore.run(backup, into: ledger, progress: progress) { content in
                key = KeyFit(of: keyFile, to: content.secrets)
                guard key != .wrong else {
                    throw StartupError(
                        "the key file \(keyFile) does not open the backup \(backup): it belongs to another ledger")
                }
            } prepare: { ledger in
                let now = SystemClock().now()
                try await ledger.skipLostPublications()
                let keys = try await ledger.callerKeys().filter { $0.isGood(at: now) }
                return (challenges: try await ChallengeKeys.removeAll(from: ledger), callers: keys.map(\.name))
            }
            return StoreRestore(content: content, key: key, challengeKeys: removed.challenges, callerKeys: removed.callers)
        } catch LedgerError.corrupt(let why) {
            // The store is empty: only the backup was read.
            throw StartupError("the backup \(backup) is damaged, and nothing was restored: \(why)")
        }
    }
}
