import AssayTesting
import Foundation

@testable import AssayPostgres

/// Schemas that the checks of the contract use one after the other, a few at a time. To empty a ledger's tables takes a small part of what
/// it takes to make them; that they are made is tested elsewhere. A connection through the pooler takes a small part of what a new process of the
/// server takes.
actor ContractSchemas {
    /// A schema, and the rows of its table `meta` before a ledger was opened in it, as values of SQL.
    private struct Schema {
        let settings: PostgresSettings
        let meta: String

        /// Makes a schema with the tables of a ledger.
        init(_ engine: ServerEngine?) throws {
            var settings = try server().schema()
            settings.engine = engine
            let connection = try ServerCheck(settings).connect()
            try AssayPostgres.Schema.migrate(connection, settings, mayCreate: true)
            meta = try settings.text("SELECT string_agg(format('(%L, %s)', name, value), ', ') FROM meta")
            self.settings = settings
        }

        /// Makes it as it was before a ledger was opened in it.
        ///
        /// - Parameter settings: those by which the server is reached.
        func empty(by settings: PostgresSettings) throws {
            let here = "relnamespace = '\(settings.schema)'::regnamespace"
            let statements = """
                DO $$
                DECLARE name regclass;
                BEGIN
                    FOR name IN SELECT oid FROM pg_class WHERE \(here) AND relkind = 'r' AND relispartition LOOP
                        EXECUTE format('DROP TABLE %s', name);
                    END LOOP;
                    FOR name IN SELECT oid FROM pg_class WHERE \(here) AND relkind IN ('r', 'p') LOOP
                        EXECUTE format('DELETE FROM %s', name);
                    END LOOP;
                    PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence JOIN pg_class ON oid = seqrelid WHERE \(here);
                    INSERT INTO \(settings.schema).meta VALUES \(meta);
                END $$
                """
            _ = try PostgresConnection(settings).query(.once(statements), within: 60_000)
        }
    }

    /// A pooler of sessions before the server, which ends with this process; `nil` where there is none.
    private static let pooler: Result<Pooler?, any Error> = Result {
        guard Pooler.isInstalled else { return nil }
        let pooler = try Pooler(of: try server().settings("postgres"), mode: "session", connections: 8 * 8)
        atexit { (try? ContractSchemas.pooler.get())?.end() }
        return pooler
    }

    /// How many more checks may run: each has up to seven connections.
    private var places = 8
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var used: [ServerEngine?: [Schema]] = [:]

    /// Runs a check with the settings of a schema without a ledger's records. One in which a check has failed is not used again.
    ///
    /// - Parameter pooled: whether the check reaches the server through the pooler, where there is one.
    nonisolated func with(
        _ engine: ServerEngine? = nil, pooled: Bool, _ body: @Sendable (PostgresSettings) async throws -> Void
    ) async throws {
        await take()
        do {
            let found = await schema(engine)
            let schema = try found ?? Schema(engine)
            var throughPooler = schema.settings
            if let pooler = try Self.pooler.get() { throughPooler.hosts = pooler.settings.hosts }
            try found?.empty(by: throughPooler)
            try await body(pooled ? throughPooler : schema.settings)
            await keep(schema)
        } catch {
            await give()
            throw error
        }
        await give()
    }

    private func schema(_ engine: ServerEngine?) -> Schema? { used[engine]?.popLast() }

    private func keep(_ schema: Schema) { used[schema.settings.engine, default: []].append(schema) }

    private func take() async {
        guard places == 0 else {
            places -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func give() {
        if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
    }
}
