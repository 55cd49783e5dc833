import AssayAPI
import AssayCompression
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

extension FuzzSeeds {
    /// Depth maps, captures that a key signed offline, and the messages of uploads.
    static var captures: [(name: String, bytes: [UInt8])] {
        get throws { try depthMaps + offlineCaptures + uploads }
    }

    /// Three bands, a flat screen, and bytes that are repeated as floats.
    private static var depthMaps: [(name: String, bytes: [UInt8])] {
        let maps: [(String, (Int) -> Float)] = [
            ("bands", { $0 % 256 < 85 ? 0.8 : $0 % 256 < 170 ? 2.0 : 4.0 }), ("flat", { _ in 0.45 }),
            ("odd", { [Float.nan, .infinity, -0.0, 20, 0.1][$0 % 5] }),
        ]
        let files = maps.compactMap { name, pixel in
            Deflation.deflate((0..<256 * 192).flatMap { bytes(of: pixel($0)) }, as: .gzip).map { ("depth-map/" + name, $0) }
        }
        let floats: [Float] = [0.8, 2.0, .nan, 4.0, .leastNonzeroMagnitude]
        return files + [("depth-map/floats", floats.flatMap { bytes(of: $0) })]
    }

    private static func bytes(of value: Float) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }

    private static var offlineCaptures: [(name: String, bytes: [UInt8])] {
        get throws {
            guard let key = FuzzTarget.offlineKey, let app = AppID("fuzz") else { return [] }
            let signature = try key.sign(FuzzTarget.signedCapture.signedBytes(for: app), by: key.usualScheme)
            let evidence = FuzzTarget.signedCapture.evidence(
                keyID: key.subjectPublicKeyInfoDigest, algorithm: key.usualScheme.rawValue, signature: signature)
            return [("offline-capture/body", evidence.body), ("offline-capture/signature", signature)]
        }
    }

    private static var uploads: [(name: String, bytes: [UInt8])] {
        get throws {
            let hash = Data(repeating: 7, count: 32)
            let id = Data(repeating: 8, count: UploadID.length)
            let begin = Assay_V1_BeginUploadRequest.with {
                ($0.app, $0.size, $0.chunkSize, $0.payloadSha256, $0.idempotencyKey) = (
                    "fuzz", 150_000, 65_536, hash, Data([1])
                )
            }
            let put = Assay_V1_PutChunksRequest.with { request in
                (request.app, request.uploadID) = ("fuzz", id)
                request.chunks = (0..<3).map { index in
                    .with { ($0.index, $0.size, $0.sha256) = (index, index < 2 ? 65_536 : 18_928, hash) }
                }
            }
            let finish = Assay_V1_FinalizeUploadRequest.with {
                ($0.app, $0.uploadID, $0.chunks, $0.payloadSha256) = ("fuzz", id, 3, hash)
            }
            let shown = Assay_V1_Upload.with {
                ($0.uploadID, $0.state, $0.total, $0.completed, $0.missing) = (id, .open, 3, 1, [0, 2])
            }
            let verify = Assay_V1_VerifyRequest.with { request in
                (request.app, request.purpose, request.challenge) = ("fuzz", .assert, Data(repeating: 9, count: 54))
                request.evidence = [.with { $0.appAttestAssertion = .with { ($0.keyID, $0.assertion) = (hash, hash) } }]
                request.binding.clientData.uploadID = id
                request.report = .all
            }
            return [
                ("uploads/begin", try begin.serializedBytes()), ("uploads/put", try put.serializedBytes()),
                ("uploads/finalize", try finish.serializedBytes()), ("uploads/upload", try shown.serializedBytes()),
                ("uploads/verify", try verify.serializedBytes()), ("messages/report", try verify.serializedBytes()),
            ]
        }
    }
}
