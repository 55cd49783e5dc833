import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Payloads in chunks at a daemon, by the client library and the command line.
    @Suite("Uploads in chunks at a daemon")
    struct UploadTests {
        private static let size = 150_000
        /// Three chunks of 64 KiB, the last of 18,928 bytes.
        private static let video = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        private static let hash = ClientData.payloadHash(video)
        private static let chunkSize: UInt32 = 65_536
        private let home: TestHome

        init() throws {
            home = try TestHome()
            let text = home.folder.text("assayd.yaml")
            try home.folder.write(text.replacing("  camera: {", with: "  camera: {uploads: {}, "), to: "assayd.yaml")
        }

        private static func chunk(_ index: Int) -> UploadChunk {
            let bytes = video[(index * 65_536)..<min(size, (index + 1) * 65_536)]
            return UploadChunk(index: index, size: Int64(bytes.count), sha256: Array(SHA256.hash(data: bytes)))
        }

        private func begin(_ client: AssayClient) async throws -> (message: Assay_V1_Upload, id: UploadID) {
            let begun = try await client.beginUpload(
                of: home.app, size: UInt64(Self.size), chunkSize: Self.chunkSize, payloadSHA256: Self.hash,
                idempotencyKey: Array("video".utf8))
            return (begun, try #require(UploadID(bytes: Array(begun.uploadID))))
        }

        @Test("What was acknowledged of an upload is there after a kill, and a finished one stands for its payload")
        func kill() async throws {
            let first = try await TestDaemon(home)
            var client = try await first.connect()
            var phone = home.phone()
            _ = try await phone.register(client)
            let (begun, id) = try await begin(client)
            #expect(begun.total == 3 && begun.missing == [0, 1, 2])
            let acknowledged = try await client.putChunks([Self.chunk(2), Self.chunk(0)], of: id, in: home.app)
            #expect(acknowledged.missing == [1])
            first.child.signal(SIGKILL)
            _ = await first.child.ending()
            await client.close()

            let second = try await TestDaemon(home)
            client = try await second.connect()
            #expect(try await client.upload(id, in: home.app) == acknowledged)
            #expect(try await begin(client).message == acknowledged, "the same upload under its idempotency key")
            _ = try await client.putChunks([Self.chunk(1)], of: id, in: home.app)
            let statement = UploadStatement(count: 3, payloadSHA256: Self.hash)
            let finished = try await client.finalizeUpload(id, in: home.app, statement)
            #expect(finished.state == .finished && finished.missing.isEmpty)
            second.child.signal(SIGKILL)
            _ = await second.child.ending()
            await client.close()

            let third = try await TestDaemon(home)
            client = try await third.connect()
            #expect(try await client.upload(id, in: home.app) == finished)
            var request = try phone.upload(try await phone.challenge(.assert, client), Self.video)
            (request.binding, request.upload) = (.clientData(payloadHash: nil), id)
            let verdict = try await client.patiently(request)
            #expect(verdict.outcome == "accepted" && Array(verdict.bound.payloadSha256) == Self.hash)
            await client.close()
            #expect(await third.stop().status == 0)
        }

        @Test("The command sends a file, states single chunks, and says what is missing or wrong")
        func command() async throws {
            let daemon = try await TestDaemon(home)
            func assay(_ words: [String]) async throws -> Child.Ending {
                try await Child.run(
                    "assay", ["upload"] + words,
                    environment: ["ASSAY_SERVER": try daemon.address("tcp"), "COLUMNS": "200"])
            }
            let video = home.folder.file("video")
            try Data(Self.video).write(to: URL(filePath: video))
            try Data(Self.video[..<65_536]).write(to: URL(filePath: home.folder.file("chunk")))
            let sent = try await assay(["send", video, "--app", "camera", "--chunk-size", "65536"])
            #expect(sent.status == 0 && sent.lines.count == 1 && sent.lines.first?.utf8.count == 32, "\(sent)")
            let shown = try await assay(["show", sent.lines.first ?? "", "--app", "camera"])
            #expect(shown.status == 0 && shown.lines.first == "FINISHED  3 of 3 chunks", "\(shown)")

            let begun = try await assay(["begin", video, "--app", "camera", "--chunk-size", "65536"])
            let id = try #require(begun.lines.first)
            let chunk = ["--app", "camera", "--chunk", home.folder.file("chunk"), "--index"]
            let put = try await assay(["put", id] + chunk + ["0", "--json"])
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(put.out.utf8)) as? [String: Any], "\(put)")
            #expect(object["state"] as? String == "open" && object["missing"] as? [Int] == [1, 2])
            for (index, status, reason) in [
                ("1", 0, ""), ("3", 65, "chunk_out_of_range"), ("2", 65, "chunk_size_mismatch"),
            ] as [(String, Int32, String)] {
                let ending = try await assay(["put", id] + chunk + [index])
                #expect(ending.status == status && (reason.isEmpty || ending.err.contains(reason)), "\(ending)")
            }
            try Data(Self.video[1..<65_537]).write(to: URL(filePath: home.folder.file("chunk")))
            let other = try await assay(["put", id] + chunk + ["0"])
            #expect(other.status == 1 && other.err.contains("tamper_detected"), "\(other)")
            let early = try await assay(["finish", id, "--app", "camera", "--chunks", "3", "--payload", video])
            #expect(early.status == 1 && early.err.contains("1 of 3 chunks is missing: 2"), "\(early)")
            #expect(try await assay(["abort", id, "--app", "camera"]).status == 0)
            #expect(try await assay(["abort", id, "--app", "camera"]).status == 1)
            #expect(try await assay(["show", id, "--app", "camera"]).status == 1)
            let closed = try await assay(["send", video, "--app", "other"])
            #expect(closed.status == 78 && closed.err.contains("uploads_not_configured"), "\(closed)")
            #expect(try await assay(["send", video, "--app", "camera", "--chunk-size", "65535"]).status == 64)
            #expect(await daemon.stop().status == 0)
        }
    }
}
