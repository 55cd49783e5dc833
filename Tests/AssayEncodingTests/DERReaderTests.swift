import AssayCore
import AssayEncoding
import Testing

@Suite("DER reader")
struct DERReaderTests {
    static func read<T>(
        _ bytes: [UInt8], _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try DERReader.parse(bytes[...], code: .malformedCertificate, body)
    }

    static func element(_ bytes: [UInt8]) throws(Rejection) -> DERElement {
        try read(bytes) { reader throws(Rejection) in try reader.element() }
    }

    @Test("Tags of both forms are read, up to [1204] and beyond")
    func tags() throws {
        #expect(try Self.element([0x30, 0x00]).tag == .sequence)
        #expect(try Self.element([0xBF, 0x89, 0x34, 0x00]).tag == .context(1204))
        #expect(try Self.element([0xBF, 0x8A, 0x78, 0x00]).tag == .context(1400))
        #expect(try Self.element([0x9F, 0x1F, 0x00]).tag == .implicit(31))
        #expect(try Self.element([0x81, 0x00]).tag == .implicit(1))
    }

    @Test("Lengths are read up to the last byte")
    func lengths() throws {
        let long = [UInt8](repeating: 7, count: 300)
        let element = try Self.element([0x04, 0x82, 0x01, 0x2C] + long)
        #expect(Array(element.content) == long && element.encoded.count == 304)
        #expect(try Self.element([0x04, 0x81, 0x80] + long.prefix(128)).content.count == 128)
    }

    @Test(
        "Encodings outside DER are refused",
        arguments: [
            [], [0x30], [0x30, 0x01], [0x30, 0x80, 0x00, 0x00], [0x30, 0x81, 0x00], [0x30, 0x81, 0x7F],
            [0x30, 0x82, 0x00, 0x80],
            [0x30, 0x83, 0x00, 0x01, 0x00], [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x30, 0x85, 1, 0, 0, 0, 0], [0x30, 0xFF],
            [0x3F, 0x1E, 0x00], [0x3F, 0x80, 0x1F, 0x00], [0x3F, 0x81, 0x80, 0x80, 0x80, 0x00, 0x00], [0x3F], [0x3F, 0x81],
            [0x30, 0x00, 0x00],
        ] as [[UInt8]])
    func refuses(_ bytes: [UInt8]) {
        #expect(throws: Rejection(.malformedCertificate, "")) { try Self.element(bytes) }
    }

    @Test("Only the shortest INTEGER is accepted")
    func integers() throws {
        func integer(_ bytes: [UInt8]) throws(Rejection) -> [UInt8] {
            Array(try Self.read(bytes) { reader throws(Rejection) in try reader.integer() })
        }
        #expect(try integer([0x02, 0x01, 0x00]) == [0])
        #expect(try integer([0x02, 0x02, 0x00, 0x80]) == [0, 0x80])
        #expect(try integer([0x02, 0x01, 0x80]) == [0x80])
        for bad in [[0x02, 0x00], [0x02, 0x02, 0x00, 0x7F], [0x02, 0x02, 0xFF, 0x80], [0x22, 0x01, 0x00]] as [[UInt8]] {
            #expect(throws: Rejection(.malformedCertificate, "")) { try integer(bad) }
        }
        func small(_ bytes: [UInt8]) throws(Rejection) -> Int {
            try Self.read(bytes) { reader throws(Rejection) in try reader.smallInteger() }
        }
        #expect(try small([0x02, 0x08, 0x7F] + [UInt8](repeating: 0xFF, count: 7)) == .max)
        #expect(throws: Rejection(.malformedCertificate, "")) { try small([0x02, 0x09, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0]) }
        #expect(throws: Rejection(.malformedCertificate, "")) { try small([0x02, 0x01, 0xFF]) }
    }

    @Test("BOOLEAN is FF or 00, and an explicit default is refused")
    func booleans() throws {
        #expect(try Self.read([0x01, 0x01, 0xFF]) { reader throws(Rejection) in try reader.boolean() })
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try Self.read([0x01, 0x01, 0x01]) { reader throws(Rejection) in try reader.boolean() }
        }
        #expect(try Self.read([]) { reader throws(Rejection) in try reader.booleanDefaultFalse() } == false)
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try Self.read([0x01, 0x01, 0x00]) { reader throws(Rejection) in try reader.booleanDefaultFalse() }
        }
    }

    @Test("Object identifiers are read by their shortest arcs and written dotted")
    func objectIdentifiers() throws {
        let oid = OID(1, 2, 840, 113_635, 100, 8, 2)
        #expect(Array(oid.content) == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02])
        #expect(oid.description == "1.2.840.113635.100.8.2")
        #expect(OID(2, 5, 29, 19).description == "2.5.29.19")
        #expect(OID(content: oid.content) == oid)
        #expect(OID(content: [0x88, 0x37])?.description == "2.999")
        for bad in [[], [0x80, 0x01], [0x2A, 0x80, 0x01], [0x2A, 0x86]] as [[UInt8]] { #expect(OID(content: bad[...]) == nil) }
        #expect(OID(content: [UInt8](repeating: 1, count: OID.limit + 1)[...]) == nil)
        #expect(OID(content: ([0x2A] + [UInt8](repeating: 0xFF, count: 20) + [0x01])[...])?.description == "1.2.?")
    }

    @Test("Bit strings of whole octets are read, and named bits in their shortest form")
    func bitStrings() throws {
        func whole(_ content: [UInt8]) throws(Rejection) -> [UInt8] {
            Array(try Self.read([0x03, UInt8(content.count)] + content) { reader throws(Rejection) in try reader.bitString() })
        }
        func named(_ content: [UInt8]) throws(Rejection) -> [UInt8] {
            Array(try Self.read([0x03, UInt8(content.count)] + content) { reader throws(Rejection) in try reader.namedBits() })
        }
        #expect(try whole([0x00, 0xAA]) == [0xAA])
        #expect(throws: Rejection(.malformedCertificate, "")) { try whole([]) }
        #expect(throws: Rejection(.malformedCertificate, "")) { try whole([0x01, 0xAA]) }
        #expect(try named([0x04, 0xF0]) == [0xF0])
        #expect(try named([0x00]) == [])
        for bad in [[0x01], [0x08, 0x00], [0x03, 0xF0], [0x05, 0xF0], [0x00, 0x00]] as [[UInt8]] {
            #expect(throws: Rejection(.malformedCertificate, "")) { try named(bad) }
        }
    }

    @Test("Surplus bytes of a scope and unexpected tags are refused")
    func scopes() {
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try Self.read([0x30, 0x04, 0x05, 0x00, 0x05, 0x00]) { outer throws(Rejection) in
                try outer.sequence { reader throws(Rejection) in _ = try reader.element(.null) }
            }
        }
        #expect(throws: Rejection(.malformedNonceExtension, "")) {
            try DERReader.parse([0x31, 0x00], code: .malformedNonceExtension) { reader throws(Rejection) in
                try reader.sequence { _ in }
            }
        }
    }
}
