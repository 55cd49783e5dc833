package import AssayCore

/// A ledger that is copied. It does not change meanwhile.
package protocol TransferSource {
    /// Gives all rows of a table, in the order of its key.
    func forEach(in table: CopiedTable, _ body: (CopiedRow) throws(LedgerError) -> Void) throws(LedgerError)
}

/// A ledger that becomes equal to another one. No daemon has it open.
package protocol TransferTarget {
    /// At most `limit` rows of a table in the order of its key, those behind a row, or from the first one on.
    func rows(of table: CopiedTable, after row: CopiedRow?, limit: Int) throws(LedgerError) -> [CopiedRow]

    /// Durable on return. Rows to remove are named by their key.
    func remove(_ rows: [CopiedRow], from table: CopiedTable) throws(LedgerError)
    func add(_ rows: [CopiedRow], to table: CopiedTable) throws(LedgerError)
}

/// Makes one ledger equal to another, table by table, by comparing both in the order of their keys. It can end at any point and be
/// repeated: what is equal already is only read.
package struct LedgerTransfer {
    private let source: any TransferSource
    private let target: any TransferTarget
    private let progress: (Progress) -> Void

    /// The most rows of one change, and of one page.
    private static let batch = 2000

    package struct Progress: Sendable {
        package let table: String
        package let rows: Int64
    }

    /// - Parameter progress: called about each `batch` rows that were compared.
    package init(
        from source: any TransferSource, to target: any TransferTarget, progress: @escaping (Progress) -> Void = { _ in }
    ) {
        (self.source, self.target, self.progress) = (source, target, progress)
    }

    /// The rows that were removed and added.
    package struct Changes: Hashable, Sendable {
        package private(set) var removed: Int64 = 0
        package private(set) var added: Int64 = 0
        fileprivate mutating func count(removed: Int = 0, added: Int = 0) {
            self.removed += Int64(removed)
            self.added += Int64(added)
        }
    }

    /// Makes the target equal. What differs is removed first and added then, so that rows that must be unique by more than their key never
    /// meet.
    package func run() throws(LedgerError) -> Changes {
        var changes = Changes()
        for table in CopiedTable.all {
            var rows: [CopiedRow] = []
            func flush(_ table: CopiedTable, removing: Bool) throws(LedgerError) {
                guard !rows.isEmpty else { return }
                if removing {
                    try target.remove(rows, from: table)
                    changes.count(removed: rows.count)
                } else {
                    try target.add(rows, to: table)
                    changes.count(added: rows.count)
                }
                rows = []
            }
            for removing in [true, false] {
                try compare(table) { (ours, theirs) throws(LedgerError) in
                    guard let row = removing ? theirs : ours else { return }
                    rows.append(row)
                    if rows.count >= Self.batch { try flush(table, removing: removing) }
                }
                try flush(table, removing: removing)
            }
        }
        return changes
    }

    /// The number of rows of each table. Throws `.corrupt` at the first row that differs.
    package func verify() throws(LedgerError) -> [(table: String, rows: Int64)] {
        var counts: [(table: String, rows: Int64)] = []
        for table in CopiedTable.all {
            let rows = try compare(table) { (_, _) throws(LedgerError) in
                throw .corrupt("the copy of the table \(table.name) is not equal")
            }
            counts.append((table.name, rows))
        }
        return counts
    }

    /// Calls `body` with each row that only one side has, or both sides differently. Returns the number of the source's rows.
    @discardableResult
    private func compare(
        _ table: CopiedTable, _ body: (_ ours: CopiedRow?, _ theirs: CopiedRow?) throws(LedgerError) -> Void
    ) throws(LedgerError) -> Int64 {
        var theirs = TargetRows(target: target, table: table, batch: Self.batch)
        var (count, row) = (Int64(0), try theirs.next())
        try source.forEach(in: table) { ours throws(LedgerError) in
            count += 1
            if count % Int64(Self.batch) == 0 { progress(Progress(table: table.name, rows: count)) }
            while let other = row, table.isBefore(other, ours) {
                try body(nil, other)
                row = try theirs.next()
            }
            guard let other = row, !table.isBefore(ours, other) else { return try body(ours, nil) }
            row = try theirs.next()
            if other != ours { try body(ours, other) }
        }
        while let other = row {
            try body(nil, other)
            row = try theirs.next()
        }
        if count > 0 { progress(Progress(table: table.name, rows: count)) }
        return count
    }
}

/// The rows of the target, read page by page.
private struct TargetRows {
    let target: any TransferTarget
    let table: CopiedTable
    let batch: Int
    private var page: ArraySlice<CopiedRow> = []
    private var last: CopiedRow?
    private var isAtEnd = false

    init(target: any TransferTarget, table: CopiedTable, batch: Int) {
        (self.target, self.table, self.batch) = (target, table, batch)
    }

    mutating func next() throws(LedgerError) -> CopiedRow? {
        if page.isEmpty, !isAtEnd {
            let rows = try target.rows(of: table, after: last, limit: batch)
            (page, isAtEnd) = (rows[...], rows.count < batch)
        }
        guard let row = page.popFirst() else { return nil }
        last = row
        return row
    }
}
