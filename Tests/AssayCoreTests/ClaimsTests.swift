import AssayCore
import Testing

@Suite("Claims")
struct ClaimsTests {
    private func sample() -> Claims {
        var claims = Claims()
        claims.add("app_id", .text("TEAMID1234.com.example.app"))
        claims.add("empty", .text(""))
        claims.add("counter", .integer(.min))
        claims.add("simulated", .boolean(true))
        claims.add("hash", .bytes([0, 255, 10]))
        claims.add("names", .texts(["a", "", "Zürich"]))
        claims.add("none", .texts([]))
        claims.add("issued", .time(Timestamp(unixMilliseconds: -1)))
        claims.add("absent", nil)
        return claims
    }

    @Test("Claims are read back from the stored form unchanged and in order")
    func roundTrip() {
        #expect(Claims(decoding: sample().encoded()) == sample())
        #expect(Claims(decoding: []) == Claims())
        #expect(sample().all.count == 8)
    }

    @Test("Claims are found by name; the first counts")
    func lookup() {
        var claims = sample()
        claims.add("counter", .integer(5))
        #expect(claims.integer("counter") == .min)
        #expect(claims.text("app_id") == "TEAMID1234.com.example.app")
        #expect(claims.text("counter") == nil)
        #expect(claims["absent"] == nil)
        var both = Claims()
        both.add(contentsOf: claims)
        #expect(both == claims)
    }

    @Test("A name longer than 255 bytes is shortened to fit")
    func longNames() {
        var claims = Claims()
        claims.add("a" + String(repeating: "é", count: 200), .boolean(false))
        let name = "a" + String(repeating: "é", count: 127)
        #expect(Claims(decoding: claims.encoded())?.all.map(\.name) == [name])
    }

    @Test("Claims cut other than between two claims are damaged")
    func cuts() {
        let encoded = sample().encoded()
        let boundaries = Set(
            sample().all.indices.map { index in
                var first = Claims()
                for claim in sample().all.prefix(index) { first.add(claim.name, claim.value) }
                return first.encoded().count
            })
        for length in 0..<encoded.count where !boundaries.contains(length) {
            #expect(Claims(decoding: Array(encoded.prefix(length))) == nil, "cut at \(length)")
        }
    }

    @Test(
        "Claims with wrong bytes are damaged",
        arguments: [
            [1, 0x61, 0, 0, 0, 0, 0],  // kind 0
            [1, 0x61, 7, 0, 0, 0, 0],  // kind 7
            [1, 0x61, 2, 0, 0, 0, 1, 5],  // an integer of one byte
            [1, 0x61, 3, 0, 0, 0, 2, 1, 1],  // a boolean of two bytes
            [1, 0x61, 3, 0, 0, 0, 1, 2],  // a boolean that is neither
            [1, 0x61, 4, 0xFF, 0xFF, 0xFF, 0xFF],  // a wrong length
            [1, 0x61, 5, 0, 0, 0, 3, 0, 0, 0],  // a list that ends within a length
            [1, 0x61, 1, 0, 0, 0, 1, 0xFF],  // a text that is not UTF-8
            [1, 0xFF, 1, 0, 0, 0, 0],  // a name that is not UTF-8
            [1, 0x61, 5, 0, 0, 0, 5, 0, 0, 0, 1, 0xFF],  // a list with a text that is not UTF-8
        ] as [[UInt8]])
    func damage(_ bytes: [UInt8]) {
        #expect(Claims(decoding: bytes) == nil)
    }
}
