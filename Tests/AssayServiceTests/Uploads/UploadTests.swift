import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Uploads in chunks")
struct UploadTests {
    private static let kib: UInt32 = 1024
    private static let mib: UInt64 = 1_048_576
    private static let payload = [UInt8](repeating: 0x11, count: 32)

    private func harness(_ rule: UploadRule? = UploadRule()) async throws -> ServiceHarness {
        try await ServiceHarness([.testing(.camera, uploads: rule), .testing(.notes)])
    }

    private func begin(
        _ harness: ServiceHarness, size: UInt64 = 5 * mib, chunk: UInt32 = 1024 * kib, hash: [UInt8] = payload,
        key: String = "",
        app: AppID = .camera
    ) async throws -> Assay_V1_Upload {
        try await harness.call(
            API.beginUpload,
            .with {
                ($0.app, $0.size, $0.chunkSize) = (app.text, size, chunk)
                ($0.payloadSha256, $0.idempotencyKey) = (Data(hash), Data(key.utf8))
            })
    }

    private func chunk(_ index: UInt32, _ size: UInt32, _ byte: UInt8 = 1) -> Assay_V1_UploadChunk {
        .with { ($0.index, $0.size, $0.sha256) = (index, size, Data(repeating: byte, count: 32)) }
    }

    private func put(
        _ chunks: [Assay_V1_UploadChunk], of id: Data, to harness: ServiceHarness
    ) async throws -> Assay_V1_Upload {
        try await harness.call(API.putChunks, .with { ($0.app, $0.uploadID, $0.chunks) = ("camera", id, chunks) })
    }

    private func finish(
        _ id: Data, _ chunks: UInt32, _ hash: [UInt8] = payload, of harness: ServiceHarness
    ) async throws -> Assay_V1_Upload {
        try await harness.call(
            API.finalizeUpload,
            .with { ($0.app, $0.uploadID, $0.chunks, $0.payloadSha256) = ("camera", id, chunks, Data(hash)) })
    }

    private func get(_ id: Data, of harness: ServiceHarness) async throws -> Assay_V1_Upload {
        try await harness.call(API.getUpload, .with { ($0.app, $0.uploadID) = ("camera", id) })
    }

    /// The code and the reason that a call comes to; `nil`: it is answered.
    private func failure(_ call: () async throws -> Assay_V1_Upload) async throws -> RPCError? {
        do {
            _ = try await call()
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    /// A finished upload of one chunk.
    private func finished(_ harness: ServiceHarness, of payload: [UInt8]) async throws -> UploadID {
        let hash = ClientData.payloadHash(payload)
        let upload = try await begin(harness, size: UInt64(payload.count), chunk: 64 * Self.kib, hash: hash)
        _ = try await put([chunk(0, UInt32(payload.count))], of: upload.uploadID, to: harness)
        #expect(try await finish(upload.uploadID, 1, hash, of: harness).state == .finished)
        return try #require(UploadID(bytes: Array(upload.uploadID)))
    }

    // MARK: Begin

    @Test(
        "A payload is cut into chunks of one size, of which the last has what remains",
        arguments: [
            (5_242_880, 1024, 5, 1_048_576), (5_242_881, 1024, 6, 1), (1, 64, 1, 1), (65_536, 64, 1, 65_536),
            (65_537, 64, 2, 1), (52_428_800, 64, 800, 65_536), (52_428_800, 10_240, 5, 10_485_760),
            (52_428_799, 64, 800, 65_535),
        ] as [(UInt64, UInt32, UInt32, UInt32)])
    func plans(_ size: UInt64, _ kib: UInt32, _ count: UInt32, _ last: UInt32) async throws {
        let harness = try await harness()
        let upload = try await begin(harness, size: size, chunk: kib * Self.kib)
        #expect(upload.total == count && upload.completed == 0 && upload.missing == Array(0..<count))
        #expect(upload.state == .open && upload.uploadID.count == 16 && upload.size == size)
        #expect(upload.begunAtUnixMs == harness.clock.now().unixMilliseconds)
        #expect(upload.expiresAtUnixMs == upload.begunAtUnixMs + 3_600_000 && upload.finishedAtUnixMs == 0)
        let error = try await failure { try await put([chunk(count - 1, last + 1)], of: upload.uploadID, to: harness) }
        #expect(error?.code == .invalidArgument && error?.reason == "chunk_size_mismatch")
        #expect(try await put([chunk(count - 1, last)], of: upload.uploadID, to: harness).completed == 1)
        let beyond = try await failure { try await put([chunk(count, last)], of: upload.uploadID, to: harness) }
        #expect(beyond?.code == .outOfRange && beyond?.reason == "chunk_out_of_range")
    }

    @Test(
        "Sizes beyond the bounds begin no upload",
        arguments: [
            (0, 65_536, "upload_too_large"), (52_428_801, 65_536, "upload_too_large"), (.max, 65_536, "upload_too_large"),
            (1, 65_535, "chunk_size_not_allowed"), (1, 10_485_761, "chunk_size_not_allowed"), (1, 0, "chunk_size_not_allowed"),
        ] as [(UInt64, UInt32, String)])
    func bounds(_ size: UInt64, _ chunk: UInt32, _ reason: String) async throws {
        let harness = try await harness()
        let error = try await failure { try await begin(harness, size: size, chunk: chunk) }
        #expect(error?.code == .invalidArgument && error?.reason == reason)
        #expect(harness.ledger.asked(.uploads) == 0)
    }

    @Test("Hashes have 32 bytes, ids 16, and the payload's hash is not zero")
    func form() async throws {
        let harness = try await harness()
        let upload = try await begin(harness)
        for hash in [[], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 1, count: 33), [UInt8](repeating: 0, count: 32)] {
            #expect(try await failure { try await begin(harness, hash: hash) }?.reason == "invalid_request")
        }
        let short = Assay_V1_UploadChunk.with { ($0.size, $0.sha256) = (1_048_576, Data(count: 31)) }
        let error = try await failure { try await put([chunk(1, 1_048_576), short], of: upload.uploadID, to: harness) }
        #expect(error?.message == "chunks[1].sha256 must have 32 bytes, not 31")
        #expect(try await failure { try await put([], of: upload.uploadID, to: harness) }?.reason == "invalid_request")
        let many = (0...UInt32(800)).map { chunk($0, 1_048_576) }
        #expect(
            try await failure { try await put(many, of: upload.uploadID, to: harness) }?.message
                == "chunks must hold 1 to 800, not 801")
        #expect(try await failure { try await get(Data(count: 15), of: harness) }?.reason == "invalid_request")
        #expect(try await get(upload.uploadID, of: harness).completed == 0)
    }

    @Test("The same request with one idempotency key gets one upload, and another request with it is refused")
    func idempotency() async throws {
        let harness = try await harness()
        let first = try await begin(harness, key: "a")
        harness.clock.advance(milliseconds: 1000)
        #expect(try await begin(harness, key: "a") == first)
        #expect(try await begin(harness, key: "b").uploadID != first.uploadID)
        #expect(try await begin(harness).uploadID != (try await begin(harness).uploadID))
        let error = try await failure { try await begin(harness, size: 7, key: "a") }
        #expect(error?.code == .alreadyExists && error?.reason == "idempotency_key_reused")
    }

    @Test("An app without the section takes no uploads, and no verdict about one")
    func notConfigured() async throws {
        let harness = try await harness(nil)
        let error = try await failure { try await begin(harness) }
        #expect(error?.code == .failedPrecondition && error?.reason == "uploads_not_configured")
        #expect(try await failure { try await get(Data(count: 16), of: harness) }?.reason == "uploads_not_configured")
        var (handset, _) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.upload = .random()
        #expect(try await harness.failure(request)?.reason == "uploads_not_configured")
    }

    @Test("An app has as many unfinished uploads as its rule says")
    func openLimit() async throws {
        var rule = UploadRule()
        rule.openLimit = 2
        let harness = try await harness(rule)
        let first = try await begin(harness)
        _ = try await begin(harness)
        let error = try await failure { try await begin(harness) }
        #expect(error?.code == .resourceExhausted && error?.reason == "too_many_open_uploads")
        #expect(error?.retryAfterMilliseconds == 1000)
        let aborted = try await harness.call(API.abortUpload, .with { ($0.app, $0.uploadID) = ("camera", first.uploadID) })
        #expect(aborted.aborted)
        #expect(try await failure { try await begin(harness) } == nil)
        #expect(try await failure { try await get(first.uploadID, of: harness) }?.reason == "upload_unknown")
    }

    // MARK: Chunks and the end

    @Test("A chunk that is stated with another hash is refused with both, and the first stays")
    func tamper() async throws {
        let harness = try await harness()
        let id = try await begin(harness).uploadID
        for _ in 1...2 { #expect(try await put([chunk(1, 1_048_576)], of: id, to: harness).missing == [0, 2, 3, 4]) }
        let error = try await failure {
            try await put([chunk(0, 1_048_576), chunk(1, 1_048_576, 2)], of: id, to: harness)
        }
        #expect(error?.code == .alreadyExists && error?.reason == "tamper_detected")
        let (one, two) = (String(repeating: "01", count: 32), String(repeating: "02", count: 32))
        #expect(error?.message == "chunk 1 has the SHA-256 \(two), and was stated before with \(one)")
        #expect(try await get(id, of: harness).completed == 1)
    }

    @Test("An upload is finished once, when all chunks are there and number and hash are as begun")
    func ending() async throws {
        let harness = try await harness()
        let id = try await begin(harness).uploadID
        _ = try await put([0, 4].map { chunk($0, 1_048_576) }, of: id, to: harness)
        let incomplete = try await failure { try await finish(id, 5, of: harness) }
        #expect(incomplete?.code == .failedPrecondition && incomplete?.reason == "upload_incomplete")
        #expect(incomplete?.message == "3 of 5 chunks are missing: 1-3")
        _ = try await put([1, 2, 3].map { chunk($0, 1_048_576) }, of: id, to: harness)
        #expect(try await failure { try await finish(id, 6, of: harness) }?.reason == "upload_count_mismatch")
        let other = [UInt8](repeating: 0x12, count: 32)
        #expect(try await failure { try await finish(id, 5, other, of: harness) }?.reason == "upload_hash_mismatch")
        #expect(try await get(id, of: harness).state == .open)
        let finished = try await finish(id, 5, of: harness)
        #expect(finished.state == .finished && finished.completed == 5 && finished.missing.isEmpty)
        harness.clock.advance(milliseconds: 1000)
        #expect(try await finish(id, 5, of: harness) == finished)
        #expect(try await get(id, of: harness) == finished)
    }

    @Test("An upload is of no use from its expiry on, is shown for an hour, and unknown then")
    func expiry() async throws {
        let harness = try await harness()
        let id = try await begin(harness).uploadID
        harness.clock.advance(milliseconds: 3_599_999)
        #expect(try await put([chunk(0, 1_048_576)], of: id, to: harness).state == .open)
        harness.clock.advance(milliseconds: 1)
        for call in [
            { try await put([chunk(1, 1_048_576)], of: id, to: harness) }, { try await finish(id, 5, of: harness) },
        ] as [() async throws -> Assay_V1_Upload] {
            let error = try await failure(call)
            #expect(error?.code == .failedPrecondition && error?.reason == "upload_expired")
        }
        #expect(try await get(id, of: harness).state == .expired)
        harness.clock.advance(milliseconds: Upload.rememberedFor)
        #expect(try await get(id, of: harness).state == .expired)
        harness.clock.advance(milliseconds: 1)
        #expect(try await failure { try await get(id, of: harness) }?.reason == "upload_unknown")
        try await harness.ledger.purge(now: harness.clock.now())
        #expect(try await failure { try await finish(id, 5, of: harness) }?.reason == "upload_unknown")
    }

    @Test("Two calls that state one chunk with different hashes race: one is kept")
    func race() async throws {
        let harness = try await harness()
        let id = try await begin(harness).uploadID
        let kept = try await withThrowingTaskGroup(of: Bool.self) { group in
            for byte in 1...UInt8(16) {
                group.addTask {
                    try await failure { try await put([chunk(2, 1_048_576, byte)], of: id, to: harness) } == nil
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(kept == 1)
        #expect(try await get(id, of: harness).completed == 1)
    }

    // MARK: Verdicts

    @Test("A finished upload stands in place of the payload's hash, in several verdicts until it expires")
    func verdicts() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let photo = Array("a photo".utf8)
        let upload = try await finished(harness, of: photo)
        for _ in 1...2 {
            var request = try handset.assertion(try await harness.challenge(.assert), payload: photo)
            (request.binding, request.upload) = (.clientData(payloadHash: nil), upload)
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted && verdict.bound.mode == .clientData)
            #expect(verdict.bound.payloadSha256 == Data(ClientData.payloadHash(photo)))
        }
        var other = try handset.assertion(try await harness.challenge(.assert), payload: Array("another photo".utf8))
        (other.binding, other.upload) = (.clientData(payloadHash: nil), upload)
        #expect(try await harness.verify(other).rejection == .badSignature)
        harness.clock.advance(milliseconds: 3_600_000)
        var late = try handset.assertion(try await harness.challenge(.assert), payload: photo)
        (late.binding, late.upload) = (.clientData(payloadHash: nil), upload)
        #expect(try await harness.failure(late)?.reason == "upload_expired")
    }

    @Test("An upload that is unknown, unfinished or another caller's leaves challenge and audit log as they are")
    func unbound() async throws {
        let callers = CallerDirectory(byUserID: [
            1: Caller(name: "first", roles: [.verify], apps: nil), 2: Caller(name: "second", roles: [.verify], apps: nil),
        ])
        let harness = try await ServiceHarness([.testing(.camera, uploads: UploadRule()), .testing(.notes)], callers: callers)
        func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }
        var handset = Handset()
        let registration = try handset.registration(try await harness.challenge(.register, peer: peer(1)))
        #expect(try await harness.verify(registration, peer: peer(1)).isAccepted)
        let recorded = try await harness.ledger.memory.status().auditCount
        let photo = Array("a photo".utf8)
        let hash = Data(ClientData.payloadHash(photo))
        let begun = try await harness.call(
            API.beginUpload,
            .with { ($0.app, $0.size, $0.chunkSize, $0.payloadSha256) = ("camera", UInt64(photo.count), 65_536, hash) },
            peer: peer(1))
        var request = try handset.assertion(try await harness.challenge(.assert, peer: peer(1)), payload: photo)
        request.binding = .clientData(payloadHash: nil)
        request.upload = .random()
        let unknown = try await harness.failure(request, peer: peer(1))
        #expect(unknown?.code == .notFound && unknown?.reason == "upload_unknown")
        request.upload = UploadID(bytes: Array(begun.uploadID))
        #expect(try await harness.failure(request, peer: peer(1))?.reason == "upload_incomplete")
        _ = try await harness.call(
            API.putChunks,
            .with {
                ($0.app, $0.uploadID) = ("camera", begun.uploadID)
                $0.chunks = [chunk(0, UInt32(photo.count))]
            }, peer: peer(1))
        #expect(try await harness.failure(request, peer: peer(1))?.message.hasPrefix("the upload is not finished") == true)
        let ending = Assay_V1_FinalizeUploadRequest.with {
            ($0.app, $0.uploadID, $0.chunks, $0.payloadSha256) = ("camera", begun.uploadID, 1, hash)
        }
        _ = try await harness.call(API.finalizeUpload, ending, peer: peer(1))
        #expect(try await harness.failure(request, peer: peer(2))?.reason == "upload_unknown")
        #expect(try await harness.ledger.memory.status().auditCount == recorded)
        #expect(try await harness.verify(request, peer: peer(1)).isAccepted)
        #expect(harness.counters.counts.unavailable == 0)
    }

    @Test("A repeated request gets its verdict after its upload has expired")
    func repeated() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let photo = Array("a photo".utf8)
        let upload = try await finished(harness, of: photo)
        // The verdict can be repeated for some minutes, and the upload lives for an hour.
        harness.clock.advance(milliseconds: 3_590_000)
        var request = try handset.assertion(try await harness.challenge(.assert), payload: photo)
        (request.binding, request.upload) = (.clientData(payloadHash: nil), upload)
        request.idempotencyKey = Array("key".utf8)
        let first = try await harness.verify(request)
        #expect(first.isAccepted)
        harness.clock.advance(milliseconds: 20_000)
        #expect(try await harness.verify(request).requestID == first.requestID)
        request.upload = .random()
        #expect(try await harness.verify(request).rejection == .idempotencyKeyReused)
    }

    @Test("A failure of the ledger is no word about an upload")
    func outage() async throws {
        let harness = try await harness()
        var (handset, _) = try await harness.enrol()
        let upload = try await finished(harness, of: [1])
        var request = try handset.assertion(try await harness.challenge(.assert), payload: [1])
        (request.binding, request.upload) = (.clientData(payloadHash: nil), upload)
        harness.ledger.fail(.uploads, with: .unavailable("disk full"))
        #expect(try await harness.failure(request)?.reason == "ledger_unavailable")
        #expect(try await failure { try await begin(harness) }?.reason == "ledger_unavailable")
        harness.ledger.fail(.uploads, with: nil)
        #expect(try await harness.verify(request).isAccepted)
    }
}
