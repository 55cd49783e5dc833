#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the first bytes of a ledger's file say, read without SQLite, which would make files beside it: also while a daemon uses it.
///
/// SQLite's database header (https://sqlite.org/fileformat.html, 1.3) and the page header behind it. What a write-ahead log holds can make
/// an empty database a ledger, but no other file a ledger: application id and tables come into the first page together.
package enum LedgerContent: Hashable, Sendable {
    /// No bytes, or a database without tables: in a ledger that is opened here everything is fresh.
    case empty
    /// A ledger that this version knows; what is behind the header is not judged.
    case ledger
    /// Why the file is not opened.
    case unusable(String)

    /// The header is 100 bytes long; the type of the first page's tree and the number of its entries follow.
    private static let length = 105

    /// `nil` if the file cannot be read, or must not be: the process that owns a ledger would lose SQLite's locks
    /// (see `LedgerLock`).
    package init?(of path: String) {
        guard let found = FileIdentity.look(at: path), !LedgerLock.isOwned(found.identity) else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        let log = FileIdentity.look(at: LedgerFile.Side.log.path(of: path))
        self.init(header: bytes.prefix(count), logIsEmpty: log.map { $0.size == 0 } ?? true)
    }

    /// - Parameter header: the file's first bytes; fewer only where the file has no more.
    init(header: ArraySlice<UInt8>, logIsEmpty: Bool) {
        guard !header.isEmpty else {
            // SQLite drops the log of a file without bytes.
            self = .empty
            return
        }
        let header = Array(header)
        guard header.count == Self.length, header.starts(with: Array("SQLite format 3\0".utf8)) else {
            self = .unusable("is no SQLite database")
            return
        }
        func number(at offset: Int, bytes: Int) -> Int64 {
            header[offset..<offset + bytes].reduce(0) { $0 << 8 | Int64($1) }
        }
        let pageSize = number(at: 16, bytes: 2)
        let isPageSize = pageSize == 1 || (pageSize >= 512 && pageSize & (pageSize - 1) == 0)
        // Versions for writing and reading: 1 is the rollback journal, 2 the write-ahead log. Then the fractions of pages, which are fixed.
        guard isPageSize, header[18] <= 2, header[19] <= 2, Array(header[21...23]) == [64, 32, 32] else {
            self = .unusable("is damaged, or of a newer SQLite: SQLite does not write such a header")
            return
        }
        let (version, application) = (number(at: 60, bytes: 4), number(at: 68, bytes: 4))
        // A leaf without entries: no tables.
        let hasTables = header[100] != 0x0D || number(at: 103, bytes: 2) > 0
        let newest = Schema.migrations.last?.version ?? 0
        if application == 0, version == 0, !hasTables {
            self = logIsEmpty ? .empty : .ledger
        } else if application != Schema.applicationID {
            self = .unusable("is no Assay ledger, but another program's database (application id \(application))")
        } else if version > newest {
            self = .unusable("is the ledger of a newer version (schema version \(version); the newest known here is \(newest))")
        } else {
            self = .ledger
        }
    }
}
