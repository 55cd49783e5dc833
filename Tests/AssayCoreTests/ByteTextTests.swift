import AssayCore
import Testing

@Suite("Bytes as people write them")
struct ByteTextTests {
    private let digest: [UInt8] = (0..<32).map { 0xF8 &+ $0 &* 7 }

    @Test("32 bytes are read in each form that tools print")
    func forms() {
        let hex = Hex.encode(digest)
        let standard = Base64.standard.encode(digest)
        let colons = digest.map { Hex.encode([$0]) }.joined(separator: ":")
        let forms = [
            hex, hex.uppercased(), colons, colons.uppercased(), "hex:" + hex, "hex:" + colons, standard,
            String(standard.dropLast()), Base64.url.encode(digest), Base64.url.encode(digest) + "=", "base64:" + standard,
            "base64:" + Base64.url.encode(digest),
        ]
        for form in forms {
            #expect(ByteText.decode(form) == digest, "\(form)")
            #expect(ByteText.decode(form, count: 32) == digest, "\(form)")
            #expect(ByteText.decode(form, count: 31) == nil, "\(form)")
        }
    }

    @Test("An ambiguous text is hexadecimal, unless a length or a prefix selects another form")
    func ambiguous() {
        #expect(ByteText.decode("abcd") == [0xAB, 0xCD])
        #expect(ByteText.decode("abcd", count: 3) == [0x69, 0xB7, 0x1D])
        #expect(ByteText.decode("base64:abcd") == [0x69, 0xB7, 0x1D])
        #expect(ByteText.decode("hex:abcd", count: 3) == nil)
    }

    @Test(
        "A text of no known form is refused",
        arguments: [
            "", "hex:", "base64:", "hex:xy", "abc:", "ab:c", "ab::cd", "a:bc", "abcd ef", "+-", "=", "ab=", "abc==", "abcd====",
            "a=bc", "QUI=QUI=", "é", "QUJ\u{0301}",
        ])
    func refused(_ text: String) {
        #expect(ByteText.decode(text) == nil)
    }

    @Test("A device's id is read with and without dev_, in each form")
    func deviceIDs() throws {
        let id = DeviceID.random()
        let hex = Hex.encode(id.bytes)
        for form in ["dev_" + hex, hex, hex.uppercased(), Base64.url.encode(id.bytes), Base64.standard.encode(id.bytes)] {
            #expect(DeviceID(form) == id, "\(form)")
        }
        // In base64url an id may begin with dev_ itself.
        let odd = try #require(Base64.url.decode("dev_AAAAAAAAAAAAAAAAAA"))
        #expect(DeviceID("dev_AAAAAAAAAAAAAAAAAA") == DeviceID(bytes: odd))
        #expect(DeviceID("dev_" + hex.dropLast()) == nil)
        #expect(DeviceID("dev_") == nil)
    }
}
