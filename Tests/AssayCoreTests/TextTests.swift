import AssayCore
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("Base64 equals Foundation's, in either alphabet, and is read back")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count)
            let standard = Data(bytes).base64EncodedString()
            #expect(Base64.standard.encode(bytes) == standard)
            #expect(Base64.standard.decode(standard) == bytes)
            let url = standard.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
            #expect(Base64.url.encode(bytes) == url)
            #expect(Base64.url.decode(url) == bytes)
        }
    }

    @Test("Bytes that lie in no one place, and none, are written as an array of them is, in Base64 and in hexadecimal digits")
    func scattered() {
        for count in 0..<20 {
            let bytes = SecureRandom.bytes(count)
            let scattered = bytes.lazy.map { $0 }
            let slice = ([1] + bytes + [2])[1...count + 1].dropLast()
            #expect(Base64.standard.encode(scattered) == Data(bytes).base64EncodedString())
            #expect(Base64.url.encode(slice) == Base64.url.encode(bytes))
            let hex = bytes.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
            #expect(Hex.encode(bytes) == hex && Hex.encode(scattered) == hex && Hex.encode(slice) == hex)
            var appended: [UInt8] = [1]
            bytes.withUnsafeBytes { Hex.append($0, to: &appended) }
            #expect(appended == [1] + Array(hex.utf8))
        }
    }

    @Test(
        "Other alphabets, padding, white space and surplus bits are refused",
        arguments: [
            "A", "AA", "AAA", "AA=", "A===", "====", "AA==AA==", "AAAA=", "AAAA====", "AAA==", "AB==", "AAB=", "A-A=", "AA A",
            "AAAA\n", " AAAA", "AA=A", "=AAA", "AÁA=",
        ])
    func standard(_ text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }

    @Test(
        "Base64 without padding refuses the same, and padding",
        arguments: ["A", "AA==", "AAA=", "AB", "AAB", "A+AA", "A/AA", "AAAAA", "AA\n"])
    func url(_ text: String) {
        #expect(Base64.url.decode(text) == nil)
    }

    @Test("A text of either alphabet is read with its padding and without, and no text of both")
    func either() {
        func decode(_ text: String) -> [UInt8]? {
            Base64.decode(eitherAlphabet: Array("..\(text)..".utf8).dropFirst(2).dropLast(2))
        }
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count)
            let texts = [Base64.standard.encode(bytes), Base64.url.encode(bytes)]
            let padded = texts[0].replacing("+", with: "-").replacing("/", with: "_")
            for text in texts + [padded, texts[0].replacing("=", with: "")] { #expect(decode(text) == bytes, "\(text)") }
            var appended: [UInt8] = [1, 2, 3]
            bytes.withUnsafeBytes { Base64.standard.append($0, to: &appended) }
            #expect(appended == [1, 2, 3] + Array(texts[0].utf8))
            appended = []
            bytes.withUnsafeBytes { Base64.url.append($0, to: &appended) }
            #expect(appended == Array(texts[1].utf8))
        }
        for text in [
            "A", "AA=", "A===", "====", "=", "AA==AA==", "AAAA=", "AAAA==", "AAAA====", "AAA==", "AB", "AAB", "AB==", "+_AA",
            "-/AA", "AA A",
            "AAAA\n", "=AAA", "é",
        ] { #expect(decode(text) == nil, "\(text)") }
    }
}

@Suite("RFC 3339")
struct RFC3339Tests {
    @Test(
        "A time is read in the form in which it is shown",
        arguments: [0, 1, -1, 1_776_795_192_142, 951_868_799_999, 253_402_300_799_999] as [Int64])
    func roundTrip(_ milliseconds: Int64) {
        let time = Timestamp(unixMilliseconds: milliseconds)
        #expect(Timestamp(rfc3339: time.description) == time)
    }

    @Test("Milliseconds are kept of any fraction")
    func fractions() {
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.5Z")?.unixMilliseconds == 500)
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.0019999Z")?.unixMilliseconds == 1)
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00.123456789Z")?.unixMilliseconds == 123)
    }

    @Test(
        "Other forms of a time are refused",
        arguments: [
            "", "Z", "2026-04-21", "2026-04-21T18:13:12", "2026-04-21 18:13:12Z", "2026-04-21t18:13:12z",
            "2026-02-30T00:00:00Z",
            "2026-04-21T24:00:00Z", "2026-04-21T18:60:12Z", "2026-04-21T18:13:60Z", "2026-04-21T18:13:12.Z",
            "2026-04-21T18:13:12+00:00", "2026-04-21T18:13:12,5Z", "2026-04-21T18:13:12.1234567890Z", "+026-04-21T18:13:12Z",
            "2026-04-21T18:13:12.5 Z", "２026-04-21T18:13:12Z",
        ])
    func refused(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
