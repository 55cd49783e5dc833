import CPostgres

/// libpq, which is loaded when a ledger on PostgreSQL is first used.
enum PostgresLibrary {
    /// Throws `.unsuitable` if there is no library, or one that is too old.
    static func load() throws(PostgresError) {
        guard let problem = CPostgresLoad() else { return }
        throw .unsuitable(String(cString: problem))
    }
}
