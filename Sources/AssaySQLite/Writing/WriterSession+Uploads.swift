import AssayCore

/// Uploads, inside the transaction.
extension WriterSession {
    func begin(_ upload: Upload, limit: Int) throws(SQLiteError) -> UploadOutcome {
        if let kept = try uploads.upload(upload.id) {
            if !kept.isExpired(at: upload.begunAt) {
                guard kept.isAskedForAgain(by: upload) else { return .failure(.keyReused) }
                return .success(UploadProgress(kept, completed: Set(try uploads.chunks(of: kept.id).keys)))
            }
        }
        let app = upload.owner.app
        guard try uploads.openCount(of: app, at: upload.begunAt, limit: limit) < limit else {
            return .failure(.tooManyOpen(limit: limit, app: app))
        }
        // One of the same name that has expired.
        try uploads.remove(upload.id)
        try uploads.add(upload)
        return .success(UploadProgress(upload))
    }

    func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) throws(SQLiteError) -> UploadOutcome {
        guard let upload = try uploads.upload(id) else { return .failure(.unknown) }
        let known = try uploads.chunks(of: id)
        let new: [UploadChunk]
        do throws(UploadRefusal) {
            try upload.check(owner, at: now)
            new = try upload.new(chunks, beside: known)
        } catch {
            return .failure(error)
        }
        try uploads.add(new, to: id)
        return .success(UploadProgress(upload, completed: Set(known.keys).union(new.map(\.index))))
    }

    func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) throws(SQLiteError) -> UploadOutcome {
        guard let upload = try uploads.upload(id) else { return .failure(.unknown) }
        var progress = UploadProgress(upload, completed: Set(try uploads.chunks(of: id).keys))
        do throws(UploadRefusal) {
            try upload.check(owner, at: now)
            try progress.check(statement)
        } catch {
            return .failure(error)
        }
        if upload.finishedAt == nil {
            try uploads.finish(id, at: now)
            progress.upload.finishedAt = now
        }
        return .success(progress)
    }

    func abort(_ id: UploadID, by owner: UploadOwner) throws(SQLiteError) -> Bool {
        guard let upload = try uploads.upload(id), upload.owner == owner else { return false }
        try uploads.remove(id)
        return true
    }
}
