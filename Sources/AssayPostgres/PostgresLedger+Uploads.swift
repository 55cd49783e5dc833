package import AssayCore

extension PostgresLedger: UploadRegistry {
    package func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome {
        try await write { transaction throws(PostgresError) in try transaction.begin(upload, limit: limit) }
    }

    package func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        // A chunk costs a tenth of what an entry does.
        try await write(weight: 1 + chunks.count / 10) { transaction throws(PostgresError) in
            try transaction.put(chunks, of: id, by: owner, at: now)
        }
    }

    package func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome {
        try await write { transaction throws(PostgresError) in
            try transaction.finish(id, statement, by: owner, at: now)
        }
    }

    /// An acceptance that rests on it is durable only after it, because its own commit waits for the standby.
    package func upload(_ id: UploadID) async throws(LedgerError) -> Upload? { try await find(UploadTable.upload(id)) }

    package func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress? {
        let found = try await read { database throws(PostgresError) in try UploadTable(database: database).progress(of: id) }
        guard let found, found.upload.owner == owner else { return nil }
        try await confirm()
        return found
    }

    package func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool {
        try await write { transaction throws(PostgresError) in try transaction.abort(id, by: owner) }
    }
}
