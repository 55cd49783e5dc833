import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayAPI

/// What is read and what is refused, text by text.
@Suite("Strict JSON of a message")
struct StrictJSONTests {
    private let schema = APISchema.current

    private func read(_ text: String, as name: String = "VerifyRequest") throws -> [UInt8] {
        let message = try #require(schema[message: "assay.v1.\(name)"])
        return try JSONMessageReader.read(Array(text.utf8)[...], as: message, of: schema)
    }

    private func error(_ text: String, as name: String = "VerifyRequest") throws -> JSONMessageError? {
        let message = try #require(schema[message: "assay.v1.\(name)"])
        do throws(JSONMessageError) {
            _ = try JSONMessageReader.read(Array(text.utf8)[...], as: message, of: schema)
            return nil
        } catch {
            return error
        }
    }

    private func written(_ message: some SwiftProtobuf.Message) throws -> String {
        let schema = try #require(schema[message: type(of: message).protoMessageName])
        let bytes: [UInt8] = try message.serializedBytes()
        return String(decoding: try JSONMessageWriter.write(bytes, as: schema, of: self.schema), as: UTF8.self)
    }

    private func written(_ bytes: [UInt8], as name: String) throws -> String {
        let schema = try #require(schema[message: "assay.v1.\(name)"])
        return String(decoding: try JSONMessageWriter.write(bytes, as: schema, of: self.schema), as: UTF8.self)
    }

    // MARK: Read

    @Test("a member has one of two names, in any order, with any space")
    func names() throws {
        let request = Assay_V1_VerifyRequest.with {
            ($0.app, $0.purpose, $0.idempotencyKey) = ("photos", .assert, .init([1, 2, 3]))
        }
        for text in [
            #"{"app":"photos","purpose":"PURPOSE_ASSERT","idempotencyKey":"AQID"}"#,
            #"{"app":"photos","purpose":"ASSERT","idempotencyKey":"AQID"}"#,
            #" { "idempotency_key" : "AQID" , "purpose" : 2 , "app" : "ph\u006ftos" } "#,
            #"{"app":"photos","purpose":"PURPOSE_ASSERT","idempotencyKey":"AQID","subject":null,"evidence":null,"binding":null}"#,
        ] { #expect(try Assay_V1_VerifyRequest(serializedBytes: read(text)) == request) }
        #expect(try read("{}") == [] && read(#"{"app":"","purpose":0,"evidence":[],"challenge":""}"#) == [])
    }

    @Test("bytes are Base64 of either alphabet, padded or not")
    func bytes() throws {
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            #expect(try read(#"{"context":"\#(text)"}"#) == [0x22, 2, 0xFB, 0xFF])
        }
        #expect(try read(#"{"context":"\/\/8="}"#) == [0x22, 2, 0xFF, 0xFF], "some writers escape the slash")
        for text in ["+_8=", "+/8==", "+/9", "+/", "AQ ID", "AQID\\n", "=", "A", "AQI=AQI=", "é"] {
            #expect(try error(#"{"context":"\#(text)"}"#) == JSONMessageError("must be Base64", at: "context"), "\(text)")
        }
    }

    @Test("an integer has one spelling, which may be a text")
    func integers() throws {
        for text in ["9223372036854775807", #""9223372036854775807""#, "-1", #""0""#, "-9223372036854775808"] {
            #expect(try error(#"{"asOfUnixMs":\#(text)}"#, as: "LoadFeedRequest") == nil, "\(text)")
        }
        #expect(
            try read(#"{"asOfUnixMs":"-1"}"#, as: "LoadFeedRequest").suffix(10) == [UInt8](repeating: 0xFF, count: 9)[...] + [1]
        )
        for text in [
            "1.0", "1e3", "-0", #""+7""#, #""007""#, #"" 7""#, #""""#, #""-""#, "9223372036854775808", "-9223372036854775809",
            "100000000000000000000000", "true", "[]", "{}", #""1.0""#, #""0x1""#,
        ] { #expect(try error(#"{"asOfUnixMs":\#(text)}"#, as: "LoadFeedRequest")?.place == "asOfUnixMs", "\(text)") }
        #expect(try error(#"{"ttlMs":4294967295}"#, as: "IssueChallengeRequest") == nil)
        #expect(
            try read(#"{"ttlMs":"4294967295"}"#, as: "IssueChallengeRequest")
                == read(#"{"ttlMs":4294967295}"#, as: "IssueChallengeRequest"))
        for text in ["4294967296", "-1", #""01""#, #""4294967296""#] {
            #expect(try error(#"{"ttlMs":\#(text)}"#, as: "IssueChallengeRequest")?.place == "ttlMs", "\(text)")
        }
    }

    @Test("a member that is not known, or stands twice under any names, is refused")
    func members() throws {
        let unknown = try error(#"{"app":"photos","SECRET":"SECRET"}"#)
        #expect(unknown == JSONMessageError("has a member that is not known, after 16 bytes of the text"))
        for (meant, name) in [
            ("challenge", "chalenge"), ("idempotencyKey", "IdempotencyKey"), ("expectedDeviceId", "expected_deviceid"),
        ] {
            let hint = "has a member that is not known, after 1 bytes of the text; did you mean \"\(meant)\"?"
            #expect(try error(#"{"\#(name)":""}"#) == JSONMessageError(hint))
        }
        for text in [
            #"{"app":"a","app":"a"}"#, #"{"app":null,"app":"a"}"#, #"{"\u0061pp":"a","app":"a"}"#,
        ] { #expect(try error(text) == JSONMessageError("is given twice", at: "app"), "\(text)") }
        #expect(try error(#"{"idempotencyKey":"","idempotency_key":""}"#)?.place == "idempotencyKey")
        #expect(try error(#"{"evidence":[],"evidence":[]}"#)?.place == "evidence")
        #expect(try error(#"{"binding":{"inEvidence":{}},"binding":{}}"#)?.place == "binding")
        #expect(try error(#"{"IdempotencyKey":""}"#) != nil && error(#"{"":""}"#) != nil && error(#"{"app\u0000":""}"#) != nil)
    }

    @Test("of a choice there is one member, and null beside it is another")
    func choices() throws {
        for text in [
            #"{"binding":{"inEvidence":{},"embedded":{}}}"#, #"{"binding":{"embedded":null,"inEvidence":{}}}"#,
            #"{"binding":{"inEvidence":{},"callerOwned":null}}"#,
        ] { #expect(try error(text)?.problem == "is given beside another choice of mode", "\(text)") }
        // A default value of a choice says which one it is, and a message without members that it is there.
        #expect(try read(#"{"name":"a","boolean":false}"#, as: "Claim") == [0x0A, 1, 0x61, 0x20, 0])
        #expect(try read(#"{"name":"a","text":""}"#, as: "Claim") == [0x0A, 1, 0x61, 0x12, 0])
        #expect(try read(#"{"name":"a","text":null}"#, as: "Claim") == [0x0A, 1, 0x61])
        #expect(try read(#"{"binding":{}}"#) == [0x32, 0])
    }

    @Test("a value of another type, and a name that an enumeration does not have, is refused")
    func types() throws {
        let bad = [
            #"{"app":1}"#, #"{"app":["a"]}"#, #"{"app":true}"#, #"{"purpose":"assert"}"#, #"{"purpose":"purpose_assert"}"#,
            #"{"purpose":"_ASSERT"}"#,
            #"{"purpose":2147483648}"#, #"{"purpose":2.0}"#, #"{"purpose":true}"#, #"{"evidence":{}}"#, #"{"evidence":[null]}"#,
            #"{"purpose":""}"#, #"{"purpose":"2"}"#, #"{"evidence":[[]]}"#, #"{"binding":[]}"#, #"{"binding":"x"}"#,
            #"{"challenge":7}"#, #"{"challenge":[1,2]}"#,
        ]
        for text in bad { #expect(try error(text)?.place.isEmpty == false, "\(text)") }
        for text in ["1", #""true""#, "null1", "truex"] {
            #expect(try error(#"{"resumed":\#(text)}"#, as: "WatchStart") != nil, "\(text)")
        }
    }

    @Test("a number that an enumeration does not have is read, as protobuf reads it")
    func unknownNumbers() throws {
        for number: Int32 in [99, -1, .max, .min] {
            let request = Assay_V1_VerifyRequest.with { $0.purpose = .UNRECOGNIZED(Int(number)) }
            let theirs: [UInt8] = try request.serializedBytes()
            #expect(try read(#"{"purpose":\#(number)}"#) == theirs)
        }
    }

    @Test("what is no JSON is refused, and so is anything that is no object")
    func json() throws {
        for text in [
            "", " ", "null", "[]", "7", #""{}""#, "{", "{}{}", "{} x", "{,}", #"{"app":"a",}"#, #"{"app" "a"}"#, #"{app:"a"}"#,
            "\u{FEFF}{}", "/**/{}", #"{"app":"\ud800"}"#, "{\"app\":\"\n\"}", #"{"app":"\x"}"#, #"{'app':'a'}"#,
        ] { #expect(try error(text) != nil, "\(text)") }
        let message = try #require(schema[message: "assay.v1.VerifyRequest"])
        for odd in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            let text = Array(#"{"app":""#.utf8) + odd + Array(#""}"#.utf8)
            #expect(throws: JSONMessageError.self) { try JSONMessageReader.read(text[...], as: message, of: schema) }
        }
    }

    @Test("a text is read wherever it lies in a longer array")
    func slices() throws {
        let message = try #require(schema[message: "assay.v1.VerifyRequest"])
        let whole = Array(#"....{"app":"a","x":1}...."#.utf8)
        #expect(throws: JSONMessageError("has a member that is not known, after 11 bytes of the text")) {
            try JSONMessageReader.read(whole[4..<21], as: message, of: schema)
        }
        let good = Array(#"....{"app":"a"}...."#.utf8)
        #expect(try JSONMessageReader.read(good[4..<15], as: message, of: schema) == [0x0A, 1, 0x61])
    }

    @Test("doubles are numbers, or the texts for what JSON has no number for; the names of a map are different")
    func maps() throws {
        let plugin = try Assay_V1_Plugin(
            serializedBytes: read(#"{"metrics":{"a":1,"":-1.5e3,"é":"NaN","i":"-Infinity"}}"#, as: "Plugin"))
        #expect(plugin.metrics.count == 4 && plugin.metrics["a"] == 1 && plugin.metrics[""] == -1500)
        #expect(plugin.metrics["é"]?.isNaN == true && plugin.metrics["i"] == -.infinity)
        for text in [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#] {
            #expect(try error(#"{"metrics":\#(text)}"#, as: "Plugin") == JSONMessageError("has a name twice", at: "metrics"))
        }
        for text in ["1e999", #""1""#, "null", "true", #""nan""#] {
            #expect(try error(#"{"metrics":{"SECRET":\#(text)}}"#, as: "Plugin")?.place == "metrics[0]", "\(text)")
        }
    }

    // MARK: Bounds

    @Test("the lists of a message have 10,000 elements together, and the message is no longer than its text")
    func elements() throws {
        func text(_ lists: [Int]) -> String {
            let names = ["kinds", "apps", "callers", "codes"]
            let members = zip(names, lists).map { #""\#($0)":[\#(repeatElement(#""""#, count: $1).joined(separator: ","))]"# }
            return "{\(members.joined(separator: ","))}"
        }
        let most = text([4000, 5000, 999, 1])
        #expect(try read(most, as: "WatchRequest").count <= most.utf8.count)
        let problem = "has more elements than the 10000 that all lists of a message may have"
        #expect(try error(text([4000, 5000, 1000, 1]), as: "WatchRequest") == JSONMessageError(problem, at: "codes"))
        let empty = #"{"evidence":[\#(repeatElement("{}", count: 300_000).joined(separator: ","))]}"#
        #expect(try error(empty) == JSONMessageError(problem, at: "evidence"))
    }

    @Test("a text of numbers gives at most four bytes for each of its characters")
    func growth() throws {
        for (name, number) in [("bounds", "-1"), ("bounds", "1"), ("counts", "1")] {
            let text = #"{"\#(name)":[\#(repeatElement(number, count: 9999).joined(separator: ","))]}"#
            #expect(try read(text, as: "MetricsResponse.Histogram").count <= 4 * text.utf8.count)
        }
    }

    @Test("100,000 brackets are refused, not followed", arguments: ["[", "{", #"{"binding":"#, #"{"evidence":["#, #"{"x":"#])
    func depth(_ bracket: String) throws {
        #expect(try error(String(repeating: bracket, count: 100_000)) != nil)
        #expect(try error(#"{"app":"# + String(repeating: bracket, count: 100_000)) != nil)
    }

    // MARK: Errors

    @Test("an error names the member by its path, and holds no part of the text")
    func places() throws {
        let cases = [
            (#"{"app":["SECRET"]}"#, "app must be a text"),
            (
                #"{"evidence":[{},{"appAttestAssertion":{"key_id":"SECRET!"}}]}"#,
                "evidence[1].appAttestAssertion.keyId must be Base64"
            ),
            (
                #"{"evidence":[{"playIntegrityToken":{"SECRET":1}}]}"#,
                "evidence[0].playIntegrityToken has a member that is not known, after 36 bytes of the text"
            ),
            (
                #"{"evidence":[{"androidKeyAttestation":{"certificates":["AA==","SECRET!"]}}]}"#,
                "evidence[0].androidKeyAttestation.certificates[1] must be Base64"
            ),
            (
                #"{"purpose":"SECRET"}"#,
                "purpose must be one of the values of assay.v1.Purpose: REGISTER, ASSERT, PROVISION, RENEW"
            ),
            (#"{"app":"SECRET"#, "app is not strict JSON: a string does not end, after 14 bytes of the text"),
            (#"{"app":"SECRET"} SECRET"#, "the message is not strict JSON: bytes after the end, after 17 bytes of the text"),
            (#"["SECRET"]"#, "the message must be an object"),
        ]
        for (text, expected) in cases { #expect(try error(text)?.description == expected, "\(text)") }
    }

    // MARK: Written

    @Test("an answer is written with the names, the texts for long numbers, and without what has its default value")
    func form() throws {
        #expect(
            try written(
                Assay_V1_IssueChallengeResponse.with {
                    ($0.challenge, $0.expiresAtUnixMs) = (.init([1, 2]), 1_700_000_000_000)
                })
                == #"{"challenge":"AQI=","expiresAtUnixMs":"1700000000000"}"#)
        #expect(try written(Assay_V1_IssueChallengeResponse()) == "{}")
        let claims = [
            Assay_V1_Claim.with { ($0.name, $0.boolean) = ("a\"\n", false) }, .with { ($0.name, $0.integer) = ("b", 0) },
            .with { $0.texts = .with { $0.values = ["", "x"] } }, Assay_V1_Claim(),
        ]
        #expect(
            try written(Assay_V1_Verdict.with { ($0.claims, $0.decision) = (claims, .UNRECOGNIZED(77)) })
                == #"{"decision":77,"claims":[{"name":"a\"\u000a","boolean":false},{"name":"b","integer":"0"},"#
                + #"{"texts":{"values":["","x"]}},{}]}"#)
    }

    @Test("the members of a map are in the order of their names")
    func order() throws {
        let plugin = Assay_V1_Plugin.with { $0.metrics = ["b": 1, "a": .infinity, "": -0.0, "é": 1e21] }
        #expect(try written(plugin) == #"{"metrics":{"":-0.0,"a":"Infinity","b":1.0,"é":1e+21}}"#)
    }

    @Test(
        "an answer in which a field stands twice, has another type or is no UTF-8 is refused; a field that is not known is left out"
    )
    func answers() throws {
        #expect(try written([0x0A, 1, 7, 0x9A, 0x06, 1, 1], as: "IssueChallengeResponse") == #"{"challenge":"Bw=="}"#)
        #expect(
            try written([0x10, 1, 0x0A, 1, 7], as: "IssueChallengeResponse") == #"{"challenge":"Bw==","expiresAtUnixMs":"1"}"#)
        let bad: [(String, [UInt8])] = [
            ("IssueChallengeResponse", [0x0A, 1, 7, 0x0A, 1, 7]), ("IssueChallengeResponse", [0x08, 1]),
            ("IssueChallengeResponse", [0x12, 1, 7]), ("IssueChallengeResponse", [0x0A, 5, 7]), ("Claim", [0x0A, 1, 0xFF]),
            ("Claim", [0x18, 1, 0x20, 1]), ("Plugin", [0xAA, 0x01, 3, 0x0A, 1, 0x61, 0xAA, 0x01, 3, 0x0A, 1, 0x61]),
            ("Plugin", [0xAA, 0x01, 2, 0x10, 1]),
        ]
        for (name, bytes) in bad { #expect(throws: JSONMessageError.self, "\(name) \(bytes)") { try written(bytes, as: name) } }
    }
}
