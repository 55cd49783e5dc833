/// The rules of uploads, which every ledger applies inside its transaction.
extension Upload {
    /// Refuses what is not the owner's, and what has expired.
    public func check(_ owner: UploadOwner, at now: Timestamp) throws(UploadRefusal) {
        guard self.owner == owner else { throw .unknown }
        guard !isExpired(at: now) else { throw .expired(at: expiry) }
    }

    /// Those of some chunks that were not stated before. Refuses all of them for the first that breaks a rule: its index, its size, then its hash.
    ///
    /// - Parameter known: the hash of each chunk that was stated.
    public func new(_ chunks: [UploadChunk], beside known: [Int: [UInt8]]) throws(UploadRefusal) -> [UploadChunk] {
        var (known, new) = (known, [UploadChunk]())
        for chunk in chunks {
            guard let size = plan.size(ofChunk: chunk.index) else { throw .outOfRange(index: chunk.index, count: plan.count) }
            guard chunk.size == size else { throw .wrongSize(index: chunk.index, stated: chunk.size, expected: size) }
            if let hash = known[chunk.index] {
                guard hash == chunk.sha256 else { throw .tampered(index: chunk.index, kept: hash, stated: chunk.sha256) }
            } else {
                known[chunk.index] = chunk.sha256
                new.append(chunk)
            }
        }
        return new
    }
}

extension UploadProgress {
    /// Refuses to finish an upload unless its caller has all of it: the number of chunks, their hashes, then that of the whole.
    public func check(_ statement: UploadStatement) throws(UploadRefusal) {
        guard statement.count == upload.plan.count else {
            throw .countMismatch(stated: statement.count, expected: upload.plan.count)
        }
        let missing = missing
        guard missing.isEmpty else { throw .incomplete(missing: missing, count: upload.plan.count) }
        guard statement.payloadSHA256 == upload.payloadSHA256 else {
            throw .hashMismatch(stated: statement.payloadSHA256, begun: upload.payloadSHA256)
        }
    }
}
