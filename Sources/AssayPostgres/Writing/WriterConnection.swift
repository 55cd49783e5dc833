import AssayCore
import AssayLedger
import AssayMetrics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The writer's connection: its transactions, and what becomes of one whose answer is lost.
///
/// No transaction succeeds before COMMIT was answered as it should be. When the answer does not come, or tells that the standby did not
/// confirm the commit, the connection ends, and the next one looks into the writer's row: it has the commit or it does not. Until then
/// nothing else is written.
final class WriterConnection {
    private let settings: PostgresSettings
    private let options: PostgresOptions
    private let server: ServerCheck
    private let cache: DeviceCache
    private let health: LedgerHealth
    private let lease: WriterLease
    let times = CommitTimes()
    let plainGroups = PlainGroupAttempts()
    let secrets: SecretsAge
    let confirmed: ConfirmedChain
    private var session: WriterSession?
    /// The epochs with which this process may hold the writer's row.
    private var epochs: [Int64]
    /// The number of commits that were acknowledged, and of those that may be applied.
    private var acknowledged: Int64
    private var attempted: Int64
    private var keepingProblem: String?
    private var lastFailure: (error: PostgresError, at: UInt64)?
    /// Why the last transaction failed, if it was for the store's sake.
    private var trouble: PostgresError?
    /// When the lease was last renewed, or that was tried, in nanoseconds of the monotonic clock.
    private var renewedAt = MonotonicTime.nanoseconds()

    /// - Parameter session: that with which the ledger was opened.
    init(
        _ session: WriterSession, epoch: Int64, settings: PostgresSettings, options: PostgresOptions, server: ServerCheck,
        cache: DeviceCache, health: LedgerHealth
    ) {
        (self.session, epochs, lease) = (session, [epoch], session.lease)
        secrets = SecretsAge(setbacks: session.setbacks)
        confirmed = ConfirmedChain(session.chain)
        (self.settings, self.options, self.server) = (settings, options, server)
        (self.cache, self.health) = (cache, health)
        (acknowledged, attempted) = (session.commits, session.commits)
        keep(session)
    }

    /// Keeps over the end of this process what was acknowledged.
    private func keep(_ session: WriterSession) {
        guard let file = options.acknowledged else { return }
        let identity = server.identity
        let mark = AcknowledgedCommits.Mark(
            system: identity?.system ?? 0, timeline: identity?.timelineNumber ?? 0, removal: session.removal,
            commits: acknowledged)
        let problem = file.keep(mark, of: settings)
        if let problem, problem != keepingProblem {
            health.warn(
                "what was acknowledged cannot be kept, so that a database that went back is not recognised after a restart: \(problem)"
            )
        }
        keepingProblem = problem
    }

    /// Gives the writer's name back, and closes the connection.
    func release() {
        session?.release()
        session = nil
    }

    // MARK: The lease

    /// The time after which an idle writer renews its lease, in milliseconds, or looks whether the store is back.
    var renewal: Int32 {
        trouble == nil ? lease.renewal : options.pauseBetweenLooks
    }

    /// Renews the lease of the name where no commit has lately. After a failure looks whether the store is back: callers are refused until
    /// it is.
    func renew() {
        guard health.fault == nil,
            trouble != nil || MonotonicTime.nanoseconds() &- renewedAt >= UInt64(lease.renewal) &* 1_000_000
        else { return }
        renewedAt = MonotonicTime.nanoseconds()
        _ = prove(needsSpace: trouble?.isOfSpace == true)
    }

    /// Commits nothing but the writer's row. What the ledger showed before it is on the disk, and on the standby's if there is one.
    ///
    /// - Parameter needsSpace: fails also where the row can be changed in its place, but nothing can be added.
    func prove(needsSpace: Bool = false) -> Result<Void, PostgresError> {
        transact { transaction throws(PostgresError) in
            if needsSpace { try Self.tryToAdd(transaction.database) }
            try transaction.begin()
            return .toCommit([], ())
        }
    }

    /// Adds 360 kB that no one sees. Throws if the disk is full; what else is in the way is not of interest.
    private static func tryToAdd(_ database: Database) throws(PostgresError) {
        let probe =
            "CREATE TEMPORARY TABLE assay_probe ON COMMIT DROP AS SELECT n FROM pg_catalog.generate_series(1, 10000) AS n"
        do throws(PostgresError) {
            _ = try database.run([.once("BEGIN"), .once(probe), .once("ROLLBACK")])
        } catch {
            database.connection.rollBack(within: database.timeout)
            if error.isOfSpace || error.endsConnection { throw error }
        }
    }

    // MARK: Transactions

    /// The number of times that a transaction is tried when others are in the way.
    private static let tries = 5

    /// Runs a transaction and commits it. Tries again where another transaction was in the way, where a partition is missing, and where
    /// the connection was lost and the transaction is certainly not applied.
    func transact<T>(
        _ body: (WriterTransaction) throws(PostgresError) -> PreparedCommit<T>
    ) -> Result<T, PostgresError> {
        var failure = PostgresError(.connection, "no connection")
        var losses = 0
        for round in 0..<Self.tries {
            var result: T?
            do throws(PostgresError) {
                let session = try readySession()
                let begin = MonotonicTime.nanoseconds()
                let transaction = WriterTransaction(session, plainGroups)
                switch try body(transaction) {
                case .nothing(let value):
                    session.rollBack()
                    lastFailure = nil
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
                let error = session?.poolerProblem(error) ?? error
                failure = error
                times.failed()
                health.note(error)
                if error.endsConnection || session?.database.connection.isUsable == false {
                    session = nil
                    // What was committed may be applied. The next session tells.
                    if let result, attempted > acknowledged {
                        // Others do not wait for what becomes of it.
                        if error.kind == .deadline { health.wrote(failing: error.ledgerError) }
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
                // Without a session nothing was tried, and what was before may still be applied.
                if let session {
                    session.rollBack()
                    attempted = acknowledged
                }
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
        keep(transaction.session)
        confirmed.note(transaction.session.chain)
        cache.publish(transaction.deviceChanges, othersWrote: false)
        succeed()
    }

    private func succeed() {
        (lastFailure, trouble) = (nil, nil)
        health.wrote(failing: nil)
    }

    private func fail<T>(_ error: PostgresError) -> Result<T, PostgresError> {
        if !error.isOfTheValues, !error.isConflict {
            trouble = error
            health.wrote(failing: error.ledgerError)
        }
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

    /// So many epochs of this process are remembered: a standby that is promoted may have an earlier one.
    private static let rememberedEpochs = 16

    /// Compares the commits that the database has with those that were answered.
    private func follow(_ session: WriterSession) throws(PostgresError) {
        let isSetback = secrets.saw(setbacks: session.setbacks)
        // Fewer are what the loss of a server without a confirming standby looks like. The keys of challenges are removed then.
        if isSetback {
            let lost = acknowledged - session.commits
            health.warn(ServerHistory.setback + (lost > 0 ? ": \(lost) commits of this daemon are lost" : ""))
        }
        guard isSetback || session.commits >= acknowledged, session.commits <= max(attempted, acknowledged) else {
            throw .replaced(
                "the database has \(session.commits) commits of the writer \"\(settings.writer)\", and \(acknowledged) were acknowledged: "
                    + (session.commits < acknowledged
                        ? "it went back to an earlier state, or is another copy" : "another process writes"))
        }
        (acknowledged, attempted) = (session.commits, session.commits)
        keep(session)
        confirmed.note(session.chain)
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
            epochs = epochs.suffix(Self.rememberedEpochs)
            try follow(session)
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
