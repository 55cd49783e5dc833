package import AssayCore
import AssayLedger

/// What this daemon has acknowledged, in a file of its folder: a database that went back is recognised at the next start too.
///
/// It is written before a commit is answered (``RecordFile``). After a power failure of this machine it may know fewer commits than were acknowledged,
/// and then refuses less.
package final class AcknowledgedCommits: Sendable {
    /// What is known of one writer of one ledger.
    struct Mark: Hashable, Sendable {
        /// Of the server that the ledger was on last; 0 and 0 for a database that has neither.
        var system: Int64 = 0
        var timeline: Int64 = 0
        /// When the challenge keys were last removed (``ChallengeRemoval``).
        var removal: Int64 = 0
        /// The number of the writer's commits that were acknowledged.
        var commits: Int64 = 0
    }

    /// A number of the writer, and the four of the mark.
    private static let size = 5 * 8

    private let file: RecordFile

    /// Opens the file, and makes it if there is none.
    package init(path: String) throws(LedgerError) { file = try RecordFile(path: path, size: Self.size) }

    /// What was kept of the writer in the schema of the settings; `nil`: nothing.
    func mark(of settings: PostgresSettings) -> Mark? { file.record.flatMap { Self.mark(in: $0, of: settings) } }

    /// The same, read from a file without opening it for a daemon; `nil` also for a file that cannot be read.
    static func mark(of settings: PostgresSettings, at path: String) -> Mark? {
        RecordFile.read(path, size: size).flatMap { mark(in: $0, of: settings) }
    }

    /// Keeps what is known of a writer. Returns why that failed.
    func keep(_ mark: Mark, of settings: PostgresSettings) -> String? {
        let numbers = [mark.system, mark.timeline, mark.removal, mark.commits].map { UInt64(bitPattern: $0) }
        return file.write(([Self.number(of: settings)] + numbers).flatMap(BigEndian.bytes))
    }

    /// Writes it to the disk, and closes the file. The second time does nothing.
    package func close() { file.close() }

    private static func mark(in record: [UInt8], of settings: PostgresSettings) -> Mark? {
        let numbers = (0..<5).map { BigEndian.number(record[($0 * 8)..<($0 * 8 + 8)]) }
        guard numbers[0] == number(of: settings) else { return nil }
        let values = numbers.dropFirst().map { Int64(bitPattern: $0) }
        return Mark(system: values[0], timeline: values[1], removal: values[2], commits: values[3])
    }

    /// A number of the writer and the schema. The database's name is no part of it: a copy may be restored under another one.
    private static func number(of settings: PostgresSettings) -> UInt64 {
        Checksum.of(Array(settings.schema.utf8) + [0] + Array(settings.writer.utf8))
    }
}
