import Testing

@testable import AssaySQLite

@Suite("Statements")
struct StatementTests {
    let directory: TemporaryDirectory
    let connection: SQLiteConnection

    init() throws {
        directory = try TemporaryDirectory()
        try SQLiteLedger.open(path: directory.path()).close()
        connection = try SQLiteConnection.ledger(at: directory.path(), LedgerOptions())
    }

    @Test("A parameter takes short, long and empty values one after the other")
    func lengths() throws {
        let statement = try SQLiteStatement(connection, "SELECT ?1, ?2, typeof(?1), typeof(?2)")
        for length in [3, 512, 1, 513, 0, 2000, 40] {
            let (bytes, text) = (
                [UInt8](repeating: UInt8(length % 251), count: length), String(repeating: "ü", count: length / 2)
            )
            statement.bind(1, bytes)
            statement.bind(2, text)
            try same(statement, bytes, text)
            // A parameter that is not bound again keeps its value.
            try same(statement, bytes, text)
        }
    }

    private func same(_ statement: SQLiteStatement, _ bytes: [UInt8], _ text: String) throws {
        let row = try #require(
            try statement.first { ($0.bytes(0), $0.text(1), $0.text(2), $0.text(3)) })
        #expect(row.0 == bytes)
        #expect(row.1 == text)
        #expect(row.2 == "blob")
        #expect(row.3 == "text")
    }

    @Test("A value is the statement's own when it is bound: another with the same text of SQL has its own")
    func own() throws {
        let statements = try (0..<2).map { _ in try SQLiteStatement(connection, "SELECT ?1") }
        for (index, statement) in statements.enumerated() { statement.bind(1, [UInt8(index), 7]) }
        for (index, statement) in statements.enumerated() {
            let value = try statement.first { $0.bytes(0) }
            #expect(value == [UInt8(index), 7])
        }
    }

    @Test("A parameter that a statement has not is an error of its next run, and of that only")
    func unknown() throws {
        let statement = try SQLiteStatement(connection, "SELECT ?1")
        statement.bind(1, "a")
        statement.bind(2, "no such parameter")
        #expect(throws: SQLiteError.self) { try statement.run() }
        #expect(try statement.first { $0.text(0) } == "a")
    }
}
