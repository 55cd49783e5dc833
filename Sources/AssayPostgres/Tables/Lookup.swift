/// A read of one statement. Readers run many of them in one trip.
struct Lookup<Value: Sendable>: Sendable {
    let statement: SQLStatement
    let value: @Sendable (PostgresRows) throws(PostgresError) -> Value

    init(_ statement: SQLStatement, _ value: @escaping @Sendable (PostgresRows) throws(PostgresError) -> Value) {
        (self.statement, self.value) = (statement, value)
    }
}
