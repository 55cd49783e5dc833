package import AssayCore
import AssayLedger
import Synchronization

/// Verdict records in a SQLite file of their own, beside the ledger's. One thread writes and reads it, so that the ledger's writer never waits
/// for it, and a reader sees what was appended before.
///
/// A file that is damaged, or no file of records, is left alone: the store then drops what it gets, and says so in its status. It is moved
/// aside only if ``Place/movesDamagedAside`` says so.
package final class SQLiteVerdictRecords: VerdictRecordStore {
    /// Where records are kept.
    package struct Place: Hashable, Sendable {
        /// The file's path. The folder must exist.
        package var path: String
        /// Whether a file that cannot be used is renamed, and an empty one made in its place.
        package var movesDamagedAside: Bool

        package init(path: String, movesDamagedAside: Bool = false) {
            (self.path, self.movesDamagedAside) = (path, movesDamagedAside)
        }
    }

    /// The most that waits for the thread, in bytes (`VerdictRecord.weight`): also a limit of 8192 records.
    package static let queueLimit = 8 << 20

    let mailbox: Mailbox<VerdictRecordJob>
    private let writer: VerdictRecordWriter
    let state: VerdictRecordState
    private let thread: Mutex<NamedThread?>

    /// Opens the file in the background.
    ///
    /// - Parameters:
    ///   - clock: dates the opening.
    ///   - vfs: the name of SQLite's VFS; `nil` for the default one. Tests use one with faults.
    ///   - queueLimit: in bytes.
    ///   - report: called on the thread when the store stops keeping records, with the reason, and with `nil` when it goes on.
    package init(
        _ place: Place, limits: VerdictRecordLimits = VerdictRecordLimits(), clock: any WallClock = SystemClock(),
        vfs: String? = nil, queueLimit: Int = SQLiteVerdictRecords.queueLimit,
        report: @escaping @Sendable (String?) -> Void = { _ in }
    ) {
        mailbox = Mailbox(limit: queueLimit)
        state = VerdictRecordState()
        writer = VerdictRecordWriter(mailbox, state, place, limits, clock: clock, vfs: vfs, report: report)
        thread = Mutex(NamedThread("assay-verdicts", writer.run))
        if thread.withLock({ $0 == nil }) {
            mailbox.close()
            state.change { $0.problem = "no thread to write with" }
        }
    }

    deinit { close() }

    package func append(_ records: [VerdictRecord]) {
        guard !records.isEmpty else { return }
        let weight = records.reduce(0) { $0 + $1.weight }
        if mailbox.post(.append(records), weight: weight) != .accepted { state.dropped(records) }
    }

    package func page(_ listing: VerdictRecordListing) async throws(VerdictRecordError) -> VerdictRecordPage {
        try await read { (file) throws(SQLiteError) in try file.page(listing) }
    }

    package func records(
        _ prefix: [UInt8], in scope: VerdictRecordScope
    ) async throws(VerdictRecordError) -> [VerdictRecord] {
        try await read { (file) throws(SQLiteError) in try file.records(prefix, in: scope) }
    }

    package func keep(_ limits: VerdictRecordLimits, now: Timestamp) { _ = mailbox.post(.keep(limits, now), weight: 0) }

    /// Follows the configuration. An unchanged place leaves the file open; another one, or leave to move a damaged file aside, opens one.
    package func use(_ place: Place) { _ = mailbox.post(.use(place), weight: 0) }

    package var status: VerdictRecordStatus { state.value }

    package func close() {
        mailbox.close()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }

    /// Runs `body` on the thread, after what was appended.
    func read<T: Sendable>(
        _ body: @escaping @Sendable (VerdictRecordFile) throws(SQLiteError) -> T
    ) async throws(VerdictRecordError) -> T {
        let result = await withCheckedContinuation { (waiter: CheckedContinuation<Result<T, VerdictRecordError>, Never>) in
            let job = VerdictRecordJob.read { file, problem in
                guard let file else {
                    waiter.resume(returning: .failure(VerdictRecordError(problem ?? "the file is not open")))
                    return nil
                }
                do throws(SQLiteError) {
                    waiter.resume(returning: .success(try body(file)))
                    return nil
                } catch {
                    waiter.resume(returning: .failure(VerdictRecordError(error.message)))
                    return error
                }
            }
            switch mailbox.post(job, weight: Self.readWeight) {
            case .accepted: break
            case .full: waiter.resume(returning: .failure(VerdictRecordError("too much waits to be written")))
            case .closed: waiter.resume(returning: .failure(VerdictRecordError(state.value.problem ?? "the store is closed")))
            }
        }
        return try result.get()
    }

    /// Why a file holds no verdict records, by its first bytes, without opening it as a database; `nil` if it may hold some. Not for a file that
    /// this process has open, whose locks would be lost.
    package static func foreignContent(of path: String) -> String? { VerdictRecordFile.foreignContent(of: path) }

    /// Of a reading job in the queue, in bytes: few callers may read at a time.
    private static let readWeight = 1024
}

/// What the thread is asked to do.
enum VerdictRecordJob: Sendable {
    case append([VerdictRecord])
    /// Called with the file, or why there is none. Returns the failure of a read.
    case read(@Sendable (VerdictRecordFile?, String?) -> SQLiteError?)
    case keep(VerdictRecordLimits, Timestamp)
    case use(SQLiteVerdictRecords.Place)
    case record([PendingRecording])
    /// `nil`: those in force; no time: age is not looked at.
    case keepRecordings([AppID: Int64]?, Timestamp?)
}

/// The status, which callers read while the thread changes it.
final class VerdictRecordState: Sendable {
    private let status = Mutex(VerdictRecordStatus())
    private let recorded = Mutex(RecordingStatus())

    var value: VerdictRecordStatus { status.withLock { $0 } }

    func change(_ change: (inout sending VerdictRecordStatus) -> Void) { status.withLock { change(&$0) } }

    func dropped(_ records: [VerdictRecord]) {
        let count = records.reduce(UInt64(0)) { $0 &+ UInt64(clamping: $1.standsFor) }
        status.withLock { $0.dropped &+= count }
    }

    var recordings: RecordingStatus { recorded.withLock { $0 } }

    func dropped(recordings count: Int) { recorded.withLock { $0.dropped &+= UInt64(count) } }

    func note(_ totals: RecordingTotals) { recorded.withLock { ($0.rows, $0.bytes) = (totals.rows, totals.bytes) } }
}
