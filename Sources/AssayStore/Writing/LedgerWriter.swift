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
/// not part of the log; whoever opens the file anew finds it applied. If they do not pass, a new connection is tried.
///
/// Unchecked: everything but the mailbox is touched only by the thread.
final class LedgerWriter: @unchecked Sendable {
    private let mailbox: Mailbox<any WriterJob>
    private let path: String
    private let options: LedgerOptions
    private let cache: DeviceCache
    private let readers: ReaderPool
    private let checkpointer: Checkpointer
    private let hook = CommitHook()
    private var session: WriterSession?
    private var failuresInARow = 0
    /// After so many failures in a row the connection is given up.
    private static let patience = 4

    init(path: String, options: LedgerOptions, cache: DeviceCache, readers: ReaderPool, checkpointer: Checkpointer) {
        mailbox = Mailbox(limit: options.queueLimit)
        self.path = path
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
        while let (jobs, entries) = mailbox.take(upTo: options.batchLimit) {
            commit(jobs)
            checkpoint()
            gather(after: entries)
        }
        session = nil
    }

    /// Rests where the last commit tells of load, and less than a full batch waits.
    private func gather(after entries: Int) {
        guard entries >= options.gatherFrom, mailbox.waitingWeight < options.batchLimit else { return }
        usleep(options.gatherMicroseconds)
    }

    private func commit(_ jobs: [any WriterJob]) {
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
            cache.publish(session.deviceChanges, othersWrote: session.othersWrote)
            checkpointer.logHolds(frames: hook.frames)
            failuresInARow = 0
            return nil
        } catch {
            session?.rollBack()
            failuresInARow += 1
            let isKept = error.isLock || (error.mayPass && failuresInARow < Self.patience)
            if !isKept { dropSession() }
            return error
        }
    }

    private func readySession() throws(SQLiteFailure) -> WriterSession {
        if let session, !session.fileHasMoved { return session }
        dropSession()
        let session = try WriterSession(path: path, options: options)
        session.onCommit(hook)
        self.session = session
        readers.reopen()
        return session
    }

    /// Readers go with the writer: whatever broke its connection has broken theirs, or they read a file that is gone.
    private func dropSession() {
        guard session != nil else { return }
        session = nil
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
