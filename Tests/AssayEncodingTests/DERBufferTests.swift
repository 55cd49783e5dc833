import AssayCore
import AssayEncoding
import AssayTesting
import Testing

@Suite("DER buffer")
struct DERBufferTests {
    private static func written(_ write: (inout DERBuffer) -> Void) -> [UInt8] {
        var buffer = DERBuffer(capacity: 0)
        write(&buffer)
        return buffer.octets
    }

    @Test(
        "Every length has its shortest form, written before or behind", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
    func lengths(_ count: Int) {
        let content = [UInt8](repeating: 0xA5, count: count)
        let expected = DERWriter.octetString(content)
        #expect(Self.written { $0.octetString(content) } == expected)
        #expect(Self.written { $0.element(0x04) { $0.append(content) } } == expected)
        #expect(Self.written { $0.bitString(content) } == DERWriter.bitString(content))
    }

    @Test("Elements in elements are those that are joined from arrays")
    func nested() throws {
        let (name, text) = (OID(2, 5, 4, 3), String(repeating: "é", count: 100))
        let written = Self.written {
            $0.append([0x05, 0x00])
            $0.sequence {
                $0.set {
                    $0.sequence {
                        $0.objectIdentifier(name)
                        $0.utf8String(text)
                    }
                }
                $0.context(3) {
                    $0.boolean(true)
                    $0.boolean(false)
                    $0.implicit(6, text)
                    $0.implicit(30, [1, 2])
                }
                $0.sequence { _ in }
                $0.printableString("A1")
            }
        }
        let expected =
            DERWriter.null
            + DERWriter.sequence([
                DERWriter.set([DERWriter.sequence([DERWriter.objectIdentifier(name), DERWriter.utf8String(text)])]),
                DERWriter.context(
                    3,
                    [
                        DERWriter.boolean(true), DERWriter.boolean(false), DERWriter.implicit(6, Array(text.utf8)),
                        DERWriter.implicit(30, [1, 2]),
                    ]), DERWriter.sequence([]), [0x13, 2] + Array("A1".utf8),
            ])
        #expect(written == expected)
    }

    @Test("Random numbers are INTEGERs that are read back, in their shortest form")
    func integers() throws {
        var random = SeededNumbers(seed: 8)
        for length in 0...40 {
            var number = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            for index in 0..<Int.random(in: 0...length, using: &random) { number[index] = 0 }
            let written = Self.written { $0.integer(unsigned: number[...]) }
            #expect(written == DERWriter.integer(unsigned: number))
            let read = try DERReader.parse(written[...], code: .malformedCertificate) { reader throws(Rejection) in
                try reader.integer()
            }
            #expect(read.drop { $0 == 0 }.elementsEqual(number.drop { $0 == 0 }))
        }
    }

    @Test("Times of every year are in the form of RFC 5280")
    func times() throws {
        for year in stride(from: Int64(0), through: 9999, by: 7) {
            let date = try #require(CivilDate(year: year, month: 2, day: 28))
            let time = Timestamp(unixSeconds: date.daysSince1970 * 86_400 + 86_399)
            let digits = time.description.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            let isShort = (1950...2049).contains(year)
            let expected = (isShort ? Array(digits.dropFirst(2)) : digits) + [UInt8(ascii: "Z")]
            #expect(Self.written { $0.time(time) } == [isShort ? 0x17 : 0x18, UInt8(expected.count)] + expected)
        }
    }
}
