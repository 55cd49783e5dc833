import AssayLedger

/// Whether the role may do in the schema what a daemon does: read and write tables, and also make and drop partitions and migrate, which
/// only the owner of a table may.
enum RightsCheck {
    static func run(
        _ connection: PostgresConnection, _ settings: PostgresSettings
    ) throws(PostgresError) {
        guard connection.engine.isOneServer else { return }
        let question = SQLStatement(
            question, .text(settings.schema), .texts(CopiedTable.all.map(\.name) + ["writers", "work"]))
        let reason = try connection.query(question, within: settings.readTimeout).first { row -> String? in
            let role = "the role \"\(row.text(0))\""
            guard row.bool(1) else {
                return row.bool(2)
                    ? nil
                    : "\(role) may not make the schema \"\(settings.schema)\": grant it CREATE on the database, or make the schema for it"
            }
            guard row.bool(3) else {
                return
                    "\(role) may not use the schema \"\(settings.schema)\" and make tables in it: grant it USAGE and CREATE on the schema"
            }
            guard !row.isNull(4) else { return nil }
            return "\(role) does not own the table \"\(row.text(4))\", whose owner is \"\(row.text(5))\": "
                + "make it the owner of the schema's tables, or a member of that role"
        }
        if let reason = reason ?? nil { throw .unsuitable(reason) }
    }

    /// The role; whether the schema exists, whether the role may make it, and whether it may use it; a table of the ledger that it does not
    /// own, and the owner.
    private static let question = """
        SELECT current_user::text, n.oid IS NOT NULL,
            pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
            coalesce(pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_schema_privilege(n.oid, 'CREATE'), false),
            c.relname::text, pg_catalog.pg_get_userbyid(c.relowner)::text
        FROM (VALUES ($1::text)) wanted (name)
        LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.name
        LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relname = ANY ($2::text[])
            AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')
        ORDER BY c.relname LIMIT 1
        """
}
