import AssayCore

/// A failed call of the database. Its class decides how the ledger continues.
struct PostgresError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The server refused a statement, for this SQLSTATE. The connection is sound, and the transaction is over.
        case server(String)
        /// There is no connection: it could not be made, or it ended.
        case connection
        /// The server was the primary earlier, and another one is now.
        case former
        /// The server did not answer in time. The connection is not used again.
        case deadline
        /// COMMIT was answered, but a wait for the standby was given up: the transaction may be lost in a failover.
        case unconfirmed
        /// The data differs from what was written.
        case damage
        /// Another process has taken this writer's name, or the database is an older copy or another one.
        case replacement
        /// The server or the settings do not fit the ledger.
        case unsuitable
        /// A value cannot be stored.
        case value
    }

    let kind: Kind
    let message: String

    init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    static func damaged(_ message: String) -> PostgresError { PostgresError(.damage, message) }
    static func replaced(_ message: String) -> PostgresError { PostgresError(.replacement, message) }
    static func unsuitable(_ message: String) -> PostgresError { PostgresError(.unsuitable, message) }

    /// The SQLSTATE of the server; `nil` for other failures.
    var state: String? { if case .server(let state) = kind { state } else { nil } }

    /// True if the data differs from what was written (class XX: data_corrupted, index_corrupted).
    var isDamage: Bool { kind == .damage || state == "XX001" || state == "XX002" }

    var isReplacement: Bool { kind == .replacement }

    /// True if another transaction was in the way, so that the same one may succeed now: serialization_failure, deadlock_detected,
    /// lock_not_available, unique_violation.
    var isConflict: Bool { ["40001", "40P01", "55P03", "23505"].contains(state) }

    /// True if there is no partition for a spent token: check_violation.
    var lacksPeriod: Bool { state == "23514" }

    /// True if there is no room: disk_full.
    var isOfSpace: Bool { state == "53100" }

    /// True if the connection cannot be used any more. A transaction that was being committed may be applied or not.
    var endsConnection: Bool {
        switch kind {
        case .connection, .former, .deadline, .unconfirmed: true
        // admin_shutdown and its siblings, idle_in_transaction_session_timeout, read_only_sql_transaction: it is not the primary any more
        case .server(let state): state.hasPrefix("57P") || state == "25P03" || state == "25006"
        default: false
        }
    }

    /// True if the values are at fault, not the store: data_exception, integrity_constraint_violation, program_limit_exceeded. Other
    /// entries of the transaction are not affected.
    var isOfTheValues: Bool {
        if kind == .value { return true }
        guard let state else { return false }
        return state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54")
    }

    /// The failure as callers see it.
    var ledgerError: LedgerError {
        if isReplacement { return .replaced(message) }
        return isDamage ? .corrupt(text) : .unavailable(text)
    }

    private var text: String {
        let what: String? =
            switch kind {
            case .server(let state): Self.words(of: state).map { "\($0) (\(state))" } ?? "the database refused (\(state))"
            case .connection, .former: "no connection to the database"
            case .deadline: "the database does not answer"
            case .unconfirmed: "the standby did not confirm the commit"
            case .damage, .replacement, .unsuitable, .value: nil
            }
        return what.map { "\($0): \(message)" } ?? message
    }

    private static func words(of state: String) -> String? {
        switch state {
        case "53100": "disk full"
        case "53200": "out of memory"
        case "53300": "too many connections"
        case "25006": "read-only"
        case "55P03": "locked"
        case "28000", "28P01": "the login was refused"
        case "3D000": "no such database"
        case "42501": "not permitted"
        case "57P01", "57P02", "57P03", "57P05": "the server is shutting down or starting"
        case "25P03": "the transaction stalled"
        case "57014": "cancelled"
        default: nil
        }
    }
}
