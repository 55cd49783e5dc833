package import AssayCore
package import AssayLedger

/// A ledger in a database that another one is copied into. While it is unfinished no daemon opens it.
package final class PostgresTransferTarget: TransferTarget {
    private let database: Database
    /// Holds the mark's row, so that one copy runs at a time.
    private let holder: PostgresConnection
    private let writer: Int64
    private var periods: Set<SpentPeriod>

    /// The row of `meta` that marks an unfinished copy.
    static let mark = "copying"

    /// How long a trip may take, in milliseconds.
    private static let timeout: Int64 = 120_000
    /// How long another copy is waited for, in milliseconds: the server notices some time later that one has ended.
    private static let patience = 3000

    /// Makes the schema if there is none, and marks the ledger as unfinished. Throws `.unavailable` if it holds anything that is not of an
    /// unfinished copy, or if another process copies into it.
    ///
    /// - Parameter writer: the name of the writer that gets the audit chain of the source.
    package init(_ settings: PostgresSettings, writer name: String) throws(LedgerError) {
        do throws(PostgresError) {
            guard PostgresSettings.isName(name) else { throw .unsuitable("\"\(name)\" is no name of a writer") }
            let server = ServerCheck(settings)
            let connection = try server.connect()
            try RightsCheck.run(connection, settings)
            try Schema.migrate(connection, settings, mayCreate: true)
            database = Database(connection: connection, timeout: Self.timeout)
            holder = try server.connect()
            try Self.begin(database)
            _ = try holder.run(
                [
                    .once("SET idle_in_transaction_session_timeout = 0"), .once("SET lock_timeout = '\(Self.patience)ms'"),
                    .once("BEGIN"), SQLStatement("SELECT 1 FROM meta WHERE name = $1 FOR UPDATE", .text(Self.mark)),
                ], within: Self.timeout)
            // With an epoch that no process draws.
            _ = try database.run([
                SQLStatement(
                    "INSERT INTO writers (name, epoch, head, start_head) VALUES ($1, 0, $2, $2) ON CONFLICT (name) DO NOTHING",
                    .text(name), .bytes(AuditChain().head))
            ])
            let found = try database.query("SELECT writer FROM writers WHERE name = $1", .text(name)).first { $0.int64(0) }
            guard let found else { throw .damaged("there is no row of the writer \"\(name)\"") }
            writer = found
            periods = try SpentTable(database: database).periods()
        } catch {
            throw error.state == "55P03"
                ? .unavailable("another process copies into the \(settings) now") : error.ledgerError
        }
    }

    /// Marks an empty ledger. An unfinished copy is marked already.
    private static func begin(_ database: Database) throws(PostgresError) {
        let isMarked = try !database.query("SELECT 1 FROM meta WHERE name = $1", .text(mark)).isEmpty
        guard !isMarked else { return }
        // A start that was refused and a declaration of a new ledger leave a writer that has written nothing.
        let isEmpty = try database.query(
            """
            SELECT NOT EXISTS (SELECT 1 FROM writers WHERE number > 0) AND NOT EXISTS (SELECT 1 FROM secrets)
                AND NOT EXISTS (SELECT 1 FROM devices)
            """
        ).first { $0.bool(0) }
        guard isEmpty == true else {
            throw .unsuitable("the database holds a ledger that was used already: copy into an empty schema")
        }
        let owner = try database.query("SELECT held_by FROM writers WHERE held_until > \(WriterLease.now)").first { $0.text(0) }
        if let owner {
            throw .unsuitable("the database is in use by \(owner): stop it; one that was killed counts until 15 s are over")
        }
        _ = try database.query("INSERT INTO meta VALUES ($1, 1) ON CONFLICT DO NOTHING", .text(mark))
    }

    /// Throws if the ledger is an unfinished copy.
    static func check(_ connection: PostgresConnection, within milliseconds: Int64) throws(PostgresError) {
        let find = SQLStatement("SELECT 1 FROM meta WHERE name = $1", .text(mark))
        guard try connection.query(find, within: milliseconds).isEmpty else {
            throw .unsuitable("the database holds an unfinished copy of another ledger: finish it with assayd store copy")
        }
    }

    /// Makes the ledger one that daemons open: with the end of the audit chain, and numbers that go on behind those that were given.
    package func finish(
        start: AuditChain, end: AuditChain, lastEntry: Timestamp?, devices: Int64, highestNumbers: [String: Int64]
    ) throws(LedgerError) {
        do throws(PostgresError) {
            var statements: [SQLStatement] = [.once("BEGIN")]
            for (table, number) in highestNumbers.sorted(by: { $0.key < $1.key }) where number > 0 {
                statements.append(
                    SQLStatement("SELECT setval(pg_get_serial_sequence('\(table)', 'number'), $1)", .int8(number)))
            }
            statements.append(
                SQLStatement(
                    """
                    UPDATE writers SET start_number = $2, start_head = $3, number = $4, head = $5, last_verdict = $4,
                        last_verdict_at = $6, devices = $7 WHERE writer = $1
                    """, .int8(writer), .int8(start.number), .bytes(start.head), .int8(end.number), .bytes(end.head),
                    .int8(lastEntry?.unixMilliseconds ?? 0), .int8(devices)))
            holder.rollBack(within: Self.timeout)
            statements.append(SQLStatement("DELETE FROM meta WHERE name = $1", .text(Self.mark)))
            _ = try database.connection.commit(after: statements, within: Self.timeout)
        } catch {
            throw error.ledgerError
        }
    }

    // MARK: Rows

    package func rows(of table: CopiedTable, after row: CopiedRow?, limit: Int) throws(LedgerError) -> [CopiedRow] {
        do throws(PostgresError) {
            let (names, key) = (Self.list(table.columns), Self.list(table.key))
            var conditions = condition(of: table).map { [$0] } ?? []
            var parameters: [SQLValue] = []
            if let row {
                let places = table.key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                conditions.append("(\(key)) > (\(places))")
                for value in row.prefix(table.keyCount) { parameters.append(try Self.parameter(value)) }
            }
            let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
            let rows = try database.connection.query(
                SQLStatement("SELECT \(names) FROM \(table.name)\(filter) ORDER BY \(key) LIMIT \(limit)", parameters),
                within: Self.timeout)
            return try rows.all { row in
                table.columns.enumerated().map { index, column in
                    let index = Int32(index)
                    guard !row.isNull(index) else { return .null }
                    return switch column.kind {
                    case .integer: .integer(row.int64(index))
                    case .flag: .flag(row.bool(index))
                    case .bytes: .bytes(row.bytes(index))
                    case .text: .text(row.text(index))
                    }
                }
            }
        } catch {
            throw error.ledgerError
        }
    }

    package func remove(_ rows: [CopiedRow], from table: CopiedTable) throws(LedgerError) {
        do throws(PostgresError) {
            let (arrays, values) = (Self.arrays(table.key), try Self.parameters(table.key, rows))
            let key = Self.list(table.key)
            let scope = condition(of: table).map { " AND \($0)" } ?? ""
            _ = try database.connection.query(
                SQLStatement("DELETE FROM \(table.name) WHERE (\(key)) IN (SELECT * FROM unnest(\(arrays)))\(scope)", values),
                within: Self.timeout)
        } catch {
            throw error.ledgerError
        }
    }

    package func add(_ rows: [CopiedRow], to table: CopiedTable) throws(LedgerError) {
        do throws(PostgresError) {
            if table.name == "spent" { try makePeriods(for: rows) }
            let (arrays, values) = (Self.arrays(table.columns), try Self.parameters(table.columns, rows))
            let isOfWriter = condition(of: table) != nil && table.name != "meta"
            let names = (isOfWriter ? "writer, " : "") + Self.list(table.columns)
            let selected = (isOfWriter ? "\(writer)::bigint, e.*" : "e.*")
            let overriding = table.numbered == nil ? "" : " OVERRIDING SYSTEM VALUE"
            _ = try database.connection.query(
                SQLStatement(
                    "INSERT INTO \(table.name) (\(names))\(overriding) SELECT \(selected) FROM unnest(\(arrays)) AS e", values),
                within: Self.timeout)
        } catch {
            throw error.ledgerError
        }
    }

    private func makePeriods(for rows: [CopiedRow]) throws(PostgresError) {
        let spent = SpentTable(database: database)
        for case .integer(let expiry)? in rows.map(\.first) {
            let period = SpentPeriod(of: Timestamp(unixMilliseconds: expiry))
            guard !periods.contains(period) else { continue }
            try spent.make(period)
            periods.insert(period)
        }
    }

    /// Which rows of a table are the source's; `nil`: all.
    private func condition(of table: CopiedTable) -> String? {
        switch table.name {
        case "meta": "name IN ('spent_horizon', 'declared_new')"
        case "audit", "audit_claims": "writer = \(writer)"
        default: nil
        }
    }

    // MARK: Parameters

    private static func list(_ columns: [CopiedTable.Column]) -> String {
        columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }

    /// The parameters of `unnest`, one array for each column.
    private static func arrays(_ columns: [CopiedTable.Column]) -> String {
        columns.enumerated().map { index, column in
            let type =
                switch column.kind {
                case .integer: "bigint"
                case .flag: "boolean"
                case .bytes: "bytea"
                case .text: "text"
                }
            return "$\(index + 1)::\(type)[]"
        }.joined(separator: ", ")
    }

    private static func parameters(_ columns: [CopiedTable.Column], _ rows: [CopiedRow]) throws(PostgresError) -> [SQLValue] {
        var values: [SQLValue] = []
        for (index, column) in columns.enumerated() {
            let some = rows.map { $0[index] }
            switch column.kind {
            case .integer: values.append(.int8s(some.map { if case .integer(let number) = $0 { number } else { nil } }))
            case .bytes: values.append(.bytesList(some.map { if case .bytes(let bytes) = $0 { bytes } else { nil } }))
            case .text: values.append(.texts(some.map { if case .text(let text) = $0 { text } else { nil } }))
            // Never NULL.
            case .flag: values.append(.bools(some.map { $0 == .flag(true) }))
            }
        }
        return values
    }

    private static func parameter(_ value: CopiedValue) throws(PostgresError) -> SQLValue {
        switch value {
        case .integer(let number): .int8(number)
        case .bytes(let bytes): .bytes(bytes)
        case .text(let text): .text(text)
        case .flag(let isTrue): .bool(isTrue)
        case .null: throw .damaged("a key of a row is NULL")
        }
    }
}
