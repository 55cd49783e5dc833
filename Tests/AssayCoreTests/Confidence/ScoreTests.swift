import AssayCore
import Testing

@Suite("Score")
struct ScoreTests {
    private func read(_ text: String) -> UInt32? { Score(decimal: Array(text.utf8))?.millionths }

    @Test(
        "A decimal number is read exactly, and rounded half up to 6 places",
        arguments: [
            ("0", 0), ("1", 1_000_000), ("-0", 0), ("-0.0e5", 0), ("0.95", 950_000), ("1.0", 1_000_000), ("1e0", 1_000_000),
            ("9.5e-1", 950_000), ("0.00095E3", 950_000), ("95e-2", 950_000), ("0.1000000", 100_000), ("0.1234564", 123_456),
            ("0.1234565", 123_457), ("0.12345649999999999999999", 123_456), ("0.9999995", 1_000_000), ("0.9999994", 999_999),
            ("0.0000005", 1), ("0.00000049", 0), ("5e-7", 1), ("4e-7", 0), ("1e-9999", 0), ("0e9999", 0),
            ("0.94999998807907104", 950_000), ("1000000e-6", 1_000_000), ("10e-1", 1_000_000),
        ] as [(String, UInt32)])
    func exact(_ text: String, _ millionths: UInt32) { #expect(read(text) == millionths) }

    @Test(
        "Text that is no number from 0 to 1 is refused",
        arguments: [
            "", "-", ".", ".5", "5.", "1.", "00.5", "01", "+0.5", "-0.5", "-1", "1.0000001", "1.1", "2", "10", "1e1", "1e9999",
            "0.5e", "0.5e+", "0.5e99999", "0e10000", "0.5x", " 0.5", "0.5 ", "0,5", "0x1", "NaN", "1e-", "½", "1.00000000001",
            "0." + String(repeating: "1", count: 63),
        ])
    func refused(_ text: String) { #expect(read(text) == nil) }

    @Test("A score is written as the shortest decimal number, which is read as the same score")
    func written() throws {
        for (millionths, text) in [(0, "0"), (1_000_000, "1"), (896_000, "0.896"), (940_800, "0.9408"), (1, "0.000001")] {
            #expect(try #require(Score(millionths: UInt32(millionths))).description == text)
        }
        for millionths in stride(from: UInt32(0), through: 1_000_000, by: 997) {
            let score = try #require(Score(millionths: millionths))
            #expect(read(score.description) == millionths)
        }
        #expect(Score(millionths: 1_000_001) == nil)
    }
}
