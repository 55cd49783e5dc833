import AssayCore

/// Uploads.
extension WriterTransaction {
    func begin(_ upload: Upload, limit: Int) throws(PostgresError) -> UploadOutcome {
        let (table, app) = (UploadTable(database: database), upload.owner.app)
        let open = try table.openCountToBegin(of: app, at: upload.begunAt, limit: limit)
        if let (kept, chunks) = try table.locked(upload.id), !kept.isExpired(at: upload.begunAt) {
            guard kept.isAskedForAgain(by: upload) else { return .failure(.keyReused) }
            return .success(UploadProgress(kept, completed: Set(chunks.keys)))
        }
        guard open < limit else { return .failure(.tooManyOpen(limit: limit, app: app)) }
        // One of the same name that has expired.
        _ = try database.run(UploadTable.removal(of: upload.id) + [UploadTable.insertion(of: upload)])
        return .success(UploadProgress(upload))
    }

    func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) throws(PostgresError) -> UploadOutcome {
        guard let (upload, known) = try UploadTable(database: database).locked(id) else { return .failure(.unknown) }
        let new: [UploadChunk]
        do throws(UploadRefusal) {
            try upload.check(owner, at: now)
            new = try upload.new(chunks, beside: known)
        } catch {
            return .failure(error)
        }
        if !new.isEmpty { _ = try database.run([UploadTable.insertion(of: new, into: id)]) }
        return .success(UploadProgress(upload, completed: Set(known.keys).union(new.map(\.index))))
    }

    func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) throws(PostgresError) -> UploadOutcome {
        guard let (upload, known) = try UploadTable(database: database).locked(id) else { return .failure(.unknown) }
        var progress = UploadProgress(upload, completed: Set(known.keys))
        do throws(UploadRefusal) {
            try upload.check(owner, at: now)
            try progress.check(statement)
        } catch {
            return .failure(error)
        }
        if upload.finishedAt == nil {
            _ = try database.run([UploadTable.finish(id, at: now)])
            progress.upload.finishedAt = now
        }
        return .success(progress)
    }

    func abort(_ id: UploadID, by owner: UploadOwner) throws(PostgresError) -> Bool {
        guard let (upload, _) = try UploadTable(database: database).locked(id), upload.owner == owner else { return false }
        _ = try database.run(UploadTable.removal(of: id))
        return true
    }
}
