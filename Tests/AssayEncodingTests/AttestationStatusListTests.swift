import AssayCore
import AssayEncoding
import Testing

@Suite("Google's list of revoked certificates")
struct AttestationStatusListTests {
    private func entries(_ text: String) throws -> [[UInt8]: RevocationSnapshot.Entry] {
        try AttestationStatusList(parsing: Array(text.utf8)[...]).entries
    }

    @Test("has hexadecimal keys of any length, also where they are digits alone")
    func keys() throws {
        let entries = try entries(
            """
            {"_about": 1, "entries": {"c35747a084470c3": {"status": "REVOKED", "reason": "KEY_COMPROMISE", "comment": "x"},
             "6681152659205225093": {"status": "SUSPENDED"}, "0A": {"status": "LOST"}}}
            """)
        #expect(entries[[0x0C, 0x35, 0x74, 0x7A, 0x08, 0x44, 0x70, 0xC3]] == .init(.revoked, reason: "KEY_COMPROMISE"))
        #expect(entries[[0x06, 0x68, 0x11, 0x52, 0x65, 0x92, 0x05, 0x22, 0x50, 0x93]] == .init(.suspended))
        #expect(entries[[0x0A]] == .init(.other("LOST")))
        #expect(entries.count == 3)
    }

    @Test("says the worse of two entries for one number")
    func worse() throws {
        let both = ["\"a\": {\"status\": \"REVOKED\"}", "\"0a\": {\"status\": \"SUSPENDED\"}"]
        for list in [both, both.reversed()] {
            #expect(try entries("{\"entries\": {\(list.joined(separator: ","))}}") == [[0x0A]: .init(.revoked)])
        }
    }

    @Test(
        "is refused where it is another document",
        arguments: [
            "", "[]", "{}", "{\"entries\": []}", "{\"entries\": {\"x\": {\"status\": \"REVOKED\"}}}",
            "{\"entries\": {\"\": {\"status\": \"REVOKED\"}}}", "{\"entries\": {\"a\": {}}}",
            "{\"entries\": {\"a\": \"REVOKED\"}}",
            "{\"entries\": {\"a\": {\"status\": \"\"}}}", "{\"entries\": {}} x",
            "{\"entries\": {\"a\": {\"status\": \"REVOKED\"}, \"a\": {\"status\": \"REVOKED\"}}}",
        ])
    func others(_ text: String) {
        #expect(throws: AttestationStatusListError.self) { try entries(text) }
    }
}
