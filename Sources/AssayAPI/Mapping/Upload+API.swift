package import AssayCore
import Foundation
import SwiftProtobuf

extension UploadProgress {
    /// - Parameter now: when it is shown.
    package func message(at now: Timestamp) -> Assay_V1_Upload {
        .with {
            $0.uploadID = Data(upload.id.bytes)
            $0.state = upload.isExpired(at: now) ? .expired : upload.finishedAt == nil ? .open : .finished
            ($0.total, $0.completed) = (UInt32(upload.plan.count), UInt32(completed.count))
            $0.missing = missing.map { UInt32($0) }
            ($0.size, $0.chunkSize) = (UInt64(upload.plan.size), UInt32(upload.plan.chunkSize))
            $0.payloadSha256 = Data(upload.payloadSHA256)
            ($0.begunAtUnixMs, $0.expiresAtUnixMs) = (upload.begunAt.unixMilliseconds, upload.expiry.unixMilliseconds)
            $0.finishedAtUnixMs = upload.finishedAt?.unixMilliseconds ?? 0
        }
    }
}

extension UploadChunk {
    /// - Parameter name: the field, as the .proto file names it.
    package init(field name: String, _ chunk: Assay_V1_UploadChunk) throws(RequestError) {
        self.init(
            index: Int(chunk.index), size: Int64(chunk.size),
            sha256: try chunk.sha256.payloadHash("\(name).sha256"))
    }
}

extension [UploadChunk] {
    /// The `chunks` field: 1 to 800.
    package init(field chunks: [Assay_V1_UploadChunk]) throws(RequestError) {
        guard (1...UploadChunk.countLimit).contains(chunks.count) else {
            throw RequestError("chunks", "must hold 1 to \(UploadChunk.countLimit), not \(chunks.count)")
        }
        self = []
        reserveCapacity(chunks.count)
        for (place, chunk) in chunks.enumerated() { append(try UploadChunk(field: "chunks[\(place)]", chunk)) }
    }
}

extension Collection<UInt8> {
    /// A field that holds a SHA-256.
    package func payloadHash(_ field: String) throws(RequestError) -> [UInt8] {
        guard count == 32 else { throw RequestError(field, "must have 32 bytes, not \(count)") }
        return Array(self)
    }
}
