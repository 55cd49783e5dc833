import AssayCore
import AssayProtobuf
import AssayRPC
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP

@Suite("Errors in trailers")
struct GRPCErrorTests {
    @Test(
        "a message is percent-encoded as UTF-8",
        arguments: [
            ("", ""),
            ("plain text, with punctuation: ~!@#$^&*()[]{}\"'\\/|", "plain text, with punctuation: ~!@#$^&*()[]{}\"'\\/|"),
            ("100%", "100%25"), ("a%20b", "a%2520b"), ("a\r\nb\tc\0", "a%0D%0Ab%09c%00"), ("\u{7F}", "%7F"),
            ("ü – 🎉", "%C3%BC %E2%80%93 %F0%9F%8E%89"), (" a b ", "%20a b%20"), ("   ", "%20%20%20"), (" ", "%20"),
        ])
    func percentEncoding(_ message: String, _ encoded: String) {
        #expect(RPCError(.internalError, message).percentEncodedMessage == encoded)
    }

    @Test("a percent-encoded message can stand in a header, and decoding it gives the message")
    func roundTrip() {
        let message = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
        for start in message.unicodeScalars.indices where message.unicodeScalars[start].value.isMultiple(of: 97) {
            let part = String(message.unicodeScalars[start...].prefix(200))
            let encoded = RPCError(.internalError, part).percentEncodedMessage
            #expect(encoded.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(Self.decoded(encoded) == Array(part.utf8))
        }
    }

    @Test("a long message is cut for trailers, between scalars, and is whole in Connect's JSON")
    func longMessages() {
        let limit = RPCError.trailerMessageLimit
        let whole = String(repeating: "x", count: limit)
        #expect(RPCError(.unknown, whole).percentEncodedMessage == whole)
        let cut = String(repeating: "x", count: limit - 3) + "%E2%80%A6"
        #expect(RPCError(.unknown, whole + "x").percentEncodedMessage == cut)
        for scalar in ["é", "€", "🎉", "e\u{301}"] {
            let message = String(repeating: scalar, count: limit)
            let error = RPCError(.unknown, message)
            let shown = Self.decoded(error.percentEncodedMessage)
            #expect(shown.count <= limit && shown.count > limit - 7)
            let text = String(validating: shown, as: UTF8.self)
            #expect(text?.hasSuffix("…") == true)
            #expect(text.map { message.unicodeScalars.starts(with: $0.unicodeScalars.dropLast()) } == true)
            #expect(error.statusDetails.count < limit + 16)
            #expect(String(decoding: error.connectJSON, as: UTF8.self).contains(message))
        }
    }

    @Test("the details are those that another implementation of protobuf writes")
    func vectors() throws {
        let overloaded = RPCError(
            .resourceExhausted, "the daemon has as much in flight as it can hold", reason: "overloaded",
            retryAfterMilliseconds: 250)
        #expect(
            Base64.standard.encode(overloaded.statusDetails)
                == "CAgSL3RoZSBkYWVtb24gaGFzIGFzIG11Y2ggaW4gZmxpZ2h0IGFzIGl0IGNhbiBob2xkGk8KKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xl"
                + "LnJwYy5FcnJvckluZm8SIwoKb3ZlcmxvYWRlZBIFYXNzYXkaDgoFcmV0cnkSBWxhdGVyGjMKKHR5cGUuZ29vZ2xlYXBpcy5jb20vZ29vZ2xl"
                + "LnJwYy5SZXRyeUluZm8SBwoFEIDlmnc=")
        #expect(RPCError(.invalidArgument, "no").encodedStatusDetails == "CAMSAm5v")
    }

    @Test("the time of another try is a duration in seconds and nanoseconds", arguments: [1, 999, 1000, 60_000, UInt32.max])
    func retryDelay(milliseconds: UInt32) throws {
        let error = RPCError(.unavailable, "", retryAfterMilliseconds: milliseconds)
        let details = ErrorDetail.all(of: error)
        #expect(details.map(\.type) == ["google.rpc.RetryInfo"])
        let value = try #require(details.first?.value)
        let delay = try Google_Protobuf_Duration(serializedBytes: try Self.field(1, of: value))
        #expect(delay.seconds == Int64(milliseconds / 1000) && delay.nanos == Int32(milliseconds % 1000) * 1_000_000)
    }

    @Test("an error without a reason and a time has no details")
    func noDetails() throws {
        for error in [RPCError(.notFound, "gone"), RPCError(.notFound, "gone", retryAfterMilliseconds: 0)] {
            #expect(ErrorDetail.all(of: error).isEmpty)
            #expect(error.statusDetails == [8, 5, 18, 4] + Array("gone".utf8))
        }
    }

    @Test("the details are messages of google.rpc in an Any")
    func types() throws {
        let details = try Self.field(3, of: RPCError.messageTooLarge.statusDetails)
        let any = try Google_Protobuf_Any(serializedBytes: details)
        #expect(any.typeURL == "type.googleapis.com/google.rpc.ErrorInfo")
        let info = Array(any.value)
        let (reason, domain) = (try Self.field(1, of: info), try Self.field(2, of: info))
        #expect(reason == Array("message_too_large".utf8) && domain == Array("assay".utf8))
        let metadata = try Self.field(3, of: info)
        let (key, value) = (try Self.field(1, of: metadata), try Self.field(2, of: metadata))
        #expect(key == Array("retry".utf8) && value == Array("never".utf8))
    }

    @Test("the trailers of gRPC-Web are lines with lower-case names, and no empty line")
    func webTrailers() {
        #expect(Self.trailers(nil) == "grpc-status: 0\r\n")
        #expect(
            Self.trailers(RPCError(.invalidArgument, "no"))
                == "grpc-status: 3\r\ngrpc-message: no\r\ngrpc-status-details-bin: CAMSAm5v\r\n")
        #expect(Self.trailers(RPCError(.aborted, "")) == "grpc-status: 10\r\ngrpc-status-details-bin: CAo\r\n")
    }

    @Test("a message cannot add a line to the trailers")
    func injection() {
        let trailers = Self.trailers(RPCError(.internalError, "no\r\ngrpc-status: 0\r\n\r\n", reason: "why"))
        let lines = trailers.components(separatedBy: "\r\n")
        #expect(lines.count == 4 && lines.last == "")
        let statuses = lines.filter { $0.hasPrefix("grpc-status:") }
        #expect(statuses == ["grpc-status: 13"])
    }

    private static func trailers(_ error: RPCError?) -> String {
        String(decoding: RPCError.grpcWebTrailers(error), as: UTF8.self)
    }

    /// The first value of a field of bytes.
    private static func field(_ number: Int, of message: [UInt8]) throws -> [UInt8] {
        let value = try message.withUnsafeBytes { bytes -> [UInt8]? in
            var reader = ProtobufReader<Rules>(bytes)
            while let field = try reader.next() {
                if case .bytes(number, let range) = field { return Array(bytes[range]) }
            }
            return nil
        }
        return try #require(value)
    }

    private static func decoded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%") else {
                bytes.append(first)
                continue
            }
            bytes += UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16).map { [$0] } ?? []
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

private enum Rules: ProtobufRules {
    struct Malformed: Error {}
    static var malformed: Malformed { Malformed() }
    static var dropsHighBits: Bool { false }
}
