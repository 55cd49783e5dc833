import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// What a capture tells of its user stays between the caller and the verdict.
    @Suite("Secrecy of captures")
    struct CaptureSecrecyTests {
        private static let media = SecureRandom.bytes(32)
        private static let map = SecureRandom.bytes(32)
        private static let chunks = (0..<3).map { _ in SecureRandom.bytes(32) }
        private static let photo = Array("a passport of mrs robinson, photographed".utf8)

        /// What none may find again: texts as they are, and hashes in each usual form.
        private static var marks: [[UInt8]] {
            let texts = [
                "48.137154", "11.576124", "SERIAL-F2LXQ7", "BUILD-24A317", "Phone of Mrs Robinson", "velvet-classified",
                "algorithm-of-robinson", "member-of-robinson", "reason-of-robinson", "a passport of mrs robinson",
            ]
            let hashes = [media, map] + chunks
            return texts.map { Array($0.utf8) }
                + hashes.flatMap { hash in
                    [
                        hash, Array(Hex.encode(hash).utf8), Array(Hex.encode(hash).uppercased().utf8),
                        Array(Base64.url.encode(hash).utf8), Array(Base64.standard.encode(hash).utf8),
                        Array(Hex.encode(Array(hash.prefix(8))).utf8),
                    ]
                }
        }

        /// - Parameters:
        ///   - latitude: as JSON.
        ///   - flags: as JSON.
        private static func document(latitude: String = "48.137154", flags: String = "{}") -> [UInt8] {
            let metadata =
                #""metadata":{"model":"Phone of Mrs Robinson","width":4032,"location":{"latitude":\#(latitude),"#
                + #""longitude":11.576124},"device":{"serial":"SERIAL-F2LXQ7","build":"BUILD-24A317"}},"flags":\#(flags)"#
            let depth =
                #""depth":{"variance":1.3,"layers":3,"edge_coherence":0.5,"min":0.8,"max":4,"is_likely_real_scene":false,"#
                + #""algorithm_version":"algorithm-of-robinson","map_sha256":"\#(Hex.encode(map))"}"#
            let signals =
                #""signals":{"lidar":{"score":0.95},"texture":{"score":0.8,"classification":"velvet-classified"},"#
                + #""parallax":{"outcome":"unavailable","reason":"reason-of-robinson"}},"own":"member-of-robinson""#
            return Array(
                #"{"version":2,"media":[{"sha256":"\#(Hex.encode(media))"}],\#(signals),\#(depth),\#(metadata)}"#.utf8)
        }

        private func home(_ server: TestHTTPSServer) throws -> TestHome {
            let home = try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
                more: """
                    operate: {listen: [{tcp: 127.0.0.1:0}], open: [probes, metrics]}
                    traces: {endpoint: "\(server.address)", sample: 1}
                    verdicts: {record: all}
                    log: {level: trace}
                    """)
            let capture = "uploads: {}, audit_claims: true, confidence: {profile: suite, flags_violated: reject}"
            try home.folder.write(
                home.folder.text("assayd.yaml").replacing("  camera: {", with: "  camera: {\(capture), "), to: "assayd.yaml")
            return home
        }

        /// Captures that are accepted, refused, malformed and unbound. The outcomes in order.
        private func sendDocuments(_ phone: inout TestPhone, _ client: AssayClient) async throws -> [String] {
            var outcomes: [String] = []
            let documents = [
                Self.document(), Self.document(flags: #"{"location":"none"}"#),
                Self.document(flags: #"{"device":"model_only"}"#),
                Self.document(flags: #"{"location":"coarse"}"#), Self.document(latitude: #""48.137154""#),
                Self.document(latitude: "480.137154"), Array(Self.document().dropLast(5)),
            ]
            for document in documents {
                var request = try phone.upload(try await phone.challenge(.assert, client), document)
                request.signals = document
                outcomes.append(try await client.patiently(request).outcome)
            }
            var unbound = try phone.upload(try await phone.challenge(.assert, client), Self.photo)
            unbound.signals = Self.document()
            outcomes.append(try await client.patiently(unbound).outcome)
            unbound.challenge[20] ^= 1
            outcomes.append(try await client.patiently(unbound).outcome)
            return outcomes
        }

        /// An upload with each refusal of it. The reasons in order.
        private func upload(_ home: TestHome, _ client: AssayClient) async throws -> [String] {
            let hash = ClientData.payloadHash(Self.photo)
            let begun = try await client.beginUpload(of: home.app, size: 150_000, chunkSize: 65_536, payloadSHA256: hash)
            let id = try #require(UploadID(bytes: Array(begun.uploadID)))
            func chunk(_ index: Int, _ hash: [UInt8], _ size: Int64 = 65_536) -> UploadChunk {
                UploadChunk(index: index, size: size, sha256: hash)
            }
            var reasons: [String] = []
            func refused(_ call: () async throws(AssayError) -> Void) async {
                do {
                    try await call()
                    reasons.append("")
                } catch { reasons.append(error.reason) }
            }
            _ = try await client.putChunks([chunk(0, Self.chunks[0])], of: id, in: home.app)
            await refused { () throws(AssayError) in
                _ = try await client.putChunks([chunk(0, Self.chunks[1])], of: id, in: home.app)
            }
            await refused { () throws(AssayError) in
                _ = try await client.putChunks([chunk(1, Self.chunks[1], 9)], of: id, in: home.app)
            }
            await refused { () throws(AssayError) in
                _ = try await client.putChunks([chunk(7, Self.chunks[1])], of: id, in: home.app)
            }
            await refused { () throws(AssayError) in
                _ = try await client.finalizeUpload(id, in: home.app, UploadStatement(count: 3, payloadSHA256: hash))
            }
            _ = try await client.putChunks([chunk(1, Self.chunks[1]), chunk(2, Self.chunks[2], 18_928)], of: id, in: home.app)
            await refused { () throws(AssayError) in
                _ = try await client.finalizeUpload(
                    id, in: home.app, UploadStatement(count: 3, payloadSHA256: Self.chunks[0]))
            }
            _ = try await client.finalizeUpload(id, in: home.app, UploadStatement(count: 3, payloadSHA256: hash))
            return reasons
        }

        @Test(
            "Log, verdict records, metrics, audit and traces have nothing of a capture: no place, serial, device name, medium, map, chunk or payload",
            .enabled(if: Curl.isInstalled))
        func nothing() async throws {
            let server = try await TestHTTPSServer.plain { _ in TestHTTPSAnswer(200) }
            let home = try home(server)
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            var phone = home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let outcomes = try await sendDocuments(&phone, client)
            let violated = "metadata_flags_violated"
            #expect(
                outcomes
                    == [
                        "accepted", violated, violated, violated, "accepted", "accepted", "accepted", "accepted",
                        "challenge_invalid",
                    ])
            #expect(
                try await upload(home, client)
                    == [
                        "tamper_detected", "chunk_size_mismatch", "chunk_out_of_range", "upload_incomplete",
                        "upload_hash_mismatch",
                    ])
            let metrics = try await Curl.get("http://127.0.0.1:\(try await daemon.operationsPort())/metrics").body
            var audit: [UInt8] = []
            for row in try await client.audit().rows {
                audit += row.record
                let claims = try await client.auditClaims(of: row.number, app: home.app)?.claims
                audit += Array("\(String(describing: claims))".utf8)
            }
            #expect(try await client.verdicts().records.count == outcomes.count + 1)
            await client.close()
            #expect(await daemon.stop().status == 0)
            var records: [UInt8] = []
            for name in try FileManager.default.contentsOfDirectory(atPath: home.folder.path)
            where name.hasPrefix("verdicts.db") {
                records += Array(try Data(contentsOf: URL(fileURLWithPath: home.folder.file(name))))
            }
            let traces = server.requests.flatMap { Array($0.body) }
            try await server.stop()

            let surfaces: [(name: String, bytes: [UInt8], has: String)] = [
                ("the log", Array((daemon.child.err + daemon.child.out).utf8), violated), ("the records", records, violated),
                ("the metrics", Array(metrics.utf8), violated), ("the audit", audit, "confidence_level"),
                ("the traces", traces, "assay.v1.Uploads"),
            ]
            for surface in surfaces {
                let data = Data(surface.bytes)
                #expect(data.range(of: Data(surface.has.utf8)) != nil, "\(surface.name) says what happened: \(surface.has)")
                for mark in Self.marks {
                    #expect(data.range(of: Data(mark)) == nil, "\(surface.name): \(String(decoding: mark, as: UTF8.self))")
                }
            }
        }
    }
}
