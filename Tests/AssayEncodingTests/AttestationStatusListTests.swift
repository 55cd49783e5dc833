import AssayCore
import AssayEncoding
import Testing

@Suite("Attestation status list")
struct AttestationStatusListTests {
    private func list(_ text: String) throws(AttestationStatusListError) -> AttestationStatusList {
        try AttestationStatusList(parsing: Array(text.utf8)[...])
    }

    @Test("reads serial numbers as hexadecimal: odd lengths, digits alone, leading zeros, either case")
    func serials() throws {
        let list = try list(
            """
            {"_about": 1, "entries": {
                "2c8cdddfd5e03bfc": {"status": "REVOKED", "reason": "KEY_COMPROMISE", "expires": "2030-01-01"},
                "5c8cdddfd5e03bf": {"status": "SUSPENDED"}, "11233824344008680171": {"status": "REVOKED"},
                "00ABC": {"status": "MELTED"}, "e": {"status": "REVO\u{212A}ED"}}}
            """)
        #expect(list.entries.count == 5)
        #expect(list.entries[[0x2C, 0x8C, 0xDD, 0xDF, 0xD5, 0xE0, 0x3B, 0xFC]]?.reason == "KEY_COMPROMISE")
        #expect(list.entries[[0x05, 0xC8, 0xCD, 0xDD, 0xFD, 0x5E, 0x03, 0xBF]]?.status == .suspended)
        #expect(list.entries[[0x11, 0x23, 0x38, 0x24, 0x34, 0x40, 0x08, 0x68, 0x01, 0x71]]?.status == .revoked)
        #expect(list.entries[[0x0A, 0xBC]]?.status == .other("MELTED"))
        // The Kelvin sign, which Unicode takes for a K: another word, which counts as revoked all the same.
        #expect(list.entries[[0x0E]]?.status != .revoked)
    }

    @Test(
        "is none where it is not written as documented",
        arguments: [
            "", "[]", "null", "{}", #"{"entries": []}"#, #"{"entries": {"": {"status": "REVOKED"}}}"#,
            #"{"entries": {"0": {"status": "REVOKED"}}}"#, #"{"entries": {"xyz": {"status": "REVOKED"}}}"#,
            #"{"entries": {"1a": {"status": 1}}}"#, #"{"entries": {"1a": {}}}"#, #"{"entries": {"1a": "REVOKED"}}"#,
            #"{"entries": {"1a": {"status": "REVOKED"}, "1a": {"status": "SUSPENDED"}}}"#, #"{"entries": {}} x"#,
            #"{"entries": {"\#(String(repeating: "1", count: 65))": {"status": "REVOKED"}}}"#, "<html></html>",
            #"{"entries": {"1a": {"status": "REVOK"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: AttestationStatusListError.self) { try list(text) }
    }

    @Test(
        "takes the worse of two spellings of one number",
        arguments: [
            #"{"entries": {"1a": {"status": "SUSPENDED"}, "01a": {"status": "REVOKED"}}}"#,
            #"{"entries": {"1A": {"status": "REVOKED"}, "1a": {"status": "SUSPENDED"}}}"#,
        ])
    func spellings(_ text: String) throws { #expect(try list(text).entries == [[0x1A]: .init(.revoked)]) }
}
