/// Uploads in chunks: what their callers stated of them.
///
/// - The rules are those of `Upload+Rules.swift`, applied inside the transaction: of racing statements about one chunk with different hashes one
///   is kept. A call that is refused changes nothing.
/// - Each change is durable on return. The audit log records none of them: the verdict that an upload leads to is recorded with the hash.
/// - An upload is kept for `Upload.rememberedFor` after its expiry; `LedgerMaintenance.purge` forgets it then.
public protocol UploadRegistry: UploadFacts {
    /// Begins an upload, unless one of the same id has not expired: that one is returned if it is asked for again, and else `keyReused`.
    ///
    /// - Parameter limit: the most unfinished uploads of the app; there are never more, of all callers and daemons together.
    func begin(_ upload: Upload, limit: Int) async throws(LedgerError) -> UploadOutcome

    /// Keeps all of some chunks, or none.
    ///
    /// - Parameter chunks: at most `UploadChunk.countLimit`.
    func put(
        _ chunks: [UploadChunk], of id: UploadID, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome

    /// Finishes an upload. One that is finished stays as it is.
    func finish(
        _ id: UploadID, _ statement: UploadStatement, by owner: UploadOwner, at now: Timestamp
    ) async throws(LedgerError) -> UploadOutcome

    /// The upload with its chunks, also one that has expired; `nil` if there is none of that id and owner.
    func progress(of id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> UploadProgress?

    /// Forgets an upload. False if there is none of that id and owner.
    func abort(_ id: UploadID, by owner: UploadOwner) async throws(LedgerError) -> Bool
}

/// What the daemon reads of an upload before it judges a request.
public protocol UploadFacts: Sendable {
    /// The upload of that id, whosever it is; `nil` if there is none.
    func upload(_ id: UploadID) async throws(LedgerError) -> Upload?
}

/// The upload as it is after the call, or why nothing came of it.
public typealias UploadOutcome = Result<UploadProgress, UploadRefusal>
