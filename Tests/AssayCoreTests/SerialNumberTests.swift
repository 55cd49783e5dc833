import AssayCore
import Testing

@Suite("Serial numbers")
struct SerialNumberTests {
    @Test("Serial numbers are equal as integers, whatever their leading zeros")
    func magnitudes() {
        #expect(SerialNumber.magnitude([0, 0, 5, 0]) == [5, 0] && SerialNumber.magnitude([5, 0]) == [5, 0])
        #expect(SerialNumber.magnitude([0]) == [] && SerialNumber.magnitude([]) == [])
    }

    @Test("Serial numbers are read from up to 64 digits, in either case")
    func hexadecimal() {
        #expect(SerialNumber.magnitude(hexadecimal: "5204497") == [0x05, 0x20, 0x44, 0x97])
        #expect(SerialNumber.magnitude(hexadecimal: "00fA") == [0xFA] && SerialNumber.magnitude(hexadecimal: "0") == [])
        #expect(SerialNumber.magnitude(hexadecimal: String(repeating: "f", count: 64))?.count == 32)
        for text in ["", "0x5", "5 ", "é", String(repeating: "f", count: 65)] {
            #expect(SerialNumber.magnitude(hexadecimal: text) == nil)
        }
    }

    @Test("Serial numbers are written as in Google's list")
    func written() {
        #expect(SerialNumber.hexadecimal([0, 0x05, 0xAB]) == "5ab" && SerialNumber.hexadecimal([0]) == "0")
    }
}
