import Testing

@testable import AssayCore

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("Two digits of either case behind a % are a byte, and all else stands for itself")
    func decoded() {
        for (text, bytes) in [("", ""), ("plain", "plain"), ("a%2Fb%2f", "a/b/"), ("%C3%A9é", "éé"), ("%2525", "%25")] {
            #expect(PercentEncoding.decode(text) == Array(bytes.utf8), "\(text)")
        }
        #expect(PercentEncoding.decode("%FF%00"[...]) == [0xFF, 0])
    }

    @Test(
        "A % without two digits is no text of the form",
        arguments: ["%", "%2", "a%", "%zz", "%+f", "%-1", "% f", "%2é", "%%41"])
    func malformed(_ text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}
