import AssayCore
import AssayEncoding
import Testing

@Suite("CBOR reader")
struct CBORReaderTests {
    /// {"a": [1, -2, h'0102', "é"], "b": {"c": true, "d": null}, "e": 1.5}
    static let good: [UInt8] =
        [
            0xA3, 0x61, 0x61, 0x84, 0x01, 0x21, 0x42, 0x01, 0x02, 0x62, 0xC3, 0xA9, 0x61, 0x62, 0xA2, 0x61, 0x63, 0xF5, 0x61,
            0x64,
        ]
        + [0xF6, 0x61, 0x65, 0xF9, 0x3E, 0x00]

    static func parse(_ bytes: [UInt8]) throws(Rejection) -> CBORItem {
        try CBORReader.parse(bytes[...], code: .malformedCBOR)
    }

    @Test("Every supported item is read from the original bytes")
    func reads() throws {
        let item = try Self.parse(Self.good)
        #expect(item.kind == .map && item.argument == 3 && Array(item.encoded) == Self.good)
        var names: [String] = []
        var integers: [Int64?] = []
        try item.pairs("outer") { (key, value) throws(Rejection) in
            names.append(try key.text("key"))
            guard value.kind == .array else { return }
            try value.elements("list") { (element) throws(Rejection) in integers.append(element.integer) }
        }
        #expect(names == ["a", "b", "e"])
        #expect(integers == [1, -2, nil, nil])
        let slice = ([0xFF] + Self.good + [0xFF])[1...Self.good.count]
        #expect(try CBORReader.parse(slice, code: .malformedCBOR).content.startIndex == 2)
    }

    @Test("Every strict prefix and every trailing byte is refused")
    func prefixes() {
        for length in 0..<Self.good.count {
            #expect(throws: Rejection(.malformedCBOR, "")) { try Self.parse(Array(Self.good.prefix(length))) }
        }
        #expect(throws: Rejection(.malformedCBOR, "")) { try Self.parse(Self.good + [0x00]) }
    }

    @Test(
        "Encodings outside strict CBOR are refused",
        arguments: [
            ("duplicate text key", [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]),
            ("duplicate integer key", [0xA2, 0x01, 0x01, 0x01, 0x02]),
            ("duplicate key deep inside", [0x81, 0xA2, 0x01, 0x01, 0x01, 0x02]),
            ("indefinite map", [0xBF, 0xFF]),
            ("indefinite array", [0x9F, 0xFF]),
            ("indefinite byte string", [0x5F, 0x41, 0x00, 0xFF]),
            ("indefinite text", [0x7F, 0x61, 0x61, 0xFF]),
            ("break alone", [0xFF]),
            ("head of one byte too many", [0x18, 0x17]),
            ("head of two bytes too many", [0x19, 0x00, 0xFF]),
            ("head of four bytes too many", [0x1A, 0x00, 0x00, 0xFF, 0xFF]),
            ("head of eight bytes too many", [0x1B, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("length with a head too long", [0x58, 0x01, 0x00]),
            ("reserved head", [0x1C]),
            ("tag", [0xC0, 0x00]),
            ("text that is not UTF-8", [0x62, 0xC3, 0x28]),
            ("text with an overlong form", [0x62, 0xC0, 0x80]),
            ("text with a surrogate", [0x63, 0xED, 0xA0, 0x80]),
            ("unassigned simple value", [0xE0]),
            ("simple value in the long form", [0xF8, 0x14]),
            ("byte string of 2^63", [0x5B, 0x80, 0, 0, 0, 0, 0, 0, 0]),
            ("byte string of 2^63 - 1", [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("array of 2^64 - 1", [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("map of 2^32", [0xBB, 0, 0, 0, 1, 0, 0, 0, 0]),
        ] as [(String, [UInt8])])
    func refuses(_ name: String, _ bytes: [UInt8]) {
        #expect(throws: Rejection(.malformedCBOR, "")) { try Self.parse(bytes) }
    }

    @Test("Nesting and members are limited")
    func limits() throws {
        #expect(throws: Rejection(.malformedCBOR, "")) { try Self.parse([UInt8](repeating: 0x81, count: 1000) + [0x00]) }
        let deepest = [UInt8](repeating: 0x81, count: CBORReader.depthLimit)
        #expect(try Self.parse(deepest + [0x00]).kind == .array)
        #expect(throws: Rejection(.malformedCBOR, "")) { try Self.parse(deepest + [0x81, 0x00]) }
        let full = [0x98, UInt8(CBORReader.memberLimit)] + [UInt8](repeating: 0, count: CBORReader.memberLimit)
        #expect(try Self.parse(full).argument == UInt64(CBORReader.memberLimit))
        #expect(throws: Rejection(.malformedCBOR, "")) {
            try Self.parse([0x98, UInt8(CBORReader.memberLimit + 1)] + full.dropFirst())
        }
    }

    @Test("A refusal has the code of the structure")
    func codes() {
        #expect(throws: Rejection(.malformedAuthData, "")) { try CBORReader.parse([0xC0], code: .malformedAuthData) }
        #expect(throws: Rejection(.malformedAuthData, "")) {
            try CBORReader.parse([0x01], code: .malformedAuthData).bytes("a number")
        }
    }

    @Test("Integers at the ends of their ranges are read")
    func integers() throws {
        #expect(try Self.parse([0x1B] + [UInt8](repeating: 0xFF, count: 8)).integer == nil)
        #expect(try Self.parse([0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)).integer == .min)
        #expect(try Self.parse([0x3B, 0x80] + [UInt8](repeating: 0, count: 7)).integer == nil)
        #expect(try Self.parse([0x1A, 0x00, 0x01, 0x00, 0x00]).integer == 65_536)
    }

    @Test("No byte at any place traps the reader")
    func mutations() {
        for index in Self.good.indices {
            for value in UInt8.min...UInt8.max {
                var bytes = Self.good
                bytes[index] = value
                _ = try? Self.parse(bytes)
            }
        }
    }
}
