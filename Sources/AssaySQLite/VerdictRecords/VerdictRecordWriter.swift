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

/// The thread with the file of verdict records.
///
/// Records that wait together share a transaction. A transaction that fails is dropped and counted: records are not worth a second try, and
/// the queue must not grow. After a failure that may pass, the file is opened again a while later; one that is damaged stays closed.
///
/// Unchecked: only the thread uses the properties that change.
final class VerdictRecordWriter: @unchecked Sendable {
    /// Of records that share a transaction, in bytes.
    private static let batch = 1 << 20
    /// How long a file that could not be opened is left alone, in milliseconds of a clock that cannot be set.
    private static let patience: Int64 = 10_000

    private let mailbox: Mailbox<VerdictRecordJob>
    private let state: VerdictRecordState
    private let clock: any WallClock
    private let vfs: String?
    private let report: @Sendable (String?) -> Void
    private var place: SQLiteVerdictRecords.Place
    private var limits: VerdictRecordLimits
    /// Of the apps that record, in bytes.
    private var recordingLimits: [AppID: Int64] = [:]
    private var file: VerdictRecordFile?
    /// Whether only an operator can make the file usable.
    private var isUnusable = false
    private var hasOpened = false
    /// When the file was opened or failed last; `nil`: it may be opened at once.
    private var triedAt: Int64?

    init(
        _ mailbox: Mailbox<VerdictRecordJob>, _ state: VerdictRecordState, _ place: SQLiteVerdictRecords.Place,
        _ limits: VerdictRecordLimits, clock: any WallClock, vfs: String?, report: @escaping @Sendable (String?) -> Void
    ) {
        (self.mailbox, self.state, self.place, self.limits) = (mailbox, state, place, limits)
        (self.clock, self.vfs, self.report) = (clock, vfs, report)
    }

    /// The body of the thread.
    func run() {
        open()
        while let (jobs, _) = mailbox.take(upTo: Self.batch) { perform(jobs) }
        file?.conclude()
        file = nil
    }

    private func perform(_ jobs: [VerdictRecordJob]) {
        var waiting: [VerdictRecord] = []
        var recordings: [PendingRecording] = []
        for job in jobs {
            switch job {
            case .append(let records):
                waiting += records
                continue
            case .record(let more):
                recordings += more
                continue
            default: break
            }
            write(&waiting)
            write(&recordings)
            switch job {
            case .append, .record: break
            case .read(let body):
                reopen()
                if let failure = body(file, state.value.problem) { note(failure) }
            case .keep(let limits, let now):
                self.limits = limits
                // At intervals, so that a cause that is gone is not told of until the next verdict.
                reopen()
                trim(now: now)
            case .use(let place): use(place)
            case .keepRecordings(let limits, let now):
                recordingLimits = limits ?? recordingLimits
                trimRecordings(now: now)
            }
        }
        write(&waiting)
        write(&recordings)
    }

    private func write(_ records: inout [VerdictRecord]) {
        guard !records.isEmpty else { return }
        defer { records = [] }
        reopen()
        guard let file else { return state.dropped(records) }
        do throws(SQLiteError) {
            try file.add(records)
            settle(nil)
        } catch {
            state.dropped(records)
            note(error)
        }
        trim(now: nil)
    }

    private func write(_ recordings: inout [PendingRecording]) {
        guard !recordings.isEmpty else { return }
        defer { recordings = [] }
        reopen()
        guard let file else { return state.dropped(recordings: recordings.count) }
        do throws(SQLiteError) {
            state.dropped(recordings: try file.add(recordings: recordings))
            settle(nil)
        } catch {
            state.dropped(recordings: recordings.count)
            note(error)
        }
        trimRecordings(now: nil)
    }

    private func trimRecordings(now: Timestamp?) {
        guard let file else { return }
        do throws(SQLiteError) {
            try file.trimRecordings(recordingLimits, now: now)
            state.note(file.recordings)
        } catch {
            note(error)
        }
    }

    private func trim(now: Timestamp?) {
        guard let file else { return }
        do throws(SQLiteError) {
            try file.trim(limits, now: now)
            let bytes = try file.bytes()
            state.change { ($0.rows, $0.bytes) = (file.rows, bytes) }
        } catch {
            note(error)
        }
    }

    // MARK: The file

    /// - Parameter mayMove: whether a file that cannot be used may be moved aside: once.
    private func open(mayMove: Bool = true) {
        triedAt = Self.milliseconds()
        do throws(VerdictRecordFileError) {
            let file = try VerdictRecordFile(place.path, vfs: vfs, now: clock.now())
            self.file = file
            if !hasOpened {
                // A later opening, after a failure, says nothing of the daemon's last end.
                hasOpened = true
                state.change { $0.uncleanSince = file.uncleanSince }
            }
            settle(nil)
            trim(now: nil)
            state.note(file.recordings)
        } catch {
            switch error {
            case .passing(let why): settle(why)
            case .unusable(let why):
                if mayMove, place.movesDamagedAside, moveAside() { return open(mayMove: false) }
                isUnusable = true
                settle(why)
            }
        }
    }

    private func reopen() {
        guard file == nil, !isUnusable else { return }
        if let triedAt, Self.milliseconds() - triedAt < Self.patience { return }
        open()
    }

    private func use(_ place: SQLiteVerdictRecords.Place) {
        let isElsewhere = place.path != self.place.path
        self.place = place
        if isElsewhere {
            file?.conclude()
            file = nil
        }
        guard file == nil else { return }
        isUnusable = false
        open()
    }

    /// A failed statement. The connection is kept where the disk was full or another program held a lock.
    private func note(_ failure: SQLiteError) {
        settle("\(place.path): \(failure.message)")
        if failure.isDamage {
            file = nil
            // The connection closes when the failed statement's caller returns; the next job moves the file aside.
            isUnusable = !place.movesDamagedAside
            triedAt = nil
        } else if !failure.mayPass, !failure.wasNotWritten {
            file = nil
            triedAt = Self.milliseconds()
        }
    }

    /// Keeps why nothing is kept, and reports a change.
    private func settle(_ problem: String?) {
        var changed = false
        state.change { status in
            changed = (status.problem == nil) != (problem == nil)
            status.problem = problem
        }
        if changed { report(problem) }
    }

    /// Renames the file and what SQLite keeps beside it. False if the file cannot be renamed.
    private func moveAside() -> Bool {
        let aside = place.path + ".damaged-\(clock.now().unixMilliseconds)"
        guard rename(place.path, aside) == 0 else { return false }
        for side in ["-wal", "-shm"] { _ = rename(place.path + side, aside + side) }
        return true
    }

    private static func milliseconds() -> Int64 { Int64(MonotonicTime.nanoseconds() / 1_000_000) }
}
