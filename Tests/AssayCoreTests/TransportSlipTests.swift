import AssayCore
import Testing

@Suite("Transport slips")
struct TransportSlipTests {
    /// Has both symbols that differ between the alphabets, and is padded.
    private let bytes: [UInt8] = (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 0xF0) }

    @Test("Each slip of a transport is undone and named")
    func undone() {
        let text = Base64.standard.encode(bytes)
        #expect(text.contains("+") && text.contains("/") && text.contains("="))
        let escaped = text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        for (spelt, slips) in [
            (text, []), (Base64.url.encode(bytes), []), (" \(text)\n", []), ("\"\(text)\"", [.quotationMarks]),
            ("'\(text)'", [.quotationMarks]), ("\"\(text.replacing("/", with: "\\/"))\"", [.quotationMarks]),
            ("\"\(text.replacing("=", with: "\\u003d"))\"", [.quotationMarks]), (escaped, [.percentEncoding]),
            ("%22\(escaped)%22", [.percentEncoding, .quotationMarks]),
            (text.replacing("+", with: " "), [.spaceForPlus]),
            ("data:application/octet-stream;base64,\(text)", [.dataURL]),
            (Base64.standard.encode(Array(text.utf8)), [.twiceEncoded]),
            (Base64.url.encode(Array(Hex.encode(bytes).utf8)), [.twiceEncoded]),
        ] as [(String, [TransportSlip])] {
            let decoded = TransportSlip.decode(spelt)
            #expect(decoded?.bytes == bytes, "\(spelt)")
            #expect(decoded?.slips == slips, "\(spelt)")
        }
    }

    @Test("Text of no encoding is not decoded, and lines that are broken by spaces are no form's '+'")
    func plain() {
        for text in ["", "hello, world", "%zz", "\"", "%", "data:", "::"] {
            #expect(TransportSlip.decode(text) == nil, "\(text)")
        }
        let lines = Base64.standard.encode([UInt8](repeating: 1, count: 96))
        let broken = lines.prefix(76) + " " + lines.dropFirst(76)
        #expect(TransportSlip.decode(String(broken))?.bytes == [UInt8](repeating: 1, count: 96))
        #expect(TransportSlip.decode(String(broken))?.slips == [])
    }

    @Test("Bytes that were converted to text are recognised")
    func lossy() {
        let mangled = Array(String(decoding: bytes, as: UTF8.self).utf8)
        #expect(TransportSlip.isLossy(mangled) && !TransportSlip.isLossy(bytes) && !TransportSlip.isLossy([UInt8]()))
        #expect(TransportSlip.hint(mangled[...]).contains("converted to text"))
        #expect(TransportSlip.hint(bytes[...]).isEmpty)
        #expect(TransportSlip.hint(Array(Base64.standard.encode(bytes).utf8)[...]).contains("in Base64 or hexadecimal"))
    }
}
