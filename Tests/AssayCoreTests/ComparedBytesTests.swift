import AssayCore
import Testing

@Suite("Compared bytes")
struct ComparedBytesTests {
    @Test("Two byte strings that differ are never shown alike, and none is shown as nothing")
    func distinct() {
        let digest = (0..<32).map { UInt8($0) }
        var last = digest
        last[31] ^= 1
        for other in [last, Array(digest.dropLast()), digest + [0], Array(digest.reversed()), [], [0]] {
            let shown = ComparedBytes(other, expected: digest)
            #expect(shown.found != shown.expected && !shown.found.isEmpty && !shown.expected.isEmpty, "\(shown)")
            let reversed = ComparedBytes(digest, expected: other)
            #expect(reversed.found != reversed.expected && !reversed.expected.isEmpty, "\(reversed)")
        }
        #expect(ComparedBytes(last, expected: digest).found.hasSuffix("with 1e from byte 31 on"))
        #expect(ComparedBytes(digest + [0], expected: digest).found == "0001020304050607… (33 bytes)")
    }

    @Test("Digests that differ are shown whole beside those that they look like")
    func lists() {
        let digest = (0..<32).map { UInt8($0) }
        var last = digest
        last[31] ^= 1
        #expect([last].shownShort(beside: [digest]) == Hex.encode(last))
        #expect([digest].shownShort(beside: [last, [1]]) == Hex.encode(digest))
        #expect([digest].shownShort(beside: [digest]) == [digest].shownShort)
        #expect([digest].shownShort(beside: [[UInt8]]()) == Hex.short(digest))
    }

    @Test(
        "A text that is not base64url is described by how it is spelt",
        arguments: [
            ("", "it is empty"), ("AA+A", "it has '+' or '/'"), ("AA/A", "it has '+' or '/'"), ("AAA\n", "it has a line break"),
            ("AA A", "it has white space"), ("AAA%3D", "it is percent-encoded"), ("\"AAAA\"", "it has quotation marks"),
            ("AAA=", "it has padding"), ("AA=A", "it has padding"), ("AAAAA=", "its padding is wrong"),
            ("00:11", "it is hexadecimal with colons"), ("AÁAA", "it has a character of another alphabet"),
            ("AAAAA", "it is cut off, or has bits left over"), ("AB", "it is cut off, or has bits left over"),
        ])
    func misspelt(_ text: String, _ expected: String) {
        #expect(Base64.misspelling(ofURL: text) == expected)
    }

    @Test("Base64url is read with complete padding or none, and no fault is found in it")
    func padding() {
        for text in ["AQIDBAU", "AQIDBAU="] { #expect(Base64.decodeURL(optionallyPadded: text) == [1, 2, 3, 4, 5]) }
        for text in ["AQIDBAU==", "AQIDBAV=", "AQIDBAU=A", "=", "====", "AAAA===="] {
            #expect(Base64.decodeURL(optionallyPadded: text) == nil, "\(text)")
        }
        #expect(Base64.misspelling(ofURL: "AQIDBAU") == nil)
    }
}
