import AssayCore
import AssayLedger

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writing thread. Entries that arrive while one group commits share the next transaction; other changes have one each.
///
/// Unchecked: only the thread uses the connection.
final class LedgerWriter: @unchecked Sendable {
    private let mailbox: Mailbox<any WriterJob>
    private let settings: PostgresSettings
    private let options: PostgresOptions
    private let health: LedgerHealth
    private let connection: WriterConnection
    let times: CommitTimes
    let plainGroups: PlainGroupAttempts
    /// Whether challenge keys were removed since the secrets were last read.
    let secrets: SecretsAge
    /// The end of the audit chain that is durable.
    let confirmed: ConfirmedChain
    private let server: ServerCheck
    private let busy = BusyTime()

    /// - Parameter session: that with which the ledger was opened.
    init(
        _ session: WriterSession, epoch: Int64, settings: PostgresSettings, options: PostgresOptions, server: ServerCheck,
        cache: DeviceCache, health: LedgerHealth
    ) {
        mailbox = Mailbox(limit: options.queueLimit)
        (self.settings, self.options, self.health) = (settings, options, health)
        connection = WriterConnection(
            session, epoch: epoch, settings: settings, options: options, server: server, cache: cache, health: health)
        (times, secrets, confirmed) = (connection.times, connection.secrets, connection.confirmed)
        plainGroups = connection.plainGroups
        self.server = server
    }

    /// Queues a job, or finishes it at once with an error. While the store cannot be written no caller waits: the thread looks by itself
    /// whether it is back.
    func post(_ job: some WriterJob, weight: Int) {
        if let error = health.passing { return job.fail(error) }
        switch mailbox.post(job, weight: weight) {
        case .accepted: break
        case .full: job.fail(.overloaded)
        case .closed: job.fail(.unavailable("the ledger is closed"))
        }
    }

    /// The entries that wait for the next transaction.
    var waiting: Int { mailbox.queuedWeight }

    /// Why the jobs that wait are late.
    var lateness: LedgerError? { busy.lateness }

    /// Ends `run` after the queued jobs.
    func close() { mailbox.close() }

    /// The body of the thread.
    func run() {
        while let (jobs, entries) = mailbox.take(upTo: options.batchLimit, within: connection.renewal) {
            busy.begin()
            if !jobs.isEmpty {
                times.began()
                serve(jobs[...])
                times.ended(entries: entries)
            }
            connection.renew()
            busy.end()
            gather(after: entries)
        }
        connection.release()
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
        let result = connection.transact { transaction throws(PostgresError) in
            try transaction.begin()
            try change.apply(in: transaction)
            return .toCommit(
                transaction.database.connection.engine.notifies
                    ? ChangeNotification.statements(transaction.deviceChanges, settings) : [], ())
        }
        switch result {
        case .success: change.finish()
        case .failure(let error): change.fail(error.ledgerError)
        }
    }

    private func serve(_ jobs: [EntriesJob]) {
        if jobs.count > 1, jobs.contains(where: { $0.entries.contains { $0.replacement != nil } }) {
            for job in jobs { serve([job]) }
            return
        }
        switch commit(jobs.flatMap(\.entries)) {
        case .success(let outcomes):
            if needsProof(jobs, outcomes), case .failure(let error) = connection.prove() {
                for job in jobs { job.fail(error.ledgerError) }
                return
            }
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

    /// Commits entries in one transaction, except that one that replaces a device has a transaction of its own: what entries before it changed
    /// of that device has to be in the tables.
    private func commit(_ entries: [LedgerEntry]) -> Result<[CommitOutcome], PostgresError> {
        let replacing = entries.firstIndex { $0.replacement != nil }
        if entries.count > 1, let replacing {
            var outcomes: [CommitOutcome] = []
            for run in [entries[..<replacing], entries[replacing...replacing], entries[(replacing + 1)...]] where !run.isEmpty {
                switch commit(Array(run)) {
                case .success(let some): outcomes += some
                case .failure(let error): return .failure(error)
                }
            }
            return .success(outcomes)
        }
        return connection.transact { transaction throws(PostgresError) in
            guard !secrets.areStale else { throw .unsuitable(SecretsAge.staleness) }
            let prepared = try transaction.apply(entries)
            guard replacing != nil, transaction.database.connection.engine.notifies,
                case .toCommit(let statements, let outcomes) = prepared
            else { return prepared }
            // Other daemons have the record of the replaced device.
            return .toCommit(statements + ChangeNotification.statements(transaction.deviceChanges, settings), outcomes)
        }
    }
}

extension LedgerWriter {
    /// Whether an answer shows what is in the database, and no commit has shown that a standby has that too: a repeated verdict, or a job
    /// without entries, which asks for it.
    private func needsProof(_ jobs: [EntriesJob], _ outcomes: [CommitOutcome]) -> Bool {
        guard server.hasStandby, !outcomes.contains(.committed) else { return false }
        return jobs.contains { $0.entries.isEmpty } || outcomes.contains { if case .repeated = $0 { true } else { false } }
    }
}

extension WriterTransaction {
    /// Decides a group of entries: the first trip, and the statements of the second. All in one order; one outcome for each.
    func apply(_ entries: [LedgerEntry]) throws(PostgresError) -> PreparedCommit<[CommitOutcome]> {
        if plainGroups.mayTry(), let group = PlainGroup(entries, after: session.horizon), try accept(group) {
            for entry in entries { append(entry) }
            return .toCommit([], [CommitOutcome](repeating: .committed, count: entries.count))
        }
        return try decide(entries)
    }

    /// Changes the rows of a group without a look at them before. False if an entry may have to be refused: then nothing was changed.
    private func accept(_ group: PlainGroup) throws(PostgresError) -> Bool {
        try session.make(group.periods)
        let answers = try database.run(session.beginning + group.trip)
        try check(answers)
        let horizon = try group.horizon(in: answers.dropFirst(session.beginning.count))
        plainGroups.ended(accepted: horizon != nil)
        guard let horizon else {
            session.rollBack()
            return false
        }
        session.horizon = max(session.horizon, horizon)
        for change in group.changes { note(change) }
        return true
    }

    /// Decides each entry by what its rows say.
    private func decide(_ entries: [LedgerEntry]) throws(PostgresError) -> PreparedCommit<[CommitOutcome]> {
        var keys = GroupKeys(entries)
        keys.dropTokens(upTo: session.horizon)
        try session.make(keys.periods)
        let trip = keys.trip
        let answers = try database.run(session.beginning + trip.map(\.statement))
        try check(answers)
        var facts = GroupFacts()
        for (step, rows) in zip(trip, answers.dropFirst(session.beginning.count)) { try facts.read(step.part, rows) }
        session.horizon = max(session.horizon, facts.horizon)

        var changes = GroupChanges()
        let outcomes = entries.map { facts.decide($0, &changes) }
        guard !changes.accepted.isEmpty else { return .nothing(outcomes) }
        for entry in changes.accepted {
            record(entry)
            try retire(entry)
        }
        for id in changes.touched {
            if let counter = facts.counters[id] { note(.counted(id, counter.state, at: counter.lastAcceptedAt)) }
        }
        addedDevices += Int64(changes.registered.count)
        return .toCommit(changes.trip(facts, keys), outcomes)
    }

    /// Removes the device that an accepted entry replaces. Its rows are locked.
    private func retire(_ entry: LedgerEntry) throws(PostgresError) {
        guard let replaced = entry.replacement?.device, let context = entry.replacementContext else { return }
        // Read again under the locks.
        guard let device = try database.find(DeviceTable.device(replaced.id)) else {
            throw .damaged("a device with a counter has no record")
        }
        _ = try end(device, .superseded, context)
        // The rows of the new device again: those of the one before may have been its own, and are removed.
        _ = try lock(GroupKeys(of: entry.registrations))
    }

    /// Appends the records of an accepted entry.
    private func record(_ entry: LedgerEntry) {
        append(entry)
        if let certificate = entry.certification?.issues {
            append(.issue(certificate, by: .caller(entry.audit.caller)), at: entry.time)
        }
        for device in entry.registrations where device.isBlocked { note(.unclear(device.id)) }
    }
}
