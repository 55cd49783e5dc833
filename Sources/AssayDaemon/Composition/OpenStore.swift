package import AssayConfiguration
package import AssayCore
import AssayPostgres
import AssaySQLite
package import AssayService
import Foundation
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
    package let ledger: any OpenedLedger
    package let vault: SecretVault
    /// Of the folder of the daemon's own files, where the ledger is elsewhere: two daemons would overwrite them.
    private let mark: LedgerMark?

    /// States of the store that the daemon accepts only if its command line says so.
    package struct Exceptions: Hashable, Sendable {
        /// An empty ledger although its key file exists.
        package var newLedger = false
        /// A ledger that others than its owner can read or write.
        package var ledgerMode = false
        package init() {}
    }

    /// Opens or makes the ledger and its key file. Throws `LedgerError`, `StartupError`, or `VaultError` for a key file that
    /// does not open every secret of the ledger: with it nothing may be written, or the right one would not open that.
    ///
    /// - Parameters:
    ///   - clock: against which the end of a declaration of a new ledger is held.
    ///   - logger: logs changes of the ledger's state while it is open.
    package init(
        _ store: FixedConfiguration.Store, accepting exceptions: Exceptions = Exceptions(),
        clock: some WallClock = SystemClock(), logger: Logger
    ) async throws {
        let now = clock.now()
        if !exceptions.ledgerMode { try Self.checkMode(of: store.backend, orTell: "start once with --accept-ledger-mode") }
        mark = store.file == nil ? try LedgerMark(beside: store.ownFiles) : nil
        let backend = store.backend(for: mark, acknowledged: store.acknowledgedFile)
        // Before the ledger is made.
        if !backend.exists, !exceptions.newLedger { try Self.checkMayBeNew(store, at: now) }
        let ledger = try await backend.open(mayCreate: true) { Self.log($0, logger) }
        do {
            vault = try await Self.prepare(ledger, of: store, accepting: exceptions, at: now, logger)
        } catch {
            // Or another process would find it in use for a while.
            ledger.close()
            mark?.release()
            throw error
        }
        self.ledger = ledger
    }

    /// Checks a ledger that is open, makes one that is new, and opens its secrets.
    private static func prepare(
        _ ledger: any OpenedLedger, of store: FixedConfiguration.Store, accepting exceptions: Exceptions, at now: Timestamp,
        _ logger: Logger
    ) async throws -> SecretVault {
        if let risk = ledger.durabilityRisk { logger.warning("\(risk)") }
        try await ledger.checkAuditEnd()
        let secrets = try await ledger.secrets()
        try await Self.checkReplacement(store, ledger, secrets)
        if secrets.isEmpty {
            if !exceptions.newLedger, try await !ledger.isDeclaredNew() { try checkMayBeNew(store, at: now) }
            // Before the key file is made: a start that ends between the two can be repeated.
            try await ledger.declareNew()
        }
        // Before anything is accepted. From now on an empty ledger is a lost one, also where this daemon did not make it.
        if let declaration = store.newLedger, declaration.isInForce(at: now) {
            var marker = try NewLedgerMarker(declaration.marker)
            try marker.note(declaration.id, .made, at: now)
            if secrets.isEmpty {
                logger.warning(
                    "the ledger is a new one, as store.new_ledger declares",
                    metadata: ["ledger": "\(store.name)", "id": "\(declaration.id)", "marker": "\(declaration.marker)"])
            }
        }
        let vault = SecretVault(key: try KeyFile.open(store.keyFile, mayCreate: secrets.isEmpty))
        for secret in secrets { _ = try vault.unwrap(secret) }
        return vault
    }

    /// Invalidates all challenges issued so far, by removing their keys, and returns the number of keys removed. The key file is not
    /// needed. Throws `StartupError` if daemons share the ledger, or `LedgerError` if there is no ledger or its daemon has it open.
    package static func forgetChallenges(_ store: FixedConfiguration.Store) async throws -> Int {
        try checkMode(of: store.backend, orTell: nil)
        let (ledger, mark) = try await alone(store, mayCreate: false)
        defer {
            ledger.close()
            mark?.release()
        }
        let daemons = try await ledger.otherDaemons()
        guard daemons.isEmpty else {
            throw StartupError(
                "the ledger \(store.backend.name) is in use by \(daemons.joined(separator: ", ")): a running daemon keeps the keys for up to "
                    + "a minute, so stop all of them first; one that was killed counts until its lease has ended, at most 15 s; nothing was changed"
            )
        }
        // As challenges, so places of status lists that were given out may be missing, and revocation lists that were published.
        try await ledger.skipLostPublications()
        return try await ChallengeKeys.removeAll(from: ledger)
    }

    /// Makes an empty ledger that the daemon accepts although the key file exists. Throws `LedgerError`, or `StartupError` if the
    /// ledger holds secrets.
    package static func makeNew(_ store: FixedConfiguration.Store) async throws {
        try checkMode(of: store.backend, orTell: nil)
        let (ledger, mark) = try await alone(store, mayCreate: true)
        defer {
            ledger.close()
            mark?.release()
        }
        guard try await ledger.secrets().isEmpty else {
            throw StartupError("the ledger \(store.backend.name) is in use already: it has secrets; nothing was changed")
        }
        try await ledger.declareNew()
    }

    /// Opens a ledger for a command. Throws if the daemon of the same configuration runs.
    private static func alone(
        _ store: FixedConfiguration.Store, mayCreate: Bool
    ) async throws -> (any OpenedLedger, LedgerMark?) {
        let mark = store.file == nil ? try LedgerMark(beside: store.ownFiles) : nil
        return (try await store.backend(for: mark).open(mayCreate: mayCreate) { _ in }, mark)
    }

    package func close() {
        ledger.close()
        mark?.release()
    }

    // MARK: Checks

    /// Throws if the empty ledger may replace one that was lost: its key file exists, and no declaration says that it is to be a new
    /// one; or a ledger was made under the declaration before.
    private static func checkMayBeNew(_ store: FixedConfiguration.Store, at now: Timestamp) throws(StartupError) {
        guard let why = try store.reasonNotToBeNew(at: now) else {
            // Before the ledger is made: what is begun may be repeated until it is made.
            if let declaration = store.newLedger, declaration.isInForce(at: now) {
                var marker = try NewLedgerMarker(declaration.marker)
                try marker.note(declaration.id, .begun, at: now)
            }
            return
        }
        throw StartupError(
            "the ledger \(store.backend.name) is empty, but \(why): the ledger may be lost, and in an empty one everything that was spent is "
                + "fresh again; \(store.remedyOfEmptiness) (or assayd run --accept-new-ledger)")
    }

    /// Throws if a file of the ledger was removed or exchanged while a daemon had it open, and the ledger does not hold what that daemon had committed.
    private static func checkReplacement(
        _ store: FixedConfiguration.Store, _ ledger: any OpenedLedger, _ secrets: [WrappedSecret]
    ) async throws {
        guard let file = store.file else { return }
        let note = ReplacementNote(beside: file)
        guard let last = note.chain else { return }
        let row = try await ledger.audit(from: last.number, limit: 1).rows.first
        let isHeld = row.map { $0.number == last.number && $0.head == last.head } ?? (last.number == 0)
        // Without keys no challenge of before is good.
        guard isHeld || !secrets.contains(where: { $0.name == WrappedSecret.challengeKeys }) else {
            throw LedgerError.replaced(
                "\(file) does not hold audit record \(last.number), which a daemon had committed when a file of the ledger was removed or exchanged. What "
                    + "was spent since could be spent again: if the file is to be used as it is, run assayd forget-challenges once, and start again"
            )
        }
        note.remove()
    }

    /// Throws if others can read or write the ledger: the key file is readable by its owner only, and so must be what the key
    /// protects.
    private static func checkMode(of backend: any LedgerBackend, orTell option: String?) throws(StartupError) {
        guard let exposure = backend.exposure else { return }
        throw StartupError(
            "other users may use the ledger's file \(exposure.path) (mode 0\(String(exposure.mode, radix: 8))), while its key is its owner's only: "
                + "the ledger may have been changed or read by them; chmod 600 it" + (option.map { ", or \($0)" } ?? ""))
    }

    private static func log(_ fault: LedgerFault, _ logger: Logger) {
        switch fault {
        case .final(let error):
            logger.critical(
                "nothing is accepted any more until the daemon is started anew", metadata: ["error": "\(error)"])
        case .passing(let error):
            logger.critical("nothing is accepted until the ledger can be written", metadata: ["error": "\(error)"])
        case .over: logger.notice("the ledger can be written; evidence is accepted again")
        case .warning(let words): logger.warning("\(words)")
        }
    }
}

extension FixedConfiguration.Store {
    /// Why an empty ledger may be one that was lost; `nil` if it is to be made. Throws if the marker of the declaration cannot be read.
    func reasonNotToBeNew(at now: Timestamp) throws(StartupError) -> String? {
        var ended = ""
        if let declaration = newLedger {
            if let use = try NewLedgerMarker(declaration.marker).use(of: declaration.id), use.state == .made {
                return
                    "a ledger was made under the id \"\(declaration.id)\" of store.new_ledger before (\(use.at), as \(declaration.marker) says)"
            }
            if declaration.isInForce(at: now) { return nil }
            ended = ", and store.new_ledger has ended (\(declaration.until))"
        }
        return UnixFile(at: keyFile, followsLink: false) == nil ? nil : "its key file \(keyFile) exists" + ended
    }

    /// What to do about an empty ledger, to stand behind why it may be a lost one.
    var remedyOfEmptiness: String {
        let copy =
            file == nil ? "; if a ledger in a file is to move here, copy it: assayd store copy --from FILE" : ""
        let another = newLedger == nil ? "" : "give store.new_ledger another id and a time to come, or "
        return "restore it\(copy); if it is to be a new one, \(another)run assayd new-ledger once"
    }

    /// The store that holds the ledger.
    package var backend: any LedgerBackend { backend(for: nil) }

    /// The same for the process that has the mark of the daemon's folder.
    ///
    /// - Parameter acknowledged: the file of what the daemon has acknowledged, with which a database is compared; `nil`: it is not.
    fileprivate func backend(for mark: LedgerMark?, acknowledged: String? = nil) -> any LedgerBackend {
        switch place {
        case .file(let path): Self.backend(at: path)
        case .postgresql(let settings, _):
            PostgresBackend(settings, holder: mark.map { LedgerHolder(mark: $0.name) }, acknowledged: acknowledged)
        }
    }

    /// What a daemon would find that starts with a ledger in a database; `nil` for a ledger in a file. Blocks.
    func inspectDatabase() -> DatabaseInspection? {
        guard case .postgresql(let settings, _) = place else { return nil }
        return PostgresBackend(
            settings, holder: LedgerMark.name(beside: ownFiles).map(LedgerHolder.init(mark:)), acknowledged: acknowledgedFile
        ).inspect()
    }

    /// The store of the ledger in a file, as the configuration and the commands name it.
    package static func backend(at path: String) -> any LedgerBackend { SQLiteBackend(path: path) }
}

extension LedgerHolder {
    /// This process, as the one that has a mark, or would have it.
    fileprivate init(mark: String) {
        let host = ProcessInfo.processInfo.hostName
        self.init(instance: "\(mark)@\(host)", name: "process \(getpid()) on \(host)")
    }
}

/// Whether the machine's clock can be right. A daemon under a wrong clock accepts certificates outside their dates, and issues
/// challenges that no daemon accepts afterwards.
package enum ClockCheck {
    /// How far the clock may be behind the ledger's last entry, in milliseconds: the skew that is allowed everywhere.
    package static let tolerance: Int64 = 300_000

    /// Throws a sentence for the operator if the clock is before this program was made, or behind what the ledger has seen.
    package static func check(now: Timestamp, lastEntry: Timestamp?) throws(StartupError) {
        guard now >= Version.date else {
            throw StartupError(
                "the clock says \(now), which is before this program was made (\(Version.date)); set the clock, "
                    + "or start with --accept-clock if it is right", exitStatus: StartupError.system)
        }
        guard let lastEntry, lastEntry.milliseconds(since: now) > tolerance else { return }
        throw StartupError(
            "the clock says \(now), which is behind the ledger's last entry (\(lastEntry)); set the clock, "
                + "or start with --accept-clock if it is right and was wrong before", exitStatus: StartupError.system)
    }
}

extension OpenStore {
    /// Throws a `StartupError` if the clock cannot be right, or a `LedgerError`.
    package func checkClock(_ clock: some WallClock = SystemClock()) async throws {
        try ClockCheck.check(now: clock.now(), lastEntry: try await ledger.status().lastEntryAt)
    }
}
