import AssayCore
import AssayEncoding
import AssayTesting
import Testing

@Suite("CBOR writer")
struct CBORWriterTests {
    @Test("The writer writes the examples of RFC 8949, appendix A, that have definite lengths and no floats")
    func examples() {
        func one(_ number: Int64) -> [UInt8] { CBORWriter.integer(number) }
        let examples: [(written: [UInt8], expected: String)] = [
            (one(0), "00"), (one(1), "01"), (one(10), "0a"), (one(23), "17"), (one(24), "1818"), (one(25), "1819"),
            (one(100), "1864"),
            (one(1000), "1903e8"), (one(1_000_000), "1a000f4240"), (one(1_000_000_000_000), "1b000000e8d4a51000"),
            (CBORWriter.head(0, .max), "1bffffffffffffffff"), (CBORWriter.head(1, .max), "3bffffffffffffffff"),
            (CBORWriter.tagged(2, CBORWriter.bytes([1] + [UInt8](repeating: 0, count: 8))), "c249010000000000000000"),
            (one(-1), "20"), (one(-10), "29"), (one(-100), "3863"), (one(-1000), "3903e7"),
            (CBORWriter.boolean(false), "f4"), (CBORWriter.boolean(true), "f5"), (CBORWriter.null, "f6"),
            (
                CBORWriter.tagged(0, CBORWriter.text("2013-03-21T20:04:00Z")),
                "c074323031332d30332d32315432303a30343a30305a"
            ),
            (CBORWriter.tagged(1, one(1_363_896_240)), "c11a514b67b0"),
            (CBORWriter.tagged(23, CBORWriter.bytes([1, 2, 3, 4])), "d74401020304"),
            (CBORWriter.tagged(24, CBORWriter.bytes([0x64] + Array("IETF".utf8))), "d818456449455446"),
            (
                CBORWriter.tagged(32, CBORWriter.text("http://www.example.com")),
                "d82076687474703a2f2f7777772e6578616d706c652e636f6d"
            ),
            (CBORWriter.bytes([]), "40"), (CBORWriter.bytes([1, 2, 3, 4]), "4401020304"), (CBORWriter.text(""), "60"),
            (CBORWriter.text("a"), "6161"), (CBORWriter.text("IETF"), "6449455446"), (CBORWriter.text("\"\\"), "62225c"),
            (CBORWriter.text("\u{FC}"), "62c3bc"), (CBORWriter.text("\u{6C34}"), "63e6b0b4"),
            (CBORWriter.text("\u{10151}"), "64f0908591"),
            (CBORWriter.array([]), "80"), (CBORWriter.array([one(1), one(2), one(3)]), "83010203"),
            (
                CBORWriter.array([one(1), CBORWriter.array([one(2), one(3)]), CBORWriter.array([one(4), one(5)])]),
                "8301820203820405"
            ),
            (CBORWriter.array((1...25).map(one)), "98190102030405060708090a0b0c0d0e0f101112131415161718181819"),
            (CBORWriter.map([]), "a0"), (CBORWriter.map([(one(1), one(2)), (one(3), one(4))]), "a201020304"),
            (
                CBORWriter.map([
                    (CBORWriter.text("a"), one(1)), (CBORWriter.text("b"), CBORWriter.array([one(2), one(3)])),
                ]), "a26161016162820203"
            ),
            (
                CBORWriter.array([CBORWriter.text("a"), CBORWriter.map([(CBORWriter.text("b"), CBORWriter.text("c"))])]),
                "826161a161626163"
            ),
        ]
        for (written, expected) in examples { #expect(Hex.encode(written) == expected) }
    }

    @Test("The keys of a map are in the order of RFC 8949, section 4.2.1, whatever order they are given in")
    func order() {
        // The example of that section: 10, 100, -1, "z", "aa", [100], [-1], false.
        let keys = [
            CBORWriter.integer(10), CBORWriter.integer(100), CBORWriter.integer(-1), CBORWriter.text("z"),
            CBORWriter.text("aa"),
            CBORWriter.array([CBORWriter.integer(100)]), CBORWriter.array([CBORWriter.integer(-1)]), CBORWriter.boolean(false),
        ]
        let expected: [UInt8] = [0xA8] + keys.flatMap { key -> [UInt8] in key + CBORWriter.null }
        var random = SeededNumbers(seed: 8949)
        for _ in 0..<20 {
            #expect(CBORWriter.map(keys.shuffled(using: &random).map { ($0, CBORWriter.null) }) == expected)
        }
    }

    @Test("A map with the same key twice is refused by the reader")
    func twice() {
        let map = CBORWriter.map([(CBORWriter.text("a"), CBORWriter.null), (CBORWriter.text("a"), CBORWriter.null)])
        #expect(throws: Rejection(.malformedCBOR, "")) { try CBORReader.parse(map[...], code: .malformedCBOR) }
    }

    @Test("Random items are read back as they were written")
    func readBack() throws {
        var random = SeededNumbers(seed: 8950)
        for _ in 0..<500 {
            let value = Value.random(depth: 4, using: &random)
            #expect(try Value(CBORReader.parse(value.written[...], code: .malformedCBOR)) == value)
        }
    }

    /// A value that strict objects may hold.
    fileprivate indirect enum Value: Hashable {
        case integer(Int64)
        case bytes([UInt8])
        case text(String)
        case array([Value])
        case map([Int64: Value])
        case boolean(Bool)
        case null

        static func random(depth: Int, using random: inout SeededNumbers) -> Value {
            let count = Int.random(in: 0...(depth > 2 ? 30 : 3), using: &random)
            switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
            case 0: return .integer(number(&random))
            case 1:
                let length = Int.random(in: 0...300, using: &random)
                return .bytes((0..<length).map { _ in .random(in: 0...255, using: &random) })
            case 2: return .text(String(repeating: "aé\u{10151}", count: Int.random(in: 0...100, using: &random)))
            case 3: return .boolean(.random(using: &random))
            case 4: return .null
            case 5, 6: return .array((0..<count).map { _ in .random(depth: depth - 1, using: &random) })
            default:
                let pairs = (0..<count).map { _ in (number(&random), Value.random(depth: depth - 1, using: &random)) }
                return .map(Dictionary(pairs) { first, _ in first })
            }
        }

        /// Of every length that a head can have.
        private static func number(_ random: inout SeededNumbers) -> Int64 {
            Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
        }

        var written: [UInt8] {
            switch self {
            case .integer(let number): CBORWriter.integer(number)
            case .bytes(let bytes): CBORWriter.bytes(bytes)
            case .text(let text): CBORWriter.text(text)
            case .array(let values): CBORWriter.array(values.map(\.written))
            case .map(let values): CBORWriter.map(values.map { (CBORWriter.integer($0), $1.written) })
            case .boolean(let value): CBORWriter.boolean(value)
            case .null: CBORWriter.null
            }
        }
    }
}

extension CBORWriterTests.Value {
    fileprivate init(_ item: CBORItem) throws {
        switch item.kind {
        case .unsigned, .negative: self = .integer(try #require(item.integer))
        case .byteString: self = .bytes(Array(try item.bytes("value")))
        case .textString: self = .text(try item.text("value"))
        case .array:
            var items: [CBORItem] = []
            try item.elements("value") { items.append($0) }
            self = .array(try items.map(Self.init))
        case .map:
            var pairs: [(CBORItem, CBORItem)] = []
            try item.pairs("value") { pairs.append(($0, $1)) }
            self = .map(Dictionary(uniqueKeysWithValues: try pairs.map { (try #require($0.integer), try Self($1)) }))
        case .tag: throw Rejection(.malformedCBOR, "a tag")
        case .simple: self = item.argument == 22 ? .null : .boolean(item.argument == 21)
        }
    }
}
