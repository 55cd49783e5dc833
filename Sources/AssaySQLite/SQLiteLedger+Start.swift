package import AssayCore

extension SQLiteLedger: OpenedLedger {
    package func isDeclaredNew() async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteFailure) in try reader.isDeclaredNew() }
    }

    package func declareNew() async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.marks.declareNew() }
    }

    /// One of the ledger's files that others than its owner may read or write, and its mode; `nil` if there is none.
    package static func wideFile(of path: String) -> (path: String, mode: UInt32)? { LedgerFile.wideFile(of: path) }
}
