import AssayCore
import Testing

@Suite("Document of a capture, version 2")
struct CaptureDocumentTests {
    private static let depth =
        #"{"variance":1.3218,"layers":3,"edge_coherence":0.3765,"min":0.8,"max":4,"is_likely_real_scene":true,"algorithm_version":"1"}"#

    private func document(_ members: String..., version: Int = 2) -> [UInt8] {
        let media = #"[{"sha256":"\#(SignalDocumentTests.digest)"}]"#
        let all = [#""version":\#(version)"#, #""media":\#(media)"#] + members
        return Array("{\(all.joined(separator: ","))}".utf8)
    }

    private func refusal(_ document: [UInt8]) -> String? {
        do throws(Rejection) {
            _ = try SignalDocument(parsing: document)
            return nil
        } catch {
            #expect(error.code == ReasonCode.malformed)
            return error.detail
        }
    }

    @Test("Every member is read")
    func whole() throws {
        let read = try SignalDocument(
            parsing: document(
                #""signals":{"lidar":{"score":0.95}}"#,
                #""depth":\#(Self.depth.dropLast()),"map_sha256":"\#(SignalDocumentTests.digest)"}"#,
                #""metadata":{"captured_at":"2026-04-21T20:13:13.5+02:00","late":true,"model":"iPhone 15 Pro","width":4032,"height":3024,"#
                    + #""location":{"latitude":-48.1371079,"longitude":180},"device":{"serial":"F2LXK0ABCD","build":"22A3354"}}"#,
                #""flags":{"location":"precise","timestamp":"exact","device":"full"}"#, #""mode":"hash_only""#,
                #""final_score":0.9408"#))
        #expect(read.version == 2 && read.signals.map(\.name) == ["lidar"])
        let statements = read.statements
        let depth = try #require(statements.depth)
        #expect(depth.variance.description == "1.3218" && depth.layers == 3 && depth.edgeCoherence.description == "0.3765")
        #expect(depth.min.description == "0.8" && depth.max.description == "4" && depth.isLikelyRealScene)
        #expect(depth.algorithmVersion == "1" && depth.mapDigest == [UInt8](repeating: 0xAB, count: 32))
        let metadata = try #require(statements.metadata)
        #expect(metadata.capturedAt == .instant(try #require(Timestamp(rfc3339: "2026-04-21T18:13:13.5Z"))) && metadata.isLate)
        #expect(metadata.model == "iPhone 15 Pro" && metadata.width == 4032 && metadata.height == 3024)
        #expect(metadata.location == .init(latitude: -48_137_107_900, longitude: 180_000_000_000))
        #expect(metadata.serial == "F2LXK0ABCD" && metadata.build == "22A3354")
        #expect(statements.flags == CaptureFlags(location: .precise, time: .exact, device: .full))
        #expect(statements.mode == .hashOnly && statements.finalScore?.description == "0.9408")
    }

    @Test("Every member but the media may be missing")
    func least() throws {
        let read = try SignalDocument(parsing: document())
        #expect(read.signals.isEmpty && read.statements == CaptureStatements())
        #expect(refusal(Array(#"{"version":2,"signals":{}}"#.utf8)) != nil, "media are needed")
        #expect(refusal(document(#""depth":null"#, #""metadata":{}"#, #""flags":{}"#)) == nil)
    }

    @Test("In version 1 these members are the app's own, and mean nothing")
    func version1() throws {
        let read = try SignalDocument(
            parsing: document(
                #""signals":{"moire":{"score":1,"screen_detected":7}}"#, #""depth":7"#, #""metadata":[]"#, #""flags":"x""#,
                #""mode":1"#,
                #""final_score":9"#, version: 1))
        #expect(read.version == 1 && read.statements == CaptureStatements())
        #expect(refusal(document(version: 1)) != nil, "version 1 needs signals")
    }

    @Test(
        "A member of another type or out of its range is refused, naming it",
        arguments: [
            (#""depth":7"#, "depth"), (#""depth":{}"#, "variance"), (#""mode":"half""#, "mode"),
            (#""final_score":1.1"#, "final_score"),
            (#""metadata":[]"#, "metadata"), (#""metadata":{"captured_at":"yesterday"}"#, "captured_at"),
            (#""metadata":{"captured_at":"2026-02-30"}"#, "captured_at"),
            (#""metadata":{"captured_at":"2026-04-21T18:13:13+25:00"}"#, "captured_at"),
            (#""metadata":{"captured_at":"2026-04-21T18:13:13"}"#, "captured_at"),
            (#""metadata":{"late":"yes"}"#, "late"), (#""metadata":{"model":""}"#, "model"),
            (#""metadata":{"model":"\#(String(repeating: "a", count: 65))"}"#, "model"), (#""metadata":{"width":0}"#, "width"),
            (#""metadata":{"height":1000001}"#, "height"), (#""metadata":{"location":{"latitude":1}}"#, "longitude"),
            (#""metadata":{"location":{"latitude":90.1,"longitude":0}}"#, "latitude"),
            (#""metadata":{"location":{"latitude":0,"longitude":"0"}}"#, "longitude"), (#""metadata":{"device":7}"#, "device"),
            (#""flags":{"location":"near"}"#, "flags.location"), (#""flags":{"timestamp":"day"}"#, "flags.timestamp"),
            (#""flags":{"device":"all"}"#, "flags.device"),
            (#""signals":{"moire":{"score":1,"screen_detected":"no"}}"#, "screen_detected"),
            (#""signals":{"texture":{"score":1,"material_confidence":"1"}}"#, "material_confidence"),
        ] as [(String, String)])
    func wrong(_ member: String, _ named: String) throws {
        let detail = try #require(refusal(document(member)), "\(member)")
        #expect(detail.contains(named), "\(detail)")
    }

    @Test(
        "Depth numbers out of their range are refused",
        arguments: [
            (#""variance":1.3218"#, #""variance":-1"#), (#""layers":3"#, #""layers":-1"#), (#""layers":3"#, #""layers":1001"#),
            (#""edge_coherence":0.3765"#, #""edge_coherence":1.01"#), (#""max":4"#, #""max":0.7"#),
            (#""min":0.8"#, #""min":"0.8""#),
            (#""is_likely_real_scene":true"#, #""is_likely_real_scene":1"#),
            (#""algorithm_version":"1""#, #""algorithm_version":1"#),
            (#""algorithm_version":"1""#, #""algorithm_version":"1","map_sha256":"ab""#),
        ] as [(String, String)])
    func depth(_ known: String, _ wrong: String) {
        #expect(refusal(document(#""depth":\#(Self.depth)"#)) == nil)
        #expect(refusal(document(#""depth":\#(Self.depth.replacing(known, with: wrong))"#)) != nil, "\(wrong)")
    }

    @Test("An upload of hashes alone has at most 10240 bytes; others have no such limit")
    func hashOnly() throws {
        let hashes = try SignalDocument(parsing: document(#""mode":"hash_only""#))
        try hashes.checkSize(ofUpload: 10_240)
        #expect(throws: Rejection(ReasonCode.malformed, "")) { try hashes.checkSize(ofUpload: 10_241) }
        try SignalDocument(parsing: document(#""mode":"full""#)).checkSize(ofUpload: 100_000)
        try SignalDocument(parsing: document()).checkSize(ofUpload: 100_000)
    }

    @Test("Measured numbers are read in millionths, rounded half up, and written without zeros at their end")
    func measures() {
        func read(_ text: String) -> String? { Measure(decimal: Array(text.utf8))?.description }
        for (text, expected) in [
            ("0", "0"), ("-0", "0"), ("1.3218", "1.3218"), ("20", "20"), ("2.50", "2.5"), ("1e6", "1000000"),
            ("0.0000005", "0.000001"),
            ("0.00000049", "0"), ("12.3456785", "12.345679"), ("9.9999999", "10"),
        ] {
            #expect(read(text) == expected, "\(text)")
        }
        for text in ["1000000.0000001", "1e7", "-0.1", "", "1.", ".5", "01", "NaN", "1e99999"] {
            #expect(read(text) == nil, "\(text)")
        }
    }
}
