import AssayCore
import AssayEncoding
import Testing

@Suite("BER reader")
struct BERReaderTests {
    static func read<T>(
        _ bytes: [UInt8], _ body: (inout BERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try BERReader.parse(bytes[...], code: .malformedCMS, body)
    }

    static func element(_ bytes: [UInt8]) throws(Rejection) -> BERElement {
        try read(bytes) { reader throws(Rejection) in try reader.element() }
    }

    static func string(_ bytes: [UInt8]) throws(Rejection) -> [UInt8] {
        Array(try read(bytes) { reader throws(Rejection) in try reader.octetString() })
    }

    @Test("Elements of definite and indefinite length are read as slices")
    func lengths() throws {
        #expect(try Self.element([0x30, 0x02, 0x05, 0x00]).content == [0x05, 0x00])
        let open = try Self.element([0x30, 0x80, 0x05, 0x00, 0x00, 0x00])
        #expect(open.tag == .sequence && open.content == [0x05, 0x00] && open.encoded.count == 6)
        let nested = try Self.element([0x30, 0x80, 0xA0, 0x80, 0x05, 0x00, 0x00, 0x00, 0x04, 0x02, 0, 0, 0x00, 0x00])
        #expect(nested.content.count == 10)
        #expect(try Self.element([0x30, 0x80, 0x00, 0x00]).content.isEmpty)
        // End-of-contents octets inside a definite length are content like any other.
        #expect(try Self.element([0x30, 0x80, 0x04, 0x02, 0x00, 0x00, 0x00, 0x00]).content == [0x04, 0x02, 0x00, 0x00])
        // A length in more octets than needed is valid BER, but not DER.
        #expect(try Self.element([0x04, 0x84, 0x00, 0x00, 0x00, 0x01, 0xAA]).content == [0xAA])
    }

    @Test("A structure is read level by level, whatever the form of each length")
    func scopes() throws {
        let numbers = try Self.read([0x30, 0x80, 0xA0, 0x04, 0x30, 0x80, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00]) {
            reader throws(Rejection) in
            try reader.sequence { fields throws(Rejection) in
                let empty = try fields.scope(.context(0)) { inner throws(Rejection) in
                    try inner.sequence { $0.isAtEnd }
                }
                _ = try fields.element(.null)
                return empty
            }
        }
        #expect(numbers)
    }

    @Test("The pieces of an octet string are joined")
    func octetStrings() throws {
        #expect(try Self.string([0x04, 0x02, 1, 2]) == [1, 2])
        #expect(try Self.string([0x24, 0x80, 0x04, 0x02, 1, 2, 0x04, 0x00, 0x04, 0x01, 3, 0x00, 0x00]) == [1, 2, 3])
        #expect(try Self.string([0x24, 0x03, 0x04, 0x01, 9]) == [9])
        #expect(try Self.string([0x24, 0x80, 0x00, 0x00]) == [])
    }

    @Test(
        "Invalid BER and unexpected elements are refused",
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x80, 0x00], [0x30, 0x80, 0x05, 0x00], [0x30, 0x80, 0x00, 0x01, 0x00],
            [0x30, 0x80, 0x00, 0x80, 0x00, 0x00], [0x30, 0x80, 0x00, 0x81, 0x00], [0x04, 0x80, 0x00, 0x00], [0x00, 0x00],
            [0x30, 0x85, 0, 0, 0, 0, 0], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0xFF], [0x30, 0x02, 0x05],
            [0x30, 0x00, 0x00], [0x30, 0x80, 0x00, 0x00, 0x00],
        ] as [[UInt8]])
    func refuses(_ bytes: [UInt8]) {
        #expect(throws: Rejection(.malformedCMS, "")) { try Self.element(bytes) }
    }

    @Test("Pieces that are not octet strings, or have pieces themselves, are refused")
    func pieces() {
        for bytes in [
            [0x24, 0x02, 0x05, 0x00], [0x24, 0x04, 0x24, 0x02, 0x04, 0x00], [0x05, 0x00], [0x24, 0x02, 0x00, 0x00],
        ] as [[UInt8]] {
            #expect(throws: Rejection(.malformedCMS, "")) { try Self.string(bytes) }
        }
    }

    @Test("Open lengths, elements and pieces are limited", .timeLimit(.minutes(30)))
    func bombs() throws {
        func nested(_ count: Int) -> [UInt8] {
            Array(repeatElement([0x30, 0x80], count: count).joined()) + [UInt8](repeating: 0, count: 2 * count)
        }
        #expect(try Self.element(nested(BERReader.nestingLimit)).content.count == 4 * BERReader.nestingLimit - 4)
        for bomb in [nested(BERReader.nestingLimit + 1), nested(100_000), Array(nested(100_000).prefix(200_000))] {
            #expect(throws: Rejection(.malformedCMS, "")) { try Self.element(bomb) }
        }
        func pieces(_ count: Int) -> [UInt8] {
            [0x24, 0x84] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: (count * 3) >> (8 * $0)) }
                + Array(repeatElement([0x04, 0x01, 7], count: count).joined())
        }
        #expect(try Self.string(pieces(BERReader.pieceLimit)).count == BERReader.pieceLimit)
        #expect(throws: Rejection(.malformedCMS, "")) { try Self.string(pieces(BERReader.pieceLimit + 1)) }
        #expect(throws: Rejection(.malformedCMS, "")) { try Self.string(pieces(1_000_000)) }
        let open: [UInt8] = [0x24, 0x80] + Array(repeatElement([0x04, 0x00], count: 1_000_000).joined()) + [0x00, 0x00]
        #expect(throws: Rejection(.malformedCMS, "")) { try Self.string(open) }
    }

    @Test("No bytes trap the reader")
    func noise() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            // Mostly octets with a meaning in BER.
            let meaningful: [UInt8] = [0x00, 0x80, 0x24, 0x04, 0x30, 0x31, 0xA0, 0x81, 0x01, 0x1F, 0x05]
            let bytes = (0..<Int.random(in: 0..<40, using: &numbers)).map { _ in
                Bool.random(using: &numbers) ? meaningful.randomElement(using: &numbers) ?? 0 : UInt8.random(in: 0...255)
            }
            var reader = BERReader(bytes[...], code: .malformedCMS)
            while !reader.isAtEnd, let element = try? reader.element() {
                #expect(element.content.count <= bytes.count)
            }
            _ = try? Self.string(bytes)
        }
    }
}
