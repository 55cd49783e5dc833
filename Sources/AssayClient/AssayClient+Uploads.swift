public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// Uploads in chunks, whose bytes stay with the caller (docs/reference/uploads.md). A finished upload's id stands in ``VerificationRequest/upload``.
extension AssayClient {
    /// Begins an upload.
    ///
    /// - Parameters:
    ///   - size: of the payload, in bytes: 1 to 52,428,800.
    ///   - chunkSize: of every chunk but the last, in bytes: 65,536 to 10,485,760.
    ///   - payloadSHA256: of the whole payload, 32 bytes.
    ///   - idempotencyKey: at most 64 bytes; the same request with the same key gets the same upload. If it is empty, the call has a key of its own
    ///     for its repetitions, unless the options say otherwise.
    public func beginUpload(
        of app: AppID, size: UInt64, chunkSize: UInt32, payloadSHA256: [UInt8], idempotencyKey: [UInt8] = [],
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Upload {
        var request = Assay_V1_BeginUploadRequest.with {
            ($0.app, $0.size, $0.chunkSize) = (app.text, size, chunkSize)
            ($0.payloadSha256, $0.idempotencyKey) = (Data(payloadSHA256), Data(idempotencyKey))
        }
        _ = addKey(&request.idempotencyKey)
        return try await call(API.beginUpload, request, timeout, hasKey: !request.idempotencyKey.isEmpty)
    }

    /// States chunks that have arrived: all of them are kept, or none.
    ///
    /// - Parameter chunks: 1 to 800, in any order.
    public func putChunks(
        _ chunks: [UploadChunk], of id: UploadID, in app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Upload {
        try await call(
            API.putChunks,
            .with {
                ($0.app, $0.uploadID) = (app.text, Data(id.bytes))
                $0.chunks = chunks.map { chunk in
                    .with {
                        ($0.index, $0.size) = (UInt32(clamping: chunk.index), UInt32(clamping: chunk.size))
                        $0.sha256 = Data(chunk.sha256)
                    }
                }
            }, timeout)
    }

    /// Finishes an upload. What is stated is what the caller computed over the bytes that arrived.
    public func finalizeUpload(
        _ id: UploadID, in app: AppID, _ statement: UploadStatement, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_Upload {
        try await call(
            API.finalizeUpload,
            .with {
                ($0.app, $0.uploadID) = (app.text, Data(id.bytes))
                ($0.chunks, $0.payloadSha256) = (UInt32(clamping: statement.count), Data(statement.payloadSHA256))
            }, timeout)
    }

    /// An upload as it is now: which chunks are missing, and when it expires.
    public func upload(_ id: UploadID, in app: AppID, timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_Upload {
        try await call(API.getUpload, .with { ($0.app, $0.uploadID) = (app.text, Data(id.bytes)) }, timeout)
    }

    /// Ends an upload and forgets it. False if there is none.
    public func abortUpload(_ id: UploadID, in app: AppID, timeout: Duration? = nil) async throws(AssayError) -> Bool {
        try await call(API.abortUpload, .with { ($0.app, $0.uploadID) = (app.text, Data(id.bytes)) }, timeout).aborted
    }
}
