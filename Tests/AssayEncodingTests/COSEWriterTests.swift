import AssayCore
import AssayEncoding
import Testing

/// The expected bytes are those of the COSE working group's examples, `sign1-tests` of github.com/cose-wg/Examples.
@Suite("COSE writer")
struct COSEWriterTests {
    private let content = Array("This is the content.".utf8)
    private let contentText = "54546869732069732074686520636f6e74656e742e"
    /// `alg`: ES256.
    private let protected: [(key: Int64, value: [UInt8])] = [(1, CBORWriter.integer(-7))]
    /// `kid`: "11".
    private let unprotected: [(key: Int64, value: [UInt8])] = [(4, CBORWriter.bytes(Array("11".utf8)))]

    @Test("Without a protected header, an empty byte string is signed and written: sign-pass-01")
    func unprotectedOnly() {
        let writer = COSEWriter(
            protected: [], unprotected: [(4, CBORWriter.bytes(Array("11".utf8))), (1, CBORWriter.integer(-7))])
        #expect(Hex.encode(writer.toBeSigned(content)) == "846a5369676e6174757265314040" + contentText)
        // The example writes an empty map in a byte string, which readers must accept and writers should not write (RFC 9052 §3).
        let message = writer.message(content, signature: [1, 2, 3])
        #expect(Hex.encode(message) == "d28440" + "a2012604423131" + contentText + "43010203")
    }

    @Test("External data is signed and not written: sign-pass-02")
    func externalData() throws {
        let writer = COSEWriter(protected: protected, unprotected: unprotected)
        let external = try #require(Hex.decode("11aa22bb33cc44dd55006699"))
        #expect(
            Hex.encode(writer.toBeSigned(content, externalData: external))
                == "846a5369676e61747572653143a101264c11aa22bb33cc44dd55006699" + contentText)
        let signature =
            "eae868ecc176883766c5dc5ba5b8dca25dab3c2e56a551ce5705b793914348e1"
            + "55388b10c4f1b59a6733eab416870a945111a4b2fbdbef33a77234b1deff2f9b"
        let message = writer.message(content, signature: try #require(Hex.decode(signature)))
        #expect(Hex.encode(message) == "d28443a10126a104423131" + contentText + "5840" + signature)
    }

    @Test("A message may be written without its tag: sign-pass-03")
    func untagged() throws {
        let writer = COSEWriter(protected: protected, unprotected: unprotected)
        #expect(Hex.encode(writer.toBeSigned(content)) == "846a5369676e61747572653143a1012640" + contentText)
        let signature =
            "eae868ecc176883766c5dc5ba5b8dca25dab3c2e56a551ce5705b793914348e1"
            + "9f43d6c6ba654472da301b645b293c9ba939295b97c4bdb847782bff384c5794"
        let message = writer.message(content, signature: try #require(Hex.decode(signature)), tagged: false)
        #expect(Hex.encode(message) == "8443a10126a104423131" + contentText + "5840" + signature)
    }

    @Test("Messages and what is signed for them are read back as they were written, whatever the order of their labels")
    func readBack() throws {
        let typ = CBORWriter.text("application/eat+cwt")
        let writer = COSEWriter(protected: [(16, typ), (1, CBORWriter.integer(-35))], unprotected: unprotected)
        for count in [0, 1, 23, 24, 255, 256, 65_536] {
            let payload = [UInt8](repeating: 0xA5, count: count)
            let signature = [UInt8](repeating: 0x5A, count: 96)
            let message = try Message(writer.message(payload, signature: signature, tagged: false))
            #expect(message.payload == payload && message.signature == signature)
            #expect(message.labels == [1, 16] && message.unprotectedLabels == [4])
            let signed = try Self.elements(writer.toBeSigned(payload, externalData: [7]))
            let context = try signed.first?.text("context")
            #expect(context == "Signature1")
            let parts = try signed.dropFirst().map { Array(try $0.bytes("part")) }
            #expect(parts == [message.protected, [7], payload])
        }
    }

    private static func elements(_ bytes: [UInt8]) throws -> [CBORItem] {
        var items: [CBORItem] = []
        try CBORReader.parse(bytes[...], code: .malformedCBOR).elements("list") { items.append($0) }
        return items
    }

    private struct Message {
        let protected: [UInt8]
        let labels: [Int64?]
        let unprotectedLabels: [Int64?]
        let payload: [UInt8]
        let signature: [UInt8]

        init(_ bytes: [UInt8]) throws {
            let items = try COSEWriterTests.elements(bytes)
            try #require(items.count == 4)
            protected = Array(try items[0].bytes("protected"))
            labels = try Self.labels(try CBORReader.parse(protected[...], code: .malformedCBOR))
            unprotectedLabels = try Self.labels(items[1])
            payload = Array(try items[2].bytes("payload"))
            signature = Array(try items[3].bytes("signature"))
        }

        private static func labels(_ map: CBORItem) throws -> [Int64?] {
            var labels: [Int64?] = []
            try map.pairs("header") { label, _ in labels.append(label.integer) }
            return labels
        }
    }
}
