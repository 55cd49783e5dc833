/// A statement that is prepared when it is first used, and then kept: for tables that many ledgers never write.
final class LazyStatement {
    private let connection: SQLiteConnection
    private let sql: String
    private var statement: SQLiteStatement?

    init(_ connection: SQLiteConnection, _ sql: String) { (self.connection, self.sql) = (connection, sql) }

    /// The statement, ready for binding: each of its uses resets it.
    func prepared() throws(SQLiteError) -> SQLiteStatement {
        if let statement { return statement }
        let made = try SQLiteStatement(connection, sql)
        statement = made
        return made
    }
}
