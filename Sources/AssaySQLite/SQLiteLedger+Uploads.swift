package import AssayCore

extension SQLiteLedger: UploadRegistry {
    package func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome {
        try await write { session throws(SQLiteError) in try session.begin(upload, limit: limit) }
    }

    package func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        // A chunk costs a tenth of what an entry does.
        try await write(weight: 1 + chunks.count / 10) { session throws(SQLiteError) in
            try session.put(chunks, of: id, by: owner, at: now)
        }
    }

    package func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await write { session throws(SQLiteError) in try session.finish(id, statement, by: owner, at: now) }
    }

    package func upload(_ id: UploadID) async throws(LedgerError) -> Upload? {
        try await read { reader throws(SQLiteError) in try reader.uploads.upload(id) }
    }

    package func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? {
        try await read { reader throws(SQLiteError) in try reader.uploads.progress(of: id, by: owner) }
    }

    package func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool {
        try await write { session throws(SQLiteError) in try session.abort(id, by: owner) }
    }
}
