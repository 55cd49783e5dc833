package import AssayPostgres

extension FixedConfiguration.Store {
    /// Where the ledger is.
    package enum Place: Hashable, Sendable {
        /// A SQLite file.
        case file(String)
        /// A PostgreSQL database. The daemon keeps its own files, such as the records of verdicts, in the folder.
        case postgresql(PostgresSettings, folder: String)
    }

    /// The path of the ledger's file; `nil` where it is in a database.
    package var file: String? {
        if case .file(let path) = place { path } else { nil }
    }

    /// The ledger in messages: its path, or its database. Never a password.
    package var name: String {
        switch place {
        case .file(let path): path
        case .postgresql(let settings, _): settings.description
        }
    }

    /// The path with which the names of the daemon's own files begin: the ledger's, or `assay` in the folder.
    package var ownFiles: String {
        switch place {
        case .file(let path): path
        case .postgresql(_, let folder): folder + "/assay"
        }
    }

    /// The file with the levels of rate limits, which the daemon writes.
    package var ratesFile: String { ownFiles + ".rates" }
    /// What the daemon has acknowledged of a ledger in a database.
    package var acknowledgedFile: String { ownFiles + ".acknowledged" }
}
