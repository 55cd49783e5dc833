import AssayAPI
package import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Uploads`: payloads that arrive in chunks at a caller, which states their hashes.
package struct UploadsService: Sendable {
    private let ledger: any UploadRegistry
    private let names: UploadNames
    private let answering: Answering
    private let clock: any WallClock

    package init(ledger: any UploadRegistry, names: UploadNames, answering: Answering, clock: any WallClock) {
        (self.ledger, self.names, self.answering, self.clock) = (ledger, names, answering, clock)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.beginUpload, reading: { try Beginning($1) }, begin),
            .unary(
                API.putChunks,
                reading: { (try UploadID(field: "upload_id", $1.uploadID), try [UploadChunk](field: $1.chunks)) },
                put),
            .unary(API.finalizeUpload, reading: { try Ending($1) }, finish),
            .unary(API.getUpload, reading: { try UploadID(field: "upload_id", $1.uploadID) }, get),
            .unary(API.abortUpload, reading: { try UploadID(field: "upload_id", $1.uploadID) }, abort),
        ]
    }

    private struct Beginning: Sendable {
        let size: UInt64
        let chunkSize: UInt64
        let payloadSHA256: [UInt8]
        let key: [UInt8]

        init(_ request: Assay_V1_BeginUploadRequest) throws(RequestError) {
            (size, chunkSize) = (request.size, UInt64(request.chunkSize))
            payloadSHA256 = try request.payloadSha256.payloadHash("payload_sha256")
            // In client data 32 zero bytes mean that no payload is bound.
            guard payloadSHA256.contains(where: { $0 != 0 }) else {
                throw RequestError("payload_sha256", "must not be 32 zero bytes")
            }
            key = try request.idempotencyKey.bounded("idempotency_key", by: VerificationRequest.idempotencyKeyLimit)
        }
    }

    private struct Ending: Sendable {
        let id: UploadID
        let statement: UploadStatement

        init(_ request: Assay_V1_FinalizeUploadRequest) throws(RequestError) {
            id = try UploadID(field: "upload_id", request.uploadID)
            statement = UploadStatement(
                count: Int(request.chunks), payloadSHA256: try request.payloadSha256.payloadHash("payload_sha256"))
        }
    }

    // MARK: Bodies

    private func begin(_ caller: Caller, _ app: AppProfile, _ fields: Beginning) async throws -> Assay_V1_Upload {
        guard let rule = app.uploads else { throw UploadRefusal.notConfigured(app.id) }
        try answering.charge(.challenges, caller, app.id, nil, at: answering.chargingTime())
        let (owner, now) = (UploadOwner(app: app.id, caller: caller.name), clock.now())
        let upload = Upload(
            id: names.name(of: owner, key: fields.key), owner: owner,
            plan: try ChunkPlan(size: fields.size, chunkSize: fields.chunkSize), payloadSHA256: fields.payloadSHA256,
            begunAt: now, expiry: now.adding(milliseconds: rule.lifetime))
        return try await ledger.begin(upload, limit: rule.openLimit).get().message(at: now)
    }

    private func put(
        _ caller: Caller, _ app: AppProfile, _ fields: (id: UploadID, chunks: [UploadChunk])
    ) async throws -> Assay_V1_Upload {
        let (owner, now) = (try owner(caller, app), clock.now())
        return try await ledger.put(fields.chunks, of: fields.id, by: owner, at: now).get().message(at: now)
    }

    private func finish(_ caller: Caller, _ app: AppProfile, _ fields: Ending) async throws -> Assay_V1_Upload {
        let (owner, now) = (try owner(caller, app), clock.now())
        return try await ledger.finish(fields.id, fields.statement, by: owner, at: now).get().message(at: now)
    }

    private func get(_ caller: Caller, _ app: AppProfile, _ id: UploadID) async throws -> Assay_V1_Upload {
        guard let progress = try await ledger.progress(of: id, by: try owner(caller, app)) else { throw UploadRefusal.unknown }
        let now = clock.now()
        // Removed by the next purge, which is not awaited.
        guard now <= progress.upload.expiry.adding(milliseconds: Upload.rememberedFor) else { throw UploadRefusal.unknown }
        return progress.message(at: now)
    }

    private func abort(_ caller: Caller, _ app: AppProfile, _ id: UploadID) async throws -> Assay_V1_AbortUploadResponse {
        let aborted = try await ledger.abort(id, by: try owner(caller, app))
        return .with { $0.aborted = aborted }
    }

    private func owner(_ caller: Caller, _ app: AppProfile) throws(UploadRefusal) -> UploadOwner {
        guard app.uploads != nil else { throw .notConfigured(app.id) }
        return UploadOwner(app: app.id, caller: caller.name)
    }
}
