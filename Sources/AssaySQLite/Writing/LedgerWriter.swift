import AssayCore
import AssayLedger
import AssayMetrics
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writing thread with its connection. Jobs that arrive while one commit syncs share the next transaction.
///
/// A failure is the result of all jobs in its transaction, and the next transaction starts from the state of the file. No job
/// succeeds before COMMIT has returned.
///
/// The connection is kept through failures that may pass, because only it knows that a transaction whose sync failed is not part of
/// the log: a new connection would find it applied. After several failures in a row a new connection is opened. A disk that cannot
/// be written is not a reason for that, because readers would be closed with the connection, and they still work.
///
/// Before a commit is reported, the ledger's files must be those that the connection has open: data in a file without a name would
/// be lost with this process. After damage, or after a file beside the ledger was exchanged, nothing is written until the ledger is
/// opened again. A ledger's file that was missing is used again if it is the same file and holds the last commit.
///
/// A caller that has a thread of its own may do the writer's work for its job itself (``perform(weight:_:)``), in place of the thread.
///
/// Unchecked: only the thread uses the properties, or who is in its place (`Mailbox.enter`), except the mailbox.
final class LedgerWriter: @unchecked Sendable {
    private let mailbox: Mailbox<any WriterJob>
    private let place: LedgerPlace
    private let options: LedgerOptions
    private let caches: LedgerCaches
    private let readers: ReaderPool
    private let checkpointer: Checkpointer
    private let health: LedgerHealth
    private let hook = CommitHook()
    let times = CommitTimes()
    private var session: WriterSession?
    /// The files of the session.
    private var files: OpenFiles?
    /// The chain of the audit log after the last commit.
    private var known: AuditChain?
    private var fileIsMissing = false
    /// For the next start; `nil` where there is nothing to tell it.
    private var note: ReplacementNote?
    private var failuresInARow = 0
    /// How long the last transaction took, in nanoseconds; `.max` before the first one, and after a failure.
    private let lastDuration = Atomic(UInt64.max)
    /// The number of consecutive failures after which the connection is closed.
    private static let patience = 4
    /// Whether a caller may wait for the disk itself.
    var isDiskQuick: Bool { lastDuration.load(ordering: .relaxed) <= options.quickCommitMicroseconds * 1000 }

    init(
        _ place: LedgerPlace, options: LedgerOptions, caches: LedgerCaches, readers: ReaderPool, checkpointer: Checkpointer,
        health: LedgerHealth
    ) {
        mailbox = Mailbox(limit: options.queueLimit)
        self.place = place
        self.health = health
        self.options = options
        self.caches = caches
        self.readers = readers
        self.checkpointer = checkpointer
    }

    /// Does a job on the caller's thread, if the writer's own waits and has nothing else to do: no thread is woken for it, and none again for
    /// the result. `nil`, and nothing done: the job has to be posted.
    func perform<Value: Sendable>(
        weight: Int, _ body: @escaping @Sendable (WriterSession) throws(SQLiteError) -> Value
    ) -> Result<Value, LedgerError>? {
        guard mailbox.enter() else { return nil }
        defer { mailbox.leave() }
        // What takes longer than a commit is the thread's: opening the files, and copying the log.
        guard session != nil, isDiskQuick, !checkpointer.needsWriter else { return nil }
        let job = DirectJob(body)
        work(on: [job], entries: weight)
        return job.result
    }

    /// Queues a job, or finishes it at once with an error.
    func post(_ job: some WriterJob, weight: Int) {
        switch mailbox.post(job, weight: weight) {
        case .accepted: break
        case .full: job.finish(.overloaded)
        case .closed: job.finish(.unavailable("the ledger is closed"))
        }
    }

    /// The entries that wait for the next transaction.
    var waiting: Int { mailbox.queuedWeight }

    /// Ends `run` after the queued jobs.
    func close() { mailbox.close() }

    /// Closes the session's connection. Called when the ledger's threads have ended, since it must be the last one.
    func disconnect() {
        if checkpointer.isInDoubt { session?.keepLog() }
        session = nil
    }

    /// The body of the thread.
    func run() {
        while let (jobs, entries) = mailbox.take(upTo: options.batchLimit, within: options.watchPeriod) {
            guard !jobs.isEmpty else {
                watch()
                continue
            }
            work(on: jobs, entries: entries)
            gather(after: entries)
        }
    }

    private func work(on jobs: [any WriterJob], entries: Int) {
        times.began()
        commit(jobs)
        checkpoint()
        times.ended(entries: entries)
    }

    /// Checks the files while the writer is idle: a removed log is found while this process still has it open.
    private func watch() {
        guard session != nil else { return }
        do throws(SQLiteError) { try checkFiles() } catch { note(error) }
    }

    /// Pauses after a commit under load, unless a full batch waits.
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
            // A value of one job is at fault. The others are committed without it.
            for job in jobs { commit([job]) }
        } else {
            for job in jobs { job.finish(failure?.ledgerError) }
        }
    }

    private func transact(_ jobs: [any WriterJob]) -> SQLiteError? {
        do throws(SQLiteError) {
            let session = try readySession()
            let begin = MonotonicTime.nanoseconds()
            try session.start()
            for job in jobs { try job.apply(in: session) }
            try session.commit()
            try checkFiles()
            let duration = MonotonicTime.nanoseconds() &- begin
            lastDuration.store(duration, ordering: .relaxed)
            times.committed(in: duration)
            known = session.audit.chain
            caches.publish(session)
            checkpointer.logHolds(frames: hook.frames)
            failuresInARow = 0
            if hook.takeWrote() { health.wrote(true) }
            return nil
        } catch {
            session?.rollBack()
            times.failed()
            failuresInARow += 1
            lastDuration.store(.max, ordering: .relaxed)
            note(error)
            if error.wasNotWritten { health.wrote(false) }
            let isKept = error.isLock || error.wasNotWritten || (error.mayPass && failuresInARow < Self.patience)
            if !isKept { dropSession() }
            return error
        }
    }

    /// Reports a failure of the files, and stops after damage, so that nothing damaged is overwritten.
    private func note(_ failure: SQLiteError) {
        health.note(failure)
        if failure.isReplacement, note == nil, let known {
            let left = ReplacementNote(beside: place.path)
            left.write(known)
            note = left
        }
        if failure.isDamage { session?.keepLog() }
        if failure.isReplacement, health.fault == nil, !fileIsMissing {
            fileIsMissing = true
            health.file(isMissing: failure.ledgerError)
        }
    }

    private func readySession() throws(SQLiteError) -> WriterSession {
        // Nothing is written into missing files, so that a job which is refused then was not applied.
        if session != nil { try checkFiles() }
        if let session { return session }
        if let fault = place.fault { throw .replaced(fault) }
        let session = try WriterSession(path: place.path, options: options)
        guard let files = OpenFiles(place) else { throw .replaced("a file beside \(place.path) went as it was opened") }
        if let known, try !session.audit.contains(known) {
            session.keepLog()
            let failure = SQLiteError.replaced(
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
            note?.remove()
            note = nil
            health.file(isMissing: nil)
        }
        return session
    }

    /// Throws unless all files are those that the session has open.
    private func checkFiles() throws(SQLiteError) {
        guard let fault = files?.fault else { return }
        session?.keepLog()
        switch fault {
        case .ledger(let what):
            dropSession()
            throw .replaced(what)
        case .beside(let what, let rescuesLog):
            // Readers, and a checkpoint that runs, would keep the log from being copied to its end.
            readers.shut()
            checkpointer.disconnect()
            var words = what
            if rescuesLog {
                words +=
                    rescueLog()
                    ? "; what it held was copied into the ledger's file"
                    : "; what it held and the ledger's file does not is lost"
            }
            dropSession()
            let failure = SQLiteError.replaced(words)
            health.stop(failure.ledgerError)
            throw failure
        }
    }

    /// Tries for some seconds: a running read prevents it, and the log is lost when the session closes.
    private func rescueLog() -> Bool {
        (0..<20).contains { _ in session?.rescueLog() == true }
    }

    /// Closes the session, the checkpointer's connection and all readers: the fault of its connection affects theirs, or their file is missing.
    ///
    /// After a failed sync of the ledger's file the log is kept, and readers are waited for. The kernel may have dropped pages that were written to
    /// the file, and the next sync succeeds all the same (https://lwn.net/Articles/752063). SQLite takes them for copied as long as one
    /// connection is open; when none is, the next session copies the whole log before it accepts anything.
    private func dropSession() {
        guard session != nil else { return }
        readers.shut()
        checkpointer.disconnect()
        let isInDoubt = checkpointer.isInDoubt
        if isInDoubt { session?.keepLog() }
        (session, files) = (nil, nil)
        caches.clear()
        guard isInDoubt else { return }
        readers.waitForReads()
        checkpointer.endDoubt()
    }

    /// Ends a checkpoint: between two commits the log can be copied to its end, and then restarts. The checkpointer has copied and synced most of it.
    /// A lasting failure shows in the next commit, except for that of a sync.
    private func checkpoint() {
        if !checkpointer.isInDoubt, checkpointer.takeRest() {
            do throws(SQLiteError) { try session?.checkpoint() } catch { checkpointer.note(error) }
        }
        if checkpointer.isInDoubt { dropSession() }
    }
}
