package import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Puts a backup in the place of a ledger that does not exist, or that is empty.
///
/// The ledger's lock is held throughout. The backup is copied into a draft beside the ledger, verified and prepared there, and then renamed:
/// at no instant has the ledger's name a file that is not prepared. A process that is killed leaves the draft, which the next restore
/// removes.
package enum LedgerRestore {
    /// What follows the ledger's name in that of the draft.
    package static let draftSuffix = ".restore"

    /// - Parameters:
    ///   - check: throws if what the backup contains is not acceptable.
    ///   - prepare: changes the draft, which has the newest schema, before it becomes the ledger. If it throws, nothing is restored.
    /// - Returns: what the backup contains, and what `prepare` returned.
    package static func run<T>(
        _ backup: String, into path: String, progress: (Int, Int) -> Void = { _, _ in },
        check: (LedgerContentSummary) throws -> Void, prepare: (any OpenedLedger) async throws -> T
    ) async throws -> (content: LedgerContentSummary, prepared: T) {
        try LedgerFile.checkDirectory(of: path)
        if let why = LedgerFile.oddSideFile(of: path) { throw LedgerError.unavailable(why) }
        let isNew = FileIdentity.look(at: path) == nil
        let lock = try LedgerLock(of: path, mayCreate: true)
        defer { lock.release() }
        let ledger = LedgerFile.resolved(path)
        let draft = ledger + draftSuffix
        do {
            try checkEmpty(ledger)
            remove(draft)
            defer { remove(draft) }
            try makeDraft(draft)
            try LedgerCopy.make(of: backup, .backup, into: draft, progress: progress)
            let content = try LedgerCopy.inspect(draft)
            try check(content)
            let prepared = try await Self.prepare(draft, prepare)
            try publish(draft, as: ledger)
            return (content, prepared)
        } catch {
            if isNew, FileIdentity.look(at: ledger)?.size == 0 { unlink(ledger) }
            throw error
        }
    }

    /// Throws if the ledger holds anything: what a daemon committed is never replaced.
    private static func checkEmpty(_ ledger: String) throws(LedgerError) {
        let log = LedgerFile.Side.log.path(of: ledger)
        func size(_ path: String) -> Int64 { FileIdentity.look(at: path)?.size ?? 0 }
        // SQLite drops the log of a file without bytes.
        guard size(ledger) > 0 || size(log) == 0 else {
            throw .unavailable("\(log) exists without its ledger: move it to another folder first")
        }
        guard try isEmpty(ledger) else {
            throw .unavailable(
                "\(ledger) is not empty, and a backup is restored only into an empty store: move the ledger, and its -wal and "
                    + "-shm, to another folder first")
        }
        // The last connection has copied and removed the log. A log of this file must not be taken for the backup's.
        guard size(log) == 0 else { throw .unavailable("\(log) cannot be emptied") }
        unlink(log)
        unlink(LedgerFile.Side.index.path(of: ledger))
    }

    private static func isEmpty(_ ledger: String) throws(LedgerError) -> Bool {
        guard (FileIdentity.look(at: ledger)?.size ?? 0) > 0 else { return true }
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: ledger, busyTimeout: 5000)
            try Schema.checkAudit(connection)
            let content = """
                SELECT (SELECT count(*) FROM audit) + (SELECT number FROM audit_start) + (SELECT count(*) FROM secrets)
                    + (SELECT count(*) FROM devices)
                """
            return try connection.integer(content) == 0
        } catch {
            throw error.ledgerError
        }
    }

    private static func makeDraft(_ draft: String) throws(LedgerError) {
        let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, LedgerFile.mode)
        guard descriptor >= 0 else { throw .unavailable("\(draft): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        giveToOwnerOfFolder(descriptor, draft)
    }

    /// What root makes, the daemon's user could not open.
    private static func giveToOwnerOfFolder(_ descriptor: Int32, _ path: String) {
        var folder = stat()
        guard geteuid() == 0, stat(LedgerFile.directory(of: path), &folder) == 0 else { return }
        _ = fchown(descriptor, folder.st_uid, folder.st_gid)
    }

    private static func prepare<T>(_ draft: String, _ prepare: (any OpenedLedger) async throws -> T) async throws -> T {
        var options = LedgerOptions()
        options.mayCreate = false
        let ledger = try SQLiteLedger.open(path: draft, options: options)
        defer { ledger.close() }
        return try await prepare(ledger)
    }

    private static func publish(_ draft: String, as ledger: String) throws(LedgerError) {
        // The last connection has copied the log into the file and removed it.
        guard FileIdentity.look(at: LedgerFile.Side.log.path(of: draft)) == nil else {
            throw .unavailable("the log of \(draft) cannot be emptied")
        }
        let descriptor = open(draft, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable("\(draft): \(String(cString: strerror(errno)))") }
        let synced = fsync(descriptor) == 0
        close(descriptor)
        guard synced, rename(draft, ledger) == 0 else {
            throw .unavailable("\(ledger): \(String(cString: strerror(errno)))")
        }
        try LedgerFile.protect(ledger)
        let mark = open(LedgerFile.Side.lock.path(of: ledger), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard mark >= 0 else { return }
        giveToOwnerOfFolder(mark, ledger)
        close(mark)
    }

    private static func remove(_ draft: String) {
        for side in LedgerFile.Side.allCases { unlink(draft + side.rawValue) }
        unlink(draft)
    }
}
