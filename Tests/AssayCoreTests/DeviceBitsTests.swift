import AssayCore
import Testing

@Suite("Device bits")
struct DeviceBitsTests {
    @Test("Device bits are read back unchanged", arguments: [nil, "2024-05", "0000-01", "9999-12"] as [String?])
    func roundTrip(_ month: String?) {
        for (bit0, bit1) in [(false, false), (false, true), (true, false), (true, true)] {
            let answer = DeviceBitsAnswer.set(DeviceBits(bit0: bit0, bit1: bit1, lastSetIn: month))
            #expect(DeviceBitsAnswer(decoding: answer.encoded) == answer)
        }
        #expect(DeviceBitsAnswer(decoding: DeviceBitsAnswer.neverSet.encoded) == .neverSet)
    }

    @Test(
        "Other texts are not device bits",
        arguments: ["", "0", "000", "2 ", "00 ", "00 2024", "00 2024-13", "00 2024-1", "00 +024-05", "00  2024-05", "UNSET"])
    func bad(_ text: String) {
        #expect(DeviceBitsAnswer(decoding: Array(text.utf8)) == nil)
    }
}
