import AssayCore
import AssayRPC
import Foundation
import Testing

@testable import AssayHTTP

@Suite("Errors of Connect")
struct ConnectErrorTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("an error is an object of code, message and details, whose values are Base64 without padding")
    func object() {
        let error = RPCError(.resourceExhausted, "full", reason: "overloaded", retryAfterMilliseconds: 250)
        #expect(
            Self.text(error.connectJSON)
                == #"{"code":"resource_exhausted","message":"full","details":["#
                + #"{"type":"google.rpc.ErrorInfo","value":"CgpvdmVybG9hZGVkEgVhc3NheRoOCgVyZXRyeRIFbGF0ZXI"},"#
                + #"{"type":"google.rpc.RetryInfo","value":"CgUQgOWadw"}]}"#)
        // The example of Connect's specification, a delay of 60 seconds.
        #expect(
            Self.text(RPCError(.unavailable, "overloaded: back off and retry", retryAfterMilliseconds: 60_000).connectJSON)
                == #"{"code":"unavailable","message":"overloaded: back off and retry","details":["#
                + #"{"type":"google.rpc.RetryInfo","value":"CgIIPA"}]}"#)
    }

    @Test("an error without details has no list of them")
    func noDetails() {
        #expect(Self.text(RPCError(.notFound, "gone").connectJSON) == #"{"code":"not_found","message":"gone"}"#)
        #expect(Self.text(RPCError(.unknown, "").connectJSON) == #"{"code":"unknown","message":""}"#)
    }

    @Test("a message with any characters is read back as it was")
    func escapes() throws {
        let scalars = (0...0xFFF).compactMap(Unicode.Scalar.init) + ["\u{2028}", "\u{FFFF}", "🎉", "\u{10FFFF}"]
        let message = String(String.UnicodeScalarView(scalars)) + #""},{"code":"ok""#
        let json = RPCError(.internalError, message, reason: #"odd"\"#).connectJSON
        let read = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        let object = try #require(read)
        #expect(Set(object.keys) == ["code", "message", "details"])
        #expect(object["code"] as? String == "internal")
        #expect((object["message"] as? String).map { Array($0.utf8) } == Array(message.utf8))
        // The daemon's own reader takes it too.
        let value = try JSONReader.parse(json[...], code: .malformedToken)
        #expect(value.text == json)
    }

    @Test("the end of a stream is an object, empty or with the error")
    func endOfStream() {
        #expect(Self.text(RPCError.connectEndOfStream(nil)) == "{}")
        let error = RPCError(.cancelled, "no")
        #expect(Self.text(RPCError.connectEndOfStream(error)) == #"{"error":{"code":"canceled","message":"no"}}"#)
    }
}
