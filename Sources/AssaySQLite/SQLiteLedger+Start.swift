package import AssayCore

extension SQLiteLedger: OpenedLedger {
    package func isDeclaredNew() async throws(LedgerError) -> Bool {
        try await read { reader throws(SQLiteFailure) in try reader.isDeclaredNew() }
    }

    package func declareNew() async throws(LedgerError) {
        try await write { session throws(SQLiteFailure) in try session.marks.declareNew() }
    }
}
