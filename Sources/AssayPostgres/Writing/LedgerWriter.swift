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

/// The writing thread with its connection. Entries that arrive while one group commits share the next transaction; other changes have
/// one each.
///
/// No job succeeds before COMMIT was answered as it should be. When the answer does not come, or tells that the standby did not confirm
/// the commit, the connection ends, and the next one looks into the writer's row: it has the commit or it does not. Until then nothing
/// else is written.
///
/// Unchecked: only the thread uses the properties, except the mailbox.
final class LedgerWriter: @unchecked Sendable {
    private let mailbox: Mailbox<any WriterJob>
    private let settings: PostgresSettings
    private let options: PostgresOptions
    private let server: ServerCheck
    private let cache: DeviceCache
    private let health: LedgerHealth
    private let lease: WriterLease
    let times = CommitTimes()
    private var session: WriterSession?
    /// The epochs with which this process may hold the writer's row.
    private var epochs: [Int64]
    /// The number of commits that were acknowledged, and of those that may be applied.
    private var acknowledged: Int64
    private var attempted: Int64
    private var lastFailure: (error: PostgresError, at: UInt64)?
    /// When the lease was last renewed, or that was tried, in nanoseconds of the monotonic clock.
    private var renewedAt = MonotonicTime.nanoseconds()
    /// How often challenge keys were removed because the ledger may have gone back: in the ledger, and when secrets were last read.
    private let setbacks: Atomic<Int64>
    private let knownSetbacks: Atomic<Int64>

    /// - Parameter session: that with which the ledger was opened.
    init(
        _ session: WriterSession, epoch: Int64, settings: PostgresSettings, options: PostgresOptions, server: ServerCheck,
        cache: DeviceCache, health: LedgerHealth
    ) {
        mailbox = Mailbox(limit: options.queueLimit)
        (self.session, epochs, lease) = (session, [epoch], session.lease)
        setbacks = Atomic(session.setbacks)
        knownSetbacks = Atomic(session.setbacks)
        (self.settings, self.options, self.server) = (settings, options, server)
        (self.cache, self.health) = (cache, health)
        (acknowledged, attempted) = (session.commits, session.commits)
    }

    /// Queues a job, or finishes it at once with an error.
    func post(_ job: some WriterJob, weight: Int) {
        switch mailbox.post(job, weight: weight) {
        case .accepted: break
        case .full: job.fail(.overloaded)
        case .closed: job.fail(.unavailable("the ledger is closed"))
        }
    }

    /// The entries that wait for the next transaction.
    var waiting: Int { mailbox.queuedWeight }

    /// Ends `run` after the queued jobs.
    func close() { mailbox.close() }

    /// The body of the thread.
    func run() {
        while let (jobs, entries) = mailbox.take(upTo: options.batchLimit, within: lease.renewal) {
            if !jobs.isEmpty {
                times.began()
                serve(jobs[...])
                times.ended(entries: entries)
            }
            renew()
            gather(after: entries)
        }
        session?.release()
        session = nil
    }

    // MARK: The lease

    /// Renews the lease of the name where no commit has lately, and looks whether a standby confirms commits.
    private func renew() {
        guard health.fault == nil,
            MonotonicTime.nanoseconds() &- renewedAt >= UInt64(lease.renewal) &* 1_000_000
        else { return }
        renewedAt = MonotonicTime.nanoseconds()
        _ = transact { [server] transaction throws(PostgresError) in
            try transaction.begin()
            let database = transaction.database
            if let hasStandby = try database.query(ServerCheck.standbyQuestion).first({ $0.bool(0) }),
                hasStandby != server.hasStandby
            {
                try ServerHistory(database: database).note(hasStandby: hasStandby)
                server.note(hasStandby: hasStandby)
            }
            return .toCommit([], ())
        }
    }

    /// Whether challenge keys were removed since the secrets were last read. Nothing is accepted then: challenges of these keys are void,
    /// and what they were spent for may be lost.
    var hasStaleSecrets: Bool {
        setbacks.load(ordering: .sequentiallyConsistent) != knownSetbacks.load(ordering: .sequentiallyConsistent)
    }

    private static let stale = "challenge keys were removed after a promotion, and are being read again"

    /// Reads secrets, so that they are not stale any more.
    func readingSecrets<T>(_ read: () async throws(LedgerError) -> T) async throws(LedgerError) -> T {
        let seen = setbacks.load(ordering: .sequentiallyConsistent)
        let value = try await read()
        knownSetbacks.store(seen, ordering: .sequentiallyConsistent)
        return value
    }

    /// Pauses after a commit under load, unless a full batch waits.
    private func gather(after entries: Int) {
        guard entries >= options.gatherFrom, mailbox.waitingWeight < options.batchLimit else { return }
        usleep(options.gatherMicroseconds)
    }

    /// Serves jobs in their order: neighbouring entries together, each other change by itself.
    private func serve(_ jobs: ArraySlice<any WriterJob>) {
        var rest = jobs
        while let first = rest.first {
            if let fault = health.fault {
                for job in rest { job.fail(fault) }
                return
            }
            if let change = first as? any ChangeJob {
                rest = rest.dropFirst()
                serve(change)
            } else {
                let group = rest.prefix { $0 is EntriesJob }
                rest = rest.dropFirst(max(1, group.count))
                serve(group.compactMap { $0 as? EntriesJob })
            }
        }
    }

    private func serve(_ change: any ChangeJob) {
        let result = transact { transaction throws(PostgresError) in
            try transaction.begin()
            try change.apply(in: transaction)
            return .toCommit(ChangeNotification.statements(transaction.deviceChanges, settings), ())
        }
        switch result {
        case .success: change.finish()
        case .failure(let error): change.fail(error.ledgerError)
        }
    }

    private func serve(_ jobs: [EntriesJob]) {
        let entries = jobs.flatMap(\.entries)
        let result = transact { transaction throws(PostgresError) in
            guard !hasStaleSecrets else { throw .unsuitable(Self.stale) }
            return try transaction.apply(entries)
        }
        switch result {
        case .success(let outcomes):
            var rest = outcomes[...]
            for job in jobs {
                job.finish(Array(rest.prefix(job.entries.count)))
                rest = rest.dropFirst(job.entries.count)
            }
        case .failure(let error):
            if (error.isOfTheValues || error.isConflict), jobs.count > 1 {
                // One job is at fault, or in the way. The others are committed without it.
                for job in jobs { serve([job]) }
            } else {
                for job in jobs { job.fail(error.ledgerError) }
            }
        }
    }

    // MARK: Transactions

    /// The number of times that a transaction is tried when others are in the way.
    private static let tries = 5

    /// Runs a transaction and commits it. Tries again where another transaction was in the way, where a partition is missing, and where
    /// the connection was lost and the transaction is certainly not applied.
    private func transact<T>(
        _ body: (WriterTransaction) throws(PostgresError) -> PreparedCommit<T>
    ) -> Result<T, PostgresError> {
        var failure = PostgresError(.connection, "no connection")
        var losses = 0
        for round in 0..<Self.tries {
            var result: T?
            do throws(PostgresError) {
                let session = try readySession()
                let begin = MonotonicTime.nanoseconds()
                let transaction = WriterTransaction(session)
                switch try body(transaction) {
                case .nothing(let value):
                    session.rollBack()
                    succeed()
                    return .success(value)
                case .toCommit(let statements, let value):
                    result = value
                    attempted = session.commits + 1
                    _ = try transaction.commit(after: statements)
                    times.committed(in: MonotonicTime.nanoseconds() &- begin)
                    succeed(transaction)
                    return .success(value)
                }
            } catch {
                failure = error
                times.failed()
                health.note(error)
                if error.endsConnection || session?.database.connection.isUsable == false {
                    session = nil
                    // What was committed may be applied. The next session tells.
                    if let result, attempted > acknowledged {
                        switch resolve() {
                        case .success(true):
                            succeed()
                            return .success(result)
                        case .success(false): break
                        case .failure(let error):
                            failure = error
                            return fail(error)
                        }
                    }
                    losses += 1
                    if losses > 1 || isRecent(error) { return fail(failure) }
                    continue
                }
                session?.rollBack()
                attempted = acknowledged
                guard isWorthATry(error, round) else { return fail(failure) }
            }
        }
        return fail(failure)
    }

    /// Prepares the session for another try.
    private func isWorthATry(_ error: PostgresError, _ round: Int) -> Bool {
        if error.lacksPeriod {
            do throws(PostgresError) { try session?.renewPeriods() } catch {
                if error.endsConnection { session = nil }
                return false
            }
            return true
        }
        guard error.isConflict else { return false }
        // Not in step with the other.
        usleep(UInt32.random(in: 0...(1000 << UInt32(round))))
        return true
    }

    private func succeed(_ transaction: WriterTransaction) {
        transaction.session.follow(transaction)
        renewedAt = MonotonicTime.nanoseconds()
        (acknowledged, attempted) = (transaction.session.commits, transaction.session.commits)
        cache.publish(transaction.deviceChanges, othersWrote: false)
        succeed()
    }

    private func succeed() {
        lastFailure = nil
        health.wrote(failing: nil)
    }

    private func fail<T>(_ error: PostgresError) -> Result<T, PostgresError> {
        if !error.isOfTheValues, !error.isConflict { health.wrote(failing: error.ledgerError) }
        return .failure(error)
    }

    // MARK: The session

    /// Whether the last commit was applied. Tries to reach the database for `resolveTimeout`.
    private func resolve() -> Result<Bool, PostgresError> {
        let wanted = attempted
        let deadline = MonotonicTime.nanoseconds() &+ UInt64(max(1, settings.resolveTimeout)) &* 1_000_000
        while true {
            do throws(PostgresError) {
                let session = try openSession()
                // Cached devices may be older than a commit that was applied.
                cache.clear()
                return .success(session.commits >= wanted)
            } catch {
                health.note(error)
                guard !error.isReplacement, !error.isDamage, MonotonicTime.nanoseconds() < deadline else {
                    return .failure(error)
                }
                usleep(50_000)
            }
        }
    }

    /// Fails at once for a while after a failure, so that callers do not wait for a server that is away.
    private func readySession() throws(PostgresError) -> WriterSession {
        if let session { return session }
        if let lastFailure, MonotonicTime.nanoseconds() &- lastFailure.at < options.pauseBetweenConnects {
            throw lastFailure.error
        }
        let session = try openSession()
        cache.clear()
        return session
    }

    private func isRecent(_ error: PostgresError) -> Bool { lastFailure?.error == error }

    private func openSession() throws(PostgresError) -> WriterSession {
        do throws(PostgresError) {
            let connection = try server.connect()
            try Schema.check(connection, within: settings.readTimeout)
            let epoch = Int64.random(in: 1...(.max))
            // Kept before it is used: the commit that stores it may be applied and its answer lost.
            epochs.append(epoch)
            let session = try WriterSession.resume(
                connection, settings, lease, server: server, epoch: epoch, after: epochs)
            epochs = [epoch]
            if session.setbacks != setbacks.load(ordering: .sequentiallyConsistent) {
                setbacks.store(session.setbacks, ordering: .sequentiallyConsistent)
                health.warn(ServerHistory.setback)
            }
            guard session.commits >= acknowledged, session.commits <= max(attempted, acknowledged) else {
                throw .replaced(
                    "the database has \(session.commits) commits of the writer \"\(settings.writer)\", and \(acknowledged) were acknowledged: "
                        + "it went back to an earlier state, or is another copy")
            }
            (acknowledged, attempted) = (session.commits, session.commits)
            self.session = session
            lastFailure = nil
            return session
        } catch {
            lastFailure = (error, MonotonicTime.nanoseconds())
            throw error
        }
    }
}

/// What a transaction has done before its commit.
enum PreparedCommit<Value> {
    /// Commit, with these statements before it in the same trip.
    case toCommit([SQLStatement], Value)
    /// Nothing to commit: the transaction is rolled back.
    case nothing(Value)
}

extension WriterTransaction {
    /// Decides a group of entries: the first trip, and the statements of the second. All in one order; one outcome for each.
    func apply(_ entries: [LedgerEntry]) throws(PostgresError) -> PreparedCommit<[CommitOutcome]> {
        var keys = GroupKeys(entries)
        keys.dropTokens(upTo: session.horizon)
        try session.make(keys.periods)
        let trip = keys.trip
        let answers = try database.run(session.beginning + trip.map(\.statement))
        try session.check(answers)
        var facts = GroupFacts()
        for (step, rows) in zip(trip, answers.dropFirst(session.beginning.count)) { try facts.read(step.part, rows) }
        session.horizon = max(session.horizon, facts.horizon)

        var changes = GroupChanges()
        let outcomes = entries.map { facts.decide($0, &changes) }
        guard !changes.accepted.isEmpty else { return .nothing(outcomes) }
        for entry in changes.accepted { record(entry) }
        addedDevices += Int64(changes.registered.count)
        return .toCommit(changes.trip(facts, keys), outcomes)
    }

    /// Appends the records of an accepted entry, and notes its changes of devices.
    private func record(_ entry: LedgerEntry) {
        append(entry)
        if let certificate = entry.certification?.issues {
            append(.issue(certificate, by: .caller(entry.audit.caller)), at: entry.time)
        }
        for advance in entry.advances { note(.advanced(advance, at: entry.time)) }
        if let device = entry.audit.device, !entry.advances.contains(where: { $0.device == device }) { note(.unclear(device)) }
        for device in entry.registrations where device.isBlocked { note(.unclear(device.id)) }
    }
}
