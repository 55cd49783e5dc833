import AssayCore

/// The rules of `UploadRegistry`.
extension MemoryState {
    /// An upload with the hash of each chunk that was stated.
    struct KeptUpload {
        var upload: Upload
        var chunks: [Int: [UInt8]] = [:]

        var progress: UploadProgress { UploadProgress(upload, completed: Set(chunks.keys)) }
    }

    mutating func begin(_ upload: Upload, limit: Int) throws(UploadRefusal) -> UploadProgress {
        if let kept = uploads[upload.id], !kept.upload.isExpired(at: upload.begunAt) {
            guard kept.upload.isAskedForAgain(by: upload) else { throw .keyReused }
            return kept.progress
        }
        let app = upload.owner.app
        let open = uploads.values.count { $0.upload.owner.app == app && $0.upload.isOpen(at: upload.begunAt) }
        guard open < limit else { throw .tooManyOpen(limit: limit, app: app) }
        uploads[upload.id] = KeptUpload(upload: upload)
        return UploadProgress(upload)
    }

    mutating func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) throws(UploadRefusal) -> UploadProgress {
        guard var kept = uploads[id] else { throw .unknown }
        try kept.upload.check(owner, at: now)
        for chunk in try kept.upload.new(chunks, beside: kept.chunks) { kept.chunks[chunk.index] = chunk.sha256 }
        uploads[id] = kept
        return kept.progress
    }

    mutating func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) throws(UploadRefusal) -> UploadProgress {
        guard var kept = uploads[id] else { throw .unknown }
        try kept.upload.check(owner, at: now)
        try kept.progress.check(statement)
        kept.upload.finishedAt = kept.upload.finishedAt ?? now
        uploads[id] = kept
        return kept.progress
    }

    mutating func purgeUploads(now: Timestamp) {
        let limit = now.adding(milliseconds: -Upload.rememberedFor)
        uploads = uploads.filter { $0.value.upload.expiry >= limit }
    }
}
