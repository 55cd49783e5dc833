import AssayCore
import Testing

@Suite("Document of signals")
struct SignalDocumentTests {
    static let digest = String(repeating: "ab", count: 32)

    private func document(
        version: String = "1", media: String = "[{\"sha256\":\"\(digest)\"}]", signals: String = "{}", more: String = ""
    ) -> [UInt8] {
        Array(#"{"version":\#(version),"media":\#(media),"signals":\#(signals)\#(more)}"#.utf8)
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

    @Test("Media and signals are read in their order, and members of the app's own are ignored")
    func whole() throws {
        let other = String(repeating: "CD", count: 32)
        let read = try SignalDocument(
            parsing: document(
                media: #"[{"sha256":"\#(Self.digest)","type":"image/heic"},{"sha256":"\#(other)"}]"#,
                signals: #"{"lidar":{"score":0.95,"model":"v2"},"metadata":{"outcome":"pass"},"#
                    + #""x_1":{"outcome":"unavailable"}}"#,
                more: #","taken_at":"2026-01-01""#))
        #expect(read.media == [[UInt8](repeating: 0xAB, count: 32), [UInt8](repeating: 0xCD, count: 32)])
        #expect(
            read.signals == [
                Signal(name: "lidar", value: .score(try #require(Score(millionths: 950_000)))),
                Signal(name: "metadata", value: .outcome(.pass)), Signal(name: "x_1", value: .outcome(.unavailable)),
            ])
    }

    @Test("A signal has a name of its form, and either a score from 0 to 1 or an outcome")
    func signals() {
        let wrong = [
            #"{"Lidar":{"score":1}}"#, #"{"":{"score":1}}"#, #"{"a b":{"score":1}}"#, #"{"é":{"score":1}}"#,
            #"{"\#(String(repeating: "a", count: 33))":{"score":1}}"#, #"{"lidar":{}}"#, #"{"lidar":0.9}"#, #"{"lidar":null}"#,
            #"{"lidar":{"score":1.1}}"#, #"{"lidar":{"score":-0.1}}"#, #"{"lidar":{"score":"0.9"}}"#,
            #"{"lidar":{"score":null}}"#,
            #"{"lidar":{"outcome":"PASS"}}"#, #"{"lidar":{"outcome":"maybe"}}"#, #"{"lidar":{"outcome":true}}"#,
            #"{"lidar":{"score":1,"outcome":"pass"}}"#, "[]", "null", #""lidar""#,
        ]
        for signals in wrong { #expect(refusal(document(signals: signals)) != nil, "\(signals)") }
        let many = (0..<33).map { #""s\#($0)":{"score":1}"# }
        #expect(refusal(document(signals: "{\(many.joined(separator: ","))}")) != nil)
        #expect(refusal(document(signals: "{\(many.dropLast().joined(separator: ","))}")) == nil)
    }

    @Test("A document names 1 to 16 different digests of media")
    func media() {
        let wrong = [
            "[]", "{}", "null", #"[{"sha256":"ab"}]"#, #"["\#(Self.digest)"]"#, #"[{"sha256":"\#(Self.digest)0"}]"#,
            #"[{"sha256":"\#(String(repeating: "xy", count: 32))"}]"#, #"[{"md5":"\#(Self.digest)"}]"#,
            #"[{"sha256":"\#(Self.digest)"},{"sha256":"\#(Self.digest.uppercased())"}]"#,
        ]
        for media in wrong { #expect(refusal(document(media: media)) != nil, "\(media)") }
        let many = (10..<27).map { #"{"sha256":"\#(String(repeating: "\($0)", count: 32))"}"# }
        #expect(refusal(document(media: "[\(many.joined(separator: ","))]")) != nil)
        #expect(refusal(document(media: "[\(many.dropLast().joined(separator: ","))]")) == nil)
    }

    @Test("Duplicate names, another version, other JSON and documents above the limit are refused")
    func strict() {
        #expect(refusal(document(signals: #"{"lidar":{"score":1},"lidar":{"score":0}}"#)) != nil)
        #expect(refusal(document(signals: #"{"lidar":{"score":1,"score":0}}"#)) != nil)
        #expect(refusal(document(more: #","version":1"#)) != nil)
        for version in ["3", "0", "null", "1.0", "true"] { #expect(refusal(document(version: version)) != nil, "\(version)") }
        for other in ["", "{}", "[]", "1", "{", "nul"] { #expect(refusal(Array(other.utf8)) != nil) }
        #expect(refusal(document() + [0x20]) == nil, "white space after the value is JSON")
        #expect(refusal(document() + [0x7D]) != nil)
        let limit = SignalDocument.sizeLimit
        #expect(refusal(document() + [UInt8](repeating: 0x20, count: limit - document().count)) == nil)
        #expect(refusal(document() + [UInt8](repeating: 0x20, count: limit + 1 - document().count)) != nil)
    }

    @Test("A refusal repeats nothing of the document")
    func silent() throws {
        let secret = "confidential"
        for document in [
            document(signals: #"{"\#(secret) ":{"score":1}}"#), document(signals: #"{"lidar":{"outcome":"\#(secret)"}}"#),
            document(media: #"[{"sha256":"\#(secret)"}]"#), document(version: #""\#(secret)""#), Array(secret.utf8),
        ] {
            #expect(try !#require(refusal(document)).contains(secret))
        }
    }
}
