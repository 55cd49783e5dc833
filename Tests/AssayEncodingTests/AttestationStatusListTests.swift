import AssayCore
import Testing

@testable import AssayEncoding

@Suite("Attestation status list")
struct AttestationStatusListTests {
    private func list(_ text: String) throws(AttestationStatusListError) -> AttestationStatusList {
        try AttestationStatusList(parsing: Array(text.utf8)[...])
    }

    @Test("Serial numbers are read as hexadecimal: odd lengths, digits alone, leading zeros, either case")
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
        // The Kelvin sign, which Unicode equates with K: an unknown status, which counts as revoked.
        #expect(list.entries[[0x0E]]?.status != .revoked)
    }

    @Test(
        "A document of another form is refused",
        arguments: [
            "", "[]", "null", "{}", #"{"entries": []}"#,
            #"{"entries": {"1a": {"status": "REVOKED"}, "1a": {"status": "SUSPENDED"}}}"#, #"{"entries": {}} x"#,
            "<html></html>", #"{"entries": {"1a": {"status": "REVOK"#,
        ])
    func malformed(_ text: String) {
        #expect(throws: AttestationStatusListError.self) { try list(text) }
    }

    @Test(
        "An entry with an unreadable serial number is left out and counted",
        arguments: ["", "0", "000", "xyz", "0x1a", "1a:2b", " 1a", "\u{e9}", String(repeating: "1", count: 65)])
    func unreadableSerial(_ serial: String) throws {
        let list = try list(#"{"entries": {"1a": {"status": "REVOKED"}, "\#(serial)": {"status": "REVOKED"}}}"#)
        #expect(list.entries == [[0x1A]: .init(.revoked)])
        #expect(list.oddEntries.unreadable == 1 && list.oddEntries.unknownStatus == 0)
        #expect(list.oddEntries.example.utf8.count <= 40)
        #expect(list.oddEntries.example.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(
        "An entry with an unreadable status counts as revoked",
        arguments: [
            #""REVOKED""#, "{}", "null", "7", "[]", #"{"status": 1}"#, #"{"status": ""}"#, #"{"status": null}"#,
            #"{"state": "REVOKED"}"#, #"{"status": "\#(String(repeating: "R", count: 65))"}"#,
        ])
    func unreadableStatus(_ value: String) throws {
        let list = try list(#"{"entries": {"1a": {"status": "SUSPENDED"}, "2b": \#(value)}}"#)
        #expect(list.entries == [[0x1A]: .init(.suspended), [0x2B]: .init(.unreadable)])
        #expect(list.oddEntries == .init(unreadable: 1, unknownStatus: 0, example: "2b"))
    }

    @Test("Unknown statuses are counted and count as revoked, and the list is accepted")
    func unknownStatus() throws {
        let entries = (16..<116).map { #""\#(String($0, radix: 16))": {"status": "MELTED"}"# }.joined(separator: ", ")
        let list = try list(#"{"entries": {\#(entries)}}"#)
        #expect(list.oddEntries == .init(unreadable: 0, unknownStatus: 100, example: ""))
        #expect(list.entries.count == 100 && list.entries.values.allSatisfy { $0.status == .other("MELTED") })
    }

    @Test(
        "A list is refused with twenty or more unreadable entries that are more than one in a hundred",
        arguments: [(19, 19, true), (20, 1980, true), (20, 1979, false), (20, 0, false), (21, 2079, true), (21, 2078, false)])
    func manyUnreadable(_ unreadable: Int, _ good: Int, _ isTaken: Bool) throws {
        let entries =
            (0..<unreadable).map { #""x\#($0)": {"status": "REVOKED"}"# }
            + (0..<good).map { #""\#(String($0 + 16, radix: 16))": {"status": "REVOKED"}"# }
        let text = #"{"entries": {\#(entries.joined(separator: ", "))}}"#
        guard isTaken else {
            let words = "\(unreadable) of \(unreadable + good) entries cannot be read, such as \"x0\""
            #expect(throws: AttestationStatusListError(words)) { try list(text) }
            return
        }
        let taken = try list(text)
        #expect(taken.entries.count == good && taken.oddEntries.unreadable == unreadable)
    }

    @Test("A list is refused if it has more unreadable serial numbers than readable ones")
    func unnamed() throws {
        for text in [
            #"{"entries": {"50:dc:43": {"status": "REVOKED"}}}"#,
            #"{"entries": {"x": {"status": "REVOKED"}, "y": {"status": "REVOKED"}, "1a": {"status": "REVOKED"}}}"#,
        ] {
            #expect(throws: AttestationStatusListError.self) { try list(text) }
        }
        #expect(try list(#"{"entries": {}}"#).entries.isEmpty)
    }

    @Test(
        "Of two spellings of one number the worse status applies",
        arguments: [
            #"{"entries": {"1a": {"status": "SUSPENDED"}, "01a": {"status": "REVOKED"}}}"#,
            #"{"entries": {"1A": {"status": "REVOKED"}, "1a": {"status": "SUSPENDED"}}}"#,
        ])
    func spellings(_ text: String) throws { #expect(try list(text).entries == [[0x1A]: .init(.revoked)]) }
}
