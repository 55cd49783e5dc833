import CPostgres

/// The result of a statement: its rows, in binary format, or the number of rows that it changed.
final class PostgresRows {
    private let result: OpaquePointer

    /// Takes over the result.
    init(_ result: OpaquePointer) { self.result = result }
    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }
    var isEmpty: Bool { count == 0 }

    /// The number of rows that the statement changed or returned.
    var affected: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The command's tag, such as `COMMIT`.
    var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    func first<T>(_ read: (PostgresRow) throws(PostgresError) -> T) throws(PostgresError) -> T? {
        isEmpty ? nil : try read(PostgresRow(rows: self, result: result, row: 0))
    }

    func all<T>(_ read: (PostgresRow) throws(PostgresError) -> T) throws(PostgresError) -> [T] {
        var values: [T] = []
        values.reserveCapacity(count)
        for row in 0..<Int32(count) { values.append(try read(PostgresRow(rows: self, result: result, row: row))) }
        return values
    }

    /// Reads rows until `body` returns false.
    func forEach(_ body: (PostgresRow) throws(PostgresError) -> Bool) throws(PostgresError) {
        for row in 0..<Int32(count) { guard try body(PostgresRow(rows: self, result: result, row: row)) else { return } }
    }
}

/// A row of a result. Columns are numbered from 0.
struct PostgresRow {
    /// Keeps the result.
    let rows: PostgresRows
    fileprivate let result: OpaquePointer
    fileprivate let row: Int32

    fileprivate init(rows: PostgresRows, result: OpaquePointer, row: Int32) {
        (self.rows, self.result, self.row) = (rows, result, row)
    }

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }

    /// An integer of 2, 4 or 8 bytes; 0 for NULL.
    func int64(_ column: Int32) -> Int64 {
        withBytes(column) { bytes in
            switch bytes.count {
            case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            default: 0
            }
        }
    }

    func bool(_ column: Int32) -> Bool { withBytes(column) { $0.first == 1 } }
    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }
    func text(_ column: Int32) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

    private func withBytes<T>(_ column: Int32, _ read: (UnsafeRawBufferPointer) -> T) -> T {
        read(UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
    }
}
