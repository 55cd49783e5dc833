import CSQLite

/// A prepared statement. Parameters and columns are numbered as in SQLite: parameters from 1, columns from 0.
///
/// The next step throws the failure of a bind, so that binds need no `try`.
final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let handle: OpaquePointer
    private var bindFailure: Int32 = SQLITE_OK
    /// By parameter: where its value lies if that is a short text or blob. SQLite would allocate a copy of each value.
    private var places: [UnsafeMutableRawPointer?]

    /// The size of a place, in bytes. Longer values are rare, or long enough that a copy of them costs little beside them.
    private static let placeSize = 512

    /// Prepares the statement in `sql`, for repeated use.
    init(_ connection: SQLiteConnection, _ sql: String) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw connection.failure(code) }
        self.connection = connection
        handle = prepared
        places = Array(repeating: nil, count: Int(sqlite3_bind_parameter_count(prepared)))
    }

    deinit {
        sqlite3_finalize(handle)
        for place in places { place?.deallocate() }
    }

    // MARK: Parameters

    func bind(_ index: Int32, _ value: Int64) { note(sqlite3_bind_int64(handle, index, value)) }

    /// Copies the bytes. An empty array is an empty blob, not NULL.
    func bind(_ index: Int32, _ value: [UInt8]) {
        let code = value.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            guard let place = place(of: index, for: bytes) else {
                return sqlite3_bind_blob64(handle, index, first, UInt64(bytes.count), Self.transient)
            }
            return sqlite3_bind_blob64(handle, index, place, UInt64(bytes.count), nil)
        }
        note(code)
    }

    func bind(_ index: Int32, _ value: String) {
        var value = value
        let code = value.withUTF8 { bytes in
            let place = place(of: index, for: UnsafeRawBufferPointer(bytes))
            return bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    handle, index,
                    place?.assumingMemoryBound(to: CChar.self) ?? $0.baseAddress
                        ?? UnsafePointer(Self.emptyText), UInt64($0.count), place == nil ? Self.transient : nil,
                    UInt8(SQLITE_UTF8))
            }
        }
        note(code)
    }

    /// Copies a value to where it stays until the parameter has another; `nil` if it is too long for that, or empty.
    private func place(of index: Int32, for bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
        let parameter = Int(index) - 1
        guard let first = bytes.baseAddress, 1...Self.placeSize ~= bytes.count, places.indices ~= parameter else { return nil }
        let place = places[parameter] ?? .allocate(byteCount: Self.placeSize, alignment: 16)
        places[parameter] = place
        place.copyMemory(from: first, byteCount: bytes.count)
        return UnsafeRawPointer(place)
    }

    func bind(_ index: Int32, _ value: [UInt8]?) {
        if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ index: Int32, _ value: String?) {
        if let value { bind(index, value) } else { note(sqlite3_bind_null(handle, index)) }
    }

    private func note(_ code: Int32) { if code != SQLITE_OK { bindFailure = code } }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    nonisolated(unsafe) private static let emptyText = {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        text.initialize(to: 0)
        return text
    }()

    // MARK: Running

    /// Runs the statement and ignores its rows.
    func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// The first row; `nil` if there is none.
    func first<T>(_ read: (SQLiteStatement) throws(SQLiteError) -> T) throws(SQLiteError) -> T? {
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    /// True if there is a row.
    func exists() throws(SQLiteError) -> Bool {
        defer { reset() }
        return try step()
    }

    func all<T>(_ read: (SQLiteStatement) throws(SQLiteError) -> T) throws(SQLiteError) -> [T] {
        defer { reset() }
        var rows: [T] = []
        while try step() { rows.append(try read(self)) }
        return rows
    }

    /// Reads rows until `body` returns false.
    func forEach(_ body: (SQLiteStatement) throws(SQLiteError) -> Bool) throws(SQLiteError) {
        defer { reset() }
        while try step() { guard try body(self) else { return } }
    }

    private func step() throws(SQLiteError) -> Bool {
        guard bindFailure == SQLITE_OK else {
            defer { bindFailure = SQLITE_OK }
            throw SQLiteError(bindFailure, "a value cannot be bound")
        }
        // The object must outlive the call, and the handle does not retain it.
        switch withExtendedLifetime(self, { sqlite3_step(handle) }) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.failure(code)
        }
    }

    private func reset() { _ = withExtendedLifetime(self) { sqlite3_reset(handle) } }

    // MARK: Columns of the row that is being read

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }
}
