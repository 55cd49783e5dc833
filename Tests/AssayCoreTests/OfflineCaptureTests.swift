import AssayCore
import Crypto
import Testing

@Suite("Captures that are signed offline")
struct OfflineCaptureTests {
    private let capture = OfflineCapture(
        capturedAt: Timestamp(unixMilliseconds: 1_800_000_000_000), payload: Array("a photo\n".utf8))

    @Test("The signed bytes are those of the page: tag, purpose, hash of the app, time, hash of the payload")
    func layout() throws {
        let app = try #require(AppID("camera"))
        let bytes = capture.signedBytes(for: app)
        #expect(bytes.count == OfflineCapture.length && bytes.count == 87)
        #expect(bytes.starts(with: Array("assay1-offline".utf8)) && bytes[14] == 2)
        #expect(Array(bytes[15..<47]) == Array(SHA256.hash(data: Array("camera".utf8))))
        #expect(Array(bytes[47..<55]) == [0x00, 0x00, 0x01, 0xA3, 0x18, 0x5C, 0x50, 0x00])
        #expect(Array(bytes[55...]) == Array(SHA256.hash(data: Array("a photo\n".utf8))))
        // As docs/concepts/offline.md has it.
        let digest = "28f3f889adaca45a165d9bc519a6fbfa9a2381c0bc82de94d63ff3c8f0420016"
        #expect(Hex.encode(Array(SHA256.hash(data: bytes))) == digest)
    }

    @Test("A capture binds its payload by the signed bytes, and a statement that names none binds nothing")
    func binding() throws {
        let app = try #require(AppID("camera"))
        let binding = Binding(capture, for: app)
        #expect(binding.mode == .inEvidence && binding.payloadHash == capture.payloadHash)
        #expect(binding.expectedBytes == capture.signedBytes(for: app) && Binding.inEvidence.expectedBytes == nil)
        #expect(Binding.inEvidence.payloadHash == nil)
        #expect(Binding(callerOwned: [1]).expectedBytes == [1] && Binding(embedded: [2]).expectedBytes == [2])
    }

    @Test("Each field of a capture, and the app, changes the signed bytes, and none are client data of a challenge")
    func apart() throws {
        let (camera, notes) = (try #require(AppID("camera")), try #require(AppID("notes")))
        let later = OfflineCapture(
            capturedAt: capture.capturedAt.adding(milliseconds: 1), payloadHash: capture.payloadHash)
        let other = OfflineCapture(capturedAt: capture.capturedAt, payload: [1])
        let all = [
            capture.signedBytes(for: camera), capture.signedBytes(for: notes), later.signedBytes(for: camera),
            other.signedBytes(for: camera),
        ]
        #expect(Set(all).count == all.count)
        for purpose in Purpose.allCases {
            let data = try #require(ClientData(purpose: purpose, challenge: [UInt8](repeating: 0x2D, count: Challenge.length)))
            #expect(!all.contains(data.bytes) && data.bytes[6] != all[0][6])
        }
    }

    @Test(
        "Both ends of the time in which a capture is taken are included, and no time overflows", arguments: [Int64.min, .max])
    func bounds(_ extreme: Int64) throws {
        let rule = OfflineRule(maxAge: 10_000, maxFuture: 500)
        let now = Timestamp(unixMilliseconds: 1_800_000_000_000)
        func code(_ milliseconds: Int64) -> FailureCode? {
            do throws(Rejection) {
                try rule.check(now.adding(milliseconds: milliseconds), at: now)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(0) == nil && code(500) == nil && code(-10_000) == nil)
        #expect(code(501)?.builtIn == .timestampInFuture && code(-10_001)?.builtIn == .timestampTooOld)
        #expect(code(extreme)?.builtIn == (extreme < 0 ? .timestampTooOld : .timestampInFuture))
    }
}
