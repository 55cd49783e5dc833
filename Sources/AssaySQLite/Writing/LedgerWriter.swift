import AssayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The one that writes: a thread with its own connection. It takes whatever waits while one commit syncs into the next.
///
/// After a failure everybody in the transaction hears of it, and the next transaction starts from what the file says.
/// Nobody is told of success before COMMIT returned.
///
/// The connection is kept through failures that may pass, because only it knows that a transaction whose sync failed is
/// not part of the log; whoever opens the file anew finds it applied. If they do not pass, a new connection is tried. A disk
/// that takes nothing more is no reason for that, however long it lasts: readers, who go with the connection, can still
/// answer.
///
/// Before anybody hears of a commit, the ledger's files must be those that the connection has open: what went into a file that
/// has no name any more would be lost with this process. After damage, and where a file beside the ledger was exchanged, nothing
/// is written until the ledger is opened anew. A ledger's file that was away is taken up again if it is the same one, and
/// holds what was last committed.
///
/// Unchecked: everything but the mailbox is touched only by the thread.
final class LedgerWriter: @unchecked Sendable {
    private let mailbox: Mailbox<any WriterJob>
    private let place: LedgerPlace
    private let options: LedgerOptions
    private let cache: DeviceCache
    private let readers: ReaderPool
    private let checkpointer: Checkpointer
    private let health: LedgerHealth
    private let hook = CommitHook()
    private var session: WriterSession?
    /// Those of the session.
    private var files: OpenFiles?
    /// The end of the audit log after the last commit.
    private var known: AuditChain?
    private var fileIsMissing = false
    private var failuresInARow = 0
    /// After so many failures in a row the connection is given up.
    private static let patience = 4

    init(
        _ place: LedgerPlace, options: LedgerOptions, cache: DeviceCache, readers: ReaderPool, checkpointer: Checkpointer,
        health: LedgerHealth
    ) {
        mailbox = Mailbox(limit: options.queueLimit)
        self.place = place
        self.health = health
        self.options = options
        self.cache = cache
        self.readers = readers
        self.checkpointer = checkpointer
    }

    /// Queues a job; it is finished at once where it cannot be.
    func post(_ job: some WriterJob, weight: Int) {
        switch mailbox.post(job, weight: weight) {
        case .accepted: break
        case .full: job.finish(.overloaded)
        case .closed: job.finish(.unavailable("the ledger is closed"))
        }
    }

    /// Ends `run` when what waits is done.
    func close() { mailbox.close() }

    /// The thread's body.
    func run() {
        while let (jobs, entries) = mailbox.take(upTo: options.batchLimit, within: options.watchPeriod) {
            guard !jobs.isEmpty else {
                watch()
                continue
            }
            commit(jobs)
            checkpoint()
            gather(after: entries)
        }
        session = nil
    }

    /// While nothing is asked: a log that was removed is found while this process still has it.
    private func watch() {
        guard session != nil else { return }
        do throws(SQLiteFailure) { try checkFiles() } catch { note(error) }
    }

    /// Rests where the last commit tells of load, and less than a full batch waits.
    private func gather(after entries: Int) {
        guard entries >= options.gatherFrom, mailbox.waitingWeight < options.batchLimit else { return }
        usleep(options.gatherMicroseconds)
    }

    private func commit(_ jobs: [any WriterJob]) {
        if let fault = health.fault {
            for job in jobs { job.finish(fault) }
            return
        }
        let failure = transact(jobs)
        if let failure, failure.isOfTheValues, jobs.count > 1 {
            // One of them brought what the store cannot hold. The others are innocent.
            for job in jobs { commit([job]) }
        } else {
            for job in jobs { job.finish(failure?.ledgerError) }
        }
    }

    private func transact(_ jobs: [any WriterJob]) -> SQLiteFailure? {
        do throws(SQLiteFailure) {
            let session = try readySession()
            try session.start()
            for job in jobs { try job.apply(in: session) }
            try session.commit()
            try checkFiles()
            known = session.audit.chain
            cache.publish(session.deviceChanges, othersWrote: session.othersWrote)
            checkpointer.logHolds(frames: hook.frames)
            failuresInARow = 0
            if hook.takeWrote() { health.wrote(true) }
            return nil
        } catch {
            session?.rollBack()
            failuresInARow += 1
            note(error)
            if error.wasNotWritten { health.wrote(false) }
            let isKept = error.isLock || error.wasNotWritten || (error.mayPass && failuresInARow < Self.patience)
            if !isKept { dropSession() }
            return error
        }
    }

    /// Says what is wrong with the files, and stops after damage, of which nothing must be overwritten.
    private func note(_ failure: SQLiteFailure) {
        health.note(failure)
        if failure.isDamage { session?.keepLog() }
        if failure.isReplacement, health.fault == nil, !fileIsMissing {
            fileIsMissing = true
            health.file(isMissing: failure.ledgerError)
        }
    }

    private func readySession() throws(SQLiteFailure) -> WriterSession {
        // Nothing is written into files that are gone: what is refused then was not applied either.
        if session != nil { try checkFiles() }
        if let session { return session }
        if let fault = place.fault { throw .replaced(fault) }
        let session = try WriterSession(path: place.path, options: options)
        guard let files = OpenFiles(place) else { throw .replaced("a file beside \(place.path) went as it was opened") }
        if let known, try !session.audit.contains(known) {
            session.keepLog()
            let failure = SQLiteFailure.replaced(
                "\(place.path) does not hold audit record \(known.number), which was committed")
            health.stop(failure.ledgerError)
            throw failure
        }
        known = session.audit.chain
        session.onCommit(hook)
        (self.session, self.files) = (session, files)
        readers.reopen()
        if fileIsMissing {
            fileIsMissing = false
            health.file(isMissing: nil)
        }
        return session
    }

    /// Throws unless every file is the one that the session has open.
    private func checkFiles() throws(SQLiteFailure) {
        guard let fault = files?.fault else { return }
        session?.keepLog()
        switch fault {
        case .ledger(let what):
            dropSession()
            throw .replaced(what)
        case .owner(let what):
            dropSession()
            let failure = SQLiteFailure.replaced(what)
            health.stop(failure.ledgerError)
            throw failure
        case .beside(let what, let logIsElsewhere):
            // Readers hold the log's end back.
            readers.shut()
            let isRescued = !logIsElsewhere && rescueLog()
            let failure = SQLiteFailure.replaced(
                what
                    + (isRescued
                        ? "; what it held was copied into the ledger's file"
                        : "; what it held and the ledger's file does not is lost"))
            dropSession()
            health.stop(failure.ledgerError)
            throw failure
        }
    }

    /// Tries for some seconds: a reader that is on its way holds the log's end, and with the session the log is gone.
    private func rescueLog() -> Bool {
        (0..<20).contains { _ in session?.rescueLog() == true }
    }

    /// Readers go with the writer: whatever broke its connection has broken theirs, or they read a file that is gone.
    private func dropSession() {
        guard session != nil else { return }
        (session, files) = (nil, nil)
        readers.shut()
        cache.clear()
    }

    /// The end of a checkpoint: while the writer rests, the log can be copied to its end and then starts anew. The bulk
    /// was copied by the checkpointer meanwhile. A failure here is found again by the next commit, if it lasts.
    private func checkpoint() {
        guard checkpointer.takeRest() else { return }
        try? session?.checkpoint()
    }
}
