import AssayCore
import AssayEncoding
import Testing

@Suite("JOSE")
struct JOSETests {
    private func token(_ parts: String...) -> ArraySlice<UInt8> {
        Array(parts.map { Base64.url.encode(Array($0.utf8)) }.joined(separator: ".").utf8)[...]
    }

    @Test("A signed token is split, with its signed part as received")
    func signed() throws {
        let bytes = token(#"{"alg":"ES256","typ":"JWT"}"#, "payload", "signature")
        // A slice of a longer array: indices are the array's.
        let read = try CompactJWS(parsing: ([0, 0, 0] + bytes)[3...])
        #expect(read.header.algorithm == "ES256" && read.header.encryption == nil)
        #expect(read.payload == Array("payload".utf8) && read.signature == Array("signature".utf8))
        #expect(
            Array(read.signedPart) + Array(".".utf8) + Array(Base64.url.encode(Array("signature".utf8)).utf8) == Array(bytes))
    }

    @Test("An encrypted token is split, with the bytes of its tag as received")
    func encrypted() throws {
        let read = try CompactJWE(parsing: token(#"{"alg":"A256KW","enc":"A256GCM"}"#, "key", "iv", "text", "tag"))
        #expect(read.header.encryption == "A256GCM")
        #expect(read.encryptedKey == Array("key".utf8) && read.initializationVector == Array("iv".utf8))
        #expect(read.ciphertext == Array("text".utf8) && read.authenticationTag == Array("tag".utf8))
        #expect(Array(read.additionalData) == Array(Base64.url.encode(Array(#"{"alg":"A256KW","enc":"A256GCM"}"#.utf8)).utf8))
        #expect(throws: Rejection(.malformedToken, "")) { try read.requireLengthsOfA256() }
    }

    @Test("Empty parts are read, and a token without an algorithm is refused")
    func empty() throws {
        #expect(try CompactJWS(parsing: token(#"{"alg":"none"}"#, "", "")).signature.isEmpty)
        for header in [
            "", "{}", "[]", #"{"alg":1}"#, #"{"alg":null}"#, #"{"alg":"a","enc":1}"#, #"{"alg":"a","alg":"a"}"#,
            #"{"alg":"a","x":1,"x":1}"#, #"{"alg":"a","x":"\ud800"}"#,
        ] {
            #expect(throws: Rejection(.malformedToken, ""), "\(header)") { try CompactJWS(parsing: token(header, "", "")) }
        }
    }

    @Test("Every strict prefix of a token, and everything after it, is refused")
    func cut() throws {
        let bytes = Array(token(#"{"alg":"ES256"}"#, "payload", "sig"))
        for count in 0..<bytes.count {
            // A signature may be cut if the rest is base64url; it is then no longer valid.
            guard let read = try? CompactJWS(parsing: bytes[..<count]) else { continue }
            #expect(read.payload == Array("payload".utf8))
        }
        for more in [".", "=", " ", "\n", ".AA", "+", "/"] {
            #expect(throws: Rejection(.malformedToken, "")) { try CompactJWS(parsing: (bytes + Array(more.utf8))[...]) }
        }
    }

    @Test("Algorithms are compared as bytes, and members that would change the meaning are refused")
    func algorithms() throws {
        func header(_ json: String) throws -> JOSEHeader { try CompactJWS(parsing: token(json, "", "")).header }
        try header(#"{"alg":"ES256","kid":"x","typ":"JWT"}"#).require("ES256")
        try header(#"{"alg":"RS256","x5c":[]}"#).require("RS256", allowing: "x5c")
        for json in [
            // The Kelvin sign, which Unicode equates with K.
            "{\"alg\":\"A256\u{212A}W\",\"enc\":\"A256GCM\"}",
            #"{"alg":"ES384"}"#, #"{"alg":"es256"}"#, #"{"alg":"ES256","enc":"A256GCM"}"#, #"{"alg":"ES256","crit":null}"#,
            #"{"alg":"ES256","b64":true}"#, #"{"alg":"ES256","x5c":[]}"#, #"{"alg":"ES256","x5u":""}"#,
        ] {
            #expect(throws: Rejection(.badAlgorithm, ""), "\(json)") { try header(json).require("ES256") }
        }
        #expect(throws: Rejection(.badAlgorithm, "")) {
            try header(#"{"alg":"RS256","jwk":{},"x5c":[]}"#).require("RS256", allowing: "x5c")
        }
    }

    @Test("Each part has one spelling: no surplus bits, no padding, no other alphabet")
    func spelling() throws {
        // Parts whose lengths leave two and four surplus bits.
        let header = #"{"alg":"ES256x"}"#, sealed = #"{"alg":"A128KW","enc":"A256GCM"}"#
        let texts = [Array(token(header, "p", "si")), Array(token(sealed, "k", "iv", "t", "ta"))]
        for (text, count) in zip(texts, [3, 5]) {
            let parts = text.split(separator: UInt8(ascii: ".")).map { String(decoding: $0, as: UTF8.self) }
            func reads(_ parts: [String]) -> Bool {
                let bytes = Array(parts.joined(separator: ".").utf8)[...]
                let isRead = count == 3 ? (try? CompactJWS(parsing: bytes)) != nil : (try? CompactJWE(parsing: bytes)) != nil
                #expect(((try? CompactToken(parsing: bytes)) != nil) == isRead)
                return isRead
            }
            #expect(reads(parts))
            for (index, part) in parts.enumerated() {
                // The next character of the alphabet: the same bytes to a lenient reader, if there are surplus bits.
                let last = try #require(part.last?.asciiValue), next = String(UnicodeScalar(last + 1))
                let respelt = String(part.dropLast()) + next
                for other in [respelt, part + "=", part + "==", part + " ", "\n" + part, part + "%3D", "+" + part] {
                    guard other != respelt || part.utf8.count % 4 != 0 else { continue }
                    var parts = parts
                    parts[index] = other
                    #expect(!reads(parts), "part \(index): \(other)")
                }
            }
        }
    }

    @Test("The number of parts determines the kind of token, and other input is refused")
    func kinds() throws {
        guard case .signed = try CompactToken(parsing: token(#"{"alg":"ES256"}"#, "payload", "signature")),
            case .encrypted = try CompactToken(parsing: token(#"{"alg":"A128KW","enc":"A256GCM"}"#, "key", "iv", "text", "tag"))
        else {
            Issue.record("taken for the other kind")
            return
        }
        let junk: [ArraySlice<UInt8>] = [
            [], Array("junk".utf8)[...], Array("....".utf8)[...], Array("AAAA.AAAA.AAAA".utf8)[...],
            Array("AAAA.AAAA.AAAA.AAAA.AAAA".utf8)[...], token(#"{"alg":"a"}"#, "p"), token(#"{"alg":"a"}"#, "p", "s", "x"),
            token(#"{"alg":"a","enc":"b"}"#, "k", "i", "c", "t", "x"), token(#"{"alg":"a","enc":"b"}"#, "p", "s"),
            token(#"{"alg":"a"}"#, "k", "i", "c", "t"), token(#"{"alg":"a"}"#, "", "s"), token(#"{"alg":"a"}"#, "p", ""),
            token(#"{"alg":"a","enc":"b"}"#, "k", "i", "", "t"), token(#"{"alg":"a","enc":"b"}"#, "k", "i", "c", ""),
            [UInt8](repeating: UInt8(ascii: "."), count: 60_000)[...],
            // Tokens that Google's service cannot have made.
            token(#"{"alg":"none"}"#, "p", "s"), token(#"{"alg":"ES256","crit":["x"]}"#, "p", "s"),
            token(#"{"alg":"dir","enc":"A256GCM"}"#, "", "iv", "text", "tag"),
            token(#"{"alg":"A128KW","enc":"A256GCM"}"#, "key", "", "text", "tag"),
            token(#"{"alg":"A256KW","enc":"A256GCM"}"#, "key", "iv", "text", "tag"),
        ]
        for token in junk {
            #expect(throws: Rejection(.malformedToken, "")) { try CompactToken(parsing: token) }
        }
    }
}
