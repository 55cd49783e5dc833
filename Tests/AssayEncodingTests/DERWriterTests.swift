import AssayCore
import AssayEncoding
import AssayTesting
import Testing

@Suite("DER writer")
struct DERWriterTests {
    static func read<T>(
        _ bytes: [UInt8], _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try DERReader.parse(bytes[...], code: .malformedCertificate, body)
    }

    /// A description in the language of `openssl asn1parse -genstr`, and what the writer writes for it.
    static let values: [(description: String, written: [UInt8])] = [
        ("INTEGER:0", DERWriter.integer(0)), ("INTEGER:127", DERWriter.integer(127)), ("INTEGER:128", DERWriter.integer(128)),
        ("INTEGER:0xFFFFFFFFFFFFFFFF", DERWriter.integer(.max)),
        (
            "INTEGER:0x8000000000000000000001",
            DERWriter.integer(unsigned: [0, 0, 0x80] + [UInt8](repeating: 0, count: 9) + [1])
        ),
        ("ENUM:3", DERWriter.enumerated(3)), ("BOOL:TRUE", DERWriter.boolean(true)), ("BOOL:FALSE", DERWriter.boolean(false)),
        ("NULL", DERWriter.null), ("FORMAT:UTF8,UTF8:é", DERWriter.utf8String("é")),
        ("OID:2.999.3", DERWriter.objectIdentifier("2.999.3")), ("OID:0.0", DERWriter.objectIdentifier("0.0")),
        ("OID:1.3.6.1.4.1.11129.2.1.17", DERWriter.objectIdentifier("1.3.6.1.4.1.11129.2.1.17")),
        ("OID:1.39.18446744073709551615", DERWriter.objectIdentifier("1.39.18446744073709551615")),
        ("FORMAT:BITLIST,BITSTRING:0,5", DERWriter.namedBits([0b1000_0100])),
        ("FORMAT:BITLIST,BITSTRING:5,6", DERWriter.namedBits([0b0000_0110, 0])),
        ("FORMAT:BITLIST,BITSTRING:8", DERWriter.namedBits([0, 0x80])),
        ("FORMAT:HEX,BITSTRING:0102FF", DERWriter.bitString([1, 2, 0xFF])),
        ("FORMAT:HEX,OCTETSTRING:0102", DERWriter.octetString([1, 2])),
        ("EXPLICIT:1204,INTEGER:5", DERWriter.context(1204, [DERWriter.integer(5)])),
        ("EXPLICIT:30,NULL", DERWriter.context(30, [DERWriter.null])),
        ("IMPLICIT:6,FORMAT:HEX,OCTETSTRING:0102", DERWriter.implicit(6, [1, 2])),
        ("IMPLICIT:31,FORMAT:HEX,OCTETSTRING:0102", DERWriter.implicit(31, [1, 2])),
        ("UTCTIME:500101000000Z", DERWriter.time(Timestamp(unixSeconds: -631_152_000))),
        ("UTCTIME:491231235959Z", DERWriter.time(Timestamp(unixMilliseconds: 2_524_607_999_999))),
        ("GENTIME:20500101000000Z", DERWriter.time(Timestamp(unixSeconds: 2_524_608_000))),
        ("GENTIME:19491231235959Z", DERWriter.time(Timestamp(unixSeconds: -631_152_001))),
        ("GENTIME:99991231235959Z", DERWriter.time(.distantFuture)),
        ("SEQWRAP,SETWRAP,INTEGER:1", DERWriter.sequence([DERWriter.set([DERWriter.integer(1)])])),
        ("OCTWRAP,OCTWRAP,UTF8:\(text)", DERWriter.octetString(DERWriter.octetString(DERWriter.utf8String(text)))),
    ]
    /// Long enough for two octets of length.
    private static let text = String(repeating: "a", count: 300)

    @Test(
        "The writer writes the bytes that OpenSSL writes",
        .enabled(if: OpenSSLGenerator.isAvailable, "there is no openssl here"))
    func openSSL() throws {
        for (description, written) in Self.values {
            #expect(try OpenSSLGenerator.der(description) == written, "\(description)")
        }
        let numbers = [300, 5, 4].map { DERWriter.integer($0) }
        #expect(try OpenSSLGenerator.der(setOf: ["INTEGER:300", "INTEGER:5", "INTEGER:4"]) == DERWriter.setOf(numbers))
    }

    @Test("Elements are read back: random identifiers, lengths and contents")
    func elements() throws {
        var random = SeededNumbers(seed: 690)
        for length in [0, 1, 127, 128, 255, 256, 65_535, 65_536]
            + (0..<50).map({ _ in Int.random(in: 0...3000, using: &random) })
        {
            let content = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let number = UInt32.random(in: 0...5000, using: &random)
            let primitive = try Self.read(DERWriter.implicit(Int(number), content)) { reader throws(Rejection) in
                try reader.element(.implicit(number))
            }
            #expect(Array(primitive.content) == content)
            let inner = try Self.read(DERWriter.context(Int(number), [DERWriter.octetString(content), DERWriter.null])) {
                reader throws(Rejection) in
                try reader.scope(.context(number)) { reader throws(Rejection) in
                    let bytes = try reader.octetString()
                    _ = try reader.element(.null)
                    return bytes
                }
            }
            #expect(Array(inner) == content)
        }
    }

    @Test("Integers, booleans, bits and identifiers are read back: random values")
    func values() throws {
        var random = SeededNumbers(seed: 691)
        for _ in 0..<500 {
            let number = UInt64.random(in: 0...(.max), using: &random) >> UInt64.random(in: 1...63, using: &random)
            let small = try Self.read(DERWriter.integer(number)) { reader throws(Rejection) in try reader.smallInteger() }
            #expect(small == Int(number))

            let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let digits = try Self.read(DERWriter.integer(unsigned: bytes)) { reader throws(Rejection) in try reader.integer() }
            #expect(digits.drop { $0 == 0 }.elementsEqual(bytes.drop { $0 == 0 }) && digits.first.map { $0 < 0x80 } == true)

            let flag = Bool.random(using: &random)
            #expect(try Self.read(DERWriter.boolean(flag)) { reader throws(Rejection) in try reader.boolean() } == flag)

            let bits = bytes.map { $0 & 0xF0 }
            let named = try Self.read(DERWriter.namedBits(bits)) { reader throws(Rejection) in try reader.namedBits() }
            #expect(bits.starts(with: named) && bits.dropFirst(named.count).allSatisfy { $0 == 0 } && named.last != 0)
            let whole = try Self.read(DERWriter.bitString(bytes)) { reader throws(Rejection) in try reader.bitString() }
            #expect(Array(whole) == bytes)

            let arcs = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                UInt128.random(in: 0...(.max), using: &random) >> UInt128.random(in: 0...127, using: &random)
            }
            let second = UInt128.random(in: 0...999, using: &random)
            let dotted = (["2", "\(second)"] + arcs.map(String.init)).joined(separator: ".")
            let identifier = try Self.read(DERWriter.objectIdentifier(dotted)) { reader throws(Rejection) in
                try reader.objectIdentifier()
            }
            #expect(identifier.description == dotted && OID(arcs: [2, second] + arcs) == identifier)
            #expect(DERWriter.objectIdentifier(identifier) == DERWriter.objectIdentifier(dotted))
        }
        for arcs in [[], [1], [3, 1], [1, 40], [2, .max], [1, 2] + [UInt128](repeating: .max, count: 4)] as [[UInt128]] {
            #expect(OID(arcs: arcs) == nil)
        }
    }

    @Test(
        "Text that is no object identifier is written without content, which readers refuse",
        arguments: [
            "", ".", "1", "1.", "1..2", "3.1", "1.40", "0.40", "1.2.x", "1.+2", "1.-2",
            "1.2.340282366920938463463374607431768211456",
            "2.340282366920938463463374607431768211455", "1.2." + String(repeating: "9.", count: 100) + "1",
            "1.2" + String(repeating: ".340282366920938463463374607431768211455", count: 4),
            String(repeating: "1", count: 10_000),
        ])
    func noObjectIdentifier(_ dotted: String) {
        let written = DERWriter.objectIdentifier(dotted)
        #expect(written == [0x06, 0x00])
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try Self.read(written) { reader throws(Rejection) in try reader.objectIdentifier() }
        }
    }

    @Test("Times have the form that RFC 5280 requires for their year, and stay within four digits of it")
    func times() {
        #expect(DERWriter.time(.distantPast) == [0x18, 15] + Array("00000101000000Z".utf8))
        #expect(DERWriter.time(Timestamp(unixSeconds: 0)) == [0x17, 13] + Array("700101000000Z".utf8))
        #expect(DERWriter.time(Timestamp(unixMilliseconds: 951_782_400_999)) == [0x17, 13] + Array("000229000000Z".utf8))
        #expect(DERWriter.time(Timestamp(unixSeconds: 253_402_300_800)) == [0x18, 15] + Array("99991231235959Z".utf8))
    }

    @Test("A set of values is in the order of their encodings, whatever order they are given in")
    func setOf() {
        let ordered = [DERWriter.integer(1), DERWriter.integer(2), DERWriter.integer(256), DERWriter.octetString([])]
        for start in 0..<4 {
            #expect(DERWriter.setOf(Array(ordered[start...] + ordered[..<start])) == DERWriter.set(ordered))
        }
        #expect(DERWriter.setOf([]) == [0x31, 0])
    }
}
