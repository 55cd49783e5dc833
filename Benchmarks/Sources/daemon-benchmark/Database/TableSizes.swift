import Foundation

/// The tables of a ledger in a database, and what they take of the disk.
struct TableSizes {
    struct Table {
        var rows: Double
        /// With its free space map and what is stored out of line (TOAST).
        var heap: Double
        var indexes: Double

        static func - (a: Table, b: Table) -> Table {
            Table(rows: a.rows - b.rows, heap: a.heap - b.heap, indexes: a.indexes - b.indexes)
        }

        static func / (table: Table, count: Double) -> Table {
            Table(rows: table.rows / count, heap: table.heap / count, indexes: table.indexes / count)
        }
    }

    /// Partitions are summed up under their table.
    private let tables: [String: Table]

    init(of database: LedgerDatabase) throws {
        let sizes = try database.rows(
            """
            SELECT coalesce(parent.relname, own.relname), sum(pg_table_size(own.oid)), sum(pg_indexes_size(own.oid))
            FROM pg_class own
            LEFT JOIN pg_inherits link ON link.inhrelid = own.oid
            LEFT JOIN pg_class parent ON parent.oid = link.inhparent
            WHERE own.relnamespace = current_schema()::regnamespace AND own.relkind = 'r'
            GROUP BY 1
            """)
        let counts = sizes.map { "SELECT '\($0[0])', count(*) FROM \"\($0[0])\"" }
        let rows = try database.rows(counts.joined(separator: " UNION ALL "))
        let numbers = Dictionary(rows.map { ($0[0], Double($0[1]) ?? 0) }) { first, _ in first }
        tables = Dictionary(
            sizes.map { size in
                let table = Table(
                    rows: numbers[size[0]] ?? 0, heap: Double(size[1]) ?? 0, indexes: Double(size[2]) ?? 0)
                return (size[0], table)
            }
        ) { first, _ in first }
    }

    /// A table of zeros if there is none of the name.
    subscript(name: String) -> Table { tables[name] ?? Table(rows: 0, heap: 0, indexes: 0) }

    /// The tables that have rows, the largest first, as lines of a Markdown table.
    var lines: [String] {
        tables.filter { $0.value.rows > 0 }.sorted { $0.value.heap > $1.value.heap }.map { name, table in
            "| `\(name)` | \(table.rows.text(0)) | \(table.heap.bytes) | \(table.indexes.bytes) |"
        }
    }
}

extension Double {
    /// A number of bytes for people, in decimal units, with about three digits.
    var bytes: String {
        var (value, unit) = (self, "B")
        for larger in ["kB", "MB", "GB"] where abs(value) >= 1000 { (value, unit) = (value / 1000, larger) }
        return "\(value.text(unit == "B" || abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : 2)) \(unit)"
    }
}
