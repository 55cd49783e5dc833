import AssayAPI
import AssayCore
import SwiftProtobuf

extension FuzzTarget {
    /// The bytes as each message of uploads, its fields, and the plan of chunks that they give; and as a request that names an upload.
    static func uploads(_ bytes: [UInt8]) {
        if let request = try? Assay_V1_BeginUploadRequest(serializedBytes: bytes) {
            plan(size: request.size, chunkSize: UInt64(request.chunkSize))
            _ = try? request.payloadSha256.payloadHash("payload_sha256")
        }
        if let request = try? Assay_V1_PutChunksRequest(serializedBytes: bytes) {
            _ = UploadID(bytes: Array(request.uploadID))
            if let chunks = try? [UploadChunk](field: request.chunks) {
                guard chunks.count == request.chunks.count, chunks.allSatisfy({ $0.sha256.count == 32 }) else {
                    fatalError("chunks are read otherwise than they were stated")
                }
            }
        }
        if let request = try? Assay_V1_FinalizeUploadRequest(serializedBytes: bytes) {
            _ = try? request.payloadSha256.payloadHash("payload_sha256")
        }
        _ = try? Assay_V1_GetUploadRequest(serializedBytes: bytes)
        _ = try? Assay_V1_AbortUploadRequest(serializedBytes: bytes)
        _ = try? Assay_V1_Upload(serializedBytes: bytes)
        guard let request = try? VerificationRequest(serialized: bytes) else { return }
        if request.upload != nil, request.binding != .clientData(payloadHash: nil) {
            fatalError("a request names an upload and a payload")
        }
        let message: [UInt8]? = try? request.message.serializedBytes()
        let again = message.flatMap { try? VerificationRequest(serialized: $0) }
        guard again?.upload == request.upload, again?.report == request.report else {
            fatalError("a request that was written is not read as it was")
        }
    }

    private static func plan(size: UInt64, chunkSize: UInt64) {
        guard let plan = try? ChunkPlan(size: size, chunkSize: chunkSize) else { return }
        let sizes = (0..<plan.count).compactMap { plan.size(ofChunk: $0) }
        guard plan.count <= ChunkPlan.countLimit, sizes.count == plan.count, sizes.allSatisfy({ $0 > 0 }),
            sizes.reduce(0, +) == plan.size, plan.size(ofChunk: plan.count) == nil, plan.size(ofChunk: -1) == nil
        else { fatalError("the chunks of a plan are not its payload") }
    }
}
