import AssayCore
import Testing

@testable import AssayVendors

@Suite("Attestation status list")
struct AttestationStatusListTests {
    private func list(_ text: String) throws(AttestationStatusListError) -> AttestationStatusList {
        try AttestationStatusList(parsing: Array(text.utf8)[...])
    }

    /// The list of a text in which `~` stands for the bytes.
    private func list(_ text: String, _ odd: [UInt8]) throws(AttestationStatusListError) -> AttestationStatusList {
        let pieces = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
        return try AttestationStatusList(parsing: Array(pieces.joined(separator: odd))[...])
    }

    /// What cannot be read in a text: no UTF-8, a lone surrogate, an unknown escape, a control character.
    private static let unreadable: [[UInt8]] =
        [[0xC3], [0xFF], [0xED, 0xA0, 0x80]] + [#"\ud800"#, #"\udc00"#, #"\x"#, "\n"].map { Array($0.utf8) }

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
        // The Kelvin sign, which Unicode equates with K: an unknown status, which counts as revoked.
        #expect(list.entries[[0x0E]]?.status != .revoked)
    }

    @Test(
        "A document of another form is refused",
        arguments: [
            "", "[]", "null", "{}", #"{"entries": []}"#, #"{"entries": {}} x"#, #"{"entries": {}}{"entries": {}}"#,
            "<html></html>", #"{"entries": {"1a": {"status": "REVOK"#, #"{"entries": {"1a": {"status": "REVOKED"}}"#,
            #"{"entries": {"1a": {"status": "REVOKED"},}}"#, #"{"entries": {"1a": {"status": "REVOKED"} "1b": {}}}"#,
            #"{"entries": {"1a": {"comment": "a "word"", "status": "REVOKED"}}}"#, #"{"entries": {"1a": {"status": REVOKED}}}"#,
            #"{"entries": {"1a": {"comment": "no end, "status": "REVOKED"}}}"#, #"{"entries": {"1a": {"status": "REVOKED\"}}}"#,
            #"{"entries": {"1a": {"status": "REVOKED"}}, "entries": []}"#, #"{"ent\ud800ries": {"1a": {"status": "REVOKED"}}}"#,
            #"{"entries": {"1a": {"comment": "# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}}}",
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

    @Test(
        "takes the worst of several entries for one serial number, and counts each beyond the first",
        arguments: [
            (#""1a": {"status": "REVOKED"}, "1a": {"status": "SUSPENDED"}"#, "REVOKED", 1),
            (#""1a": {"status": "SUSPENDED"}, "1a": {"status": "REVOKED"}"#, "REVOKED", 1),
            (#""1a": {"status": "SUSPENDED"}, "\u0031a": {"status": "REVOKED"}"#, "REVOKED", 1),
            (#""1a": {"status": "SUSPENDED"}, "1a": {"status": "SUSPENDED"}"#, "SUSPENDED", 1),
            (#""1a": {"status": "SUSPENDED"}, "1a": {}"#, "UNREADABLE", 1),
            (#""1a": 7, "1a": {"status": "SUSPENDED"}"#, "UNREADABLE", 2),
            (#""1a": {"status": "SUSPENDED"}, "1a": {"status": "MELTED"}"#, "MELTED", 1),
            (#""1a": {"status": "SUSPENDED"}, "1A": {"status": "REVOKED"}, "01a": {"status": "SUSPENDED"}"#, "REVOKED", 2),
        ])
    func doubledSerial(_ entries: String, _ status: String, _ unreadable: Int) throws {
        let list = try list(#"{"entries": {"f0": {"status": "REVOKED"}, \#(entries), "f1": {"status": "SUSPENDED"}}}"#)
        #expect(list.entries[[0x1A]]?.status.text == status && list.entries.count == 3)
        #expect(list.entries[[0xF0]]?.status == .revoked && list.entries[[0xF1]]?.status == .suspended)
        #expect(list.oddEntries.unreadable == unreadable && list.oddEntries.example.lowercased().hasSuffix("1a"))
    }

    @Test(
        "A listed serial number with two statuses counts as revoked, also if both say the same",
        arguments: [
            #""status": "SUSPENDED", "status": "SUSPENDED""#, #""status": "SUSPENDED", "status": "REVOKED""#,
            #""status": "REVOKED", "status": 1"#, #""status": null, "st\u0061tus": "SUSPENDED""#,
        ])
    func doubledStatus(_ members: String) throws {
        let list = try list(#"{"entries": {"1a": {"status": "SUSPENDED"}, "2b": {\#(members)}, "3c": {"status": "REVOKED"}}}"#)
        #expect(list.entries == [[0x1A]: .init(.suspended), [0x2B]: .init(.unreadable), [0x3C]: .init(.revoked)])
        #expect(list.oddEntries == .init(unreadable: 1, unknownStatus: 0, example: "2b"))
    }

    @Test("does not mind what stands twice elsewhere, and takes no reason that does")
    func doubledElsewhere() throws {
        let list = try list(
            """
            {"a": 1, "a": 2, "entries": {
                "1a": {"status": "SUSPENDED", "comment": "x", "comment": "y", "more": {"b": 1, "b": 2}},
                "2b": {"reason": "SUPERSEDED", "status": "REVOKED", "reason": "KEY_COMPROMISE"}}}
            """)
        #expect(list.entries == [[0x1A]: .init(.suspended), [0x2B]: .init(.revoked)] && list.oddEntries == .none)
    }

    @Test("takes two lists in one document for one, and counts the second")
    func doubledList() throws {
        let two = try list(
            """
            {"entries": {"1a": {"status": "SUSPENDED"}, "2b": {"status": "REVOKED"}},
             "entries": {"1a": {"status": "REVOKED"}, "3c": {"status": "SUSPENDED"}}}
            """)
        #expect(two.entries == [[0x1A]: .init(.revoked), [0x2B]: .init(.revoked), [0x3C]: .init(.suspended)])
        #expect(two.oddEntries == .init(unreadable: 2, unknownStatus: 0, example: "entries"))
        #expect(try list(#"{"entries": {}, "entries": {"1a": {"status": "REVOKED"}}}"#).entries.count == 1)
        // The same list again is many entries that stand twice.
        let entries = (16..<36).map { #""\#(String($0, radix: 16))": {"status": "REVOKED"}"# }.joined(separator: ", ")
        #expect(throws: AttestationStatusListError.self) { try list(#"{"entries": {\#(entries)}, "entries": {\#(entries)}}"#) }
    }

    @Test("does not mind what cannot be read in a comment, a reason or an unknown member", arguments: unreadable)
    func unreadableComment(_ odd: [UInt8]) throws {
        let list = try list(
            """
            {"about": "~", "~": "~", "entries": {
                "1a": {"status": "SUSPENDED", "comment": "~", "~": 7}, "2b": {"reason": "~", "status": "REVOKED"},
                "3c": {"status": "REVOKED", "reason": "KEY_COMPROMISE", "comment": "é~é"}}}
            """, odd)
        #expect(
            list.entries == [
                [0x1A]: .init(.suspended), [0x2B]: .init(.revoked), [0x3C]: .init(.revoked, reason: "KEY_COMPROMISE"),
            ])
        #expect(list.oddEntries == .none)
    }

    @Test("takes a listed serial number for revoked where its status holds what cannot be read", arguments: unreadable)
    func unreadableText(_ odd: [UInt8]) throws {
        let list = try list(
            #"{"entries": {"1a": {"status": "SUSPENDED~"}, "2b": {"stat~us": "SUSPENDED"}, "3c": {"status": "SUSPENDED"}}}"#,
            odd)
        #expect(list.entries == [[0x1A]: .init(.unreadable), [0x2B]: .init(.unreadable), [0x3C]: .init(.suspended)])
        #expect(list.oddEntries == .init(unreadable: 2, unknownStatus: 0, example: "1a"))
    }

    @Test("leaves out an entry whose serial number holds what cannot be read, and counts it", arguments: unreadable)
    func unreadableName(_ odd: [UInt8]) throws {
        let entries = ["1a", "2~b", "3c~", "4d"].map { #""\#($0)": {"status": "REVOKED"}"# }.joined(separator: ", ")
        let list = try list(#"{"entries": {\#(entries)}}"#, odd)
        #expect(list.entries == [[0x1A]: .init(.revoked), [0x4D]: .init(.revoked)])
        #expect(list.oddEntries.unreadable == 2 && list.oddEntries.example.hasPrefix("2?"))
    }

    @Test(
        "is refused when many entries stand twice or hold what cannot be read",
        arguments: [(19, 19, true), (20, 1980, true), (20, 1979, false)])
    func manyOdd(_ odd: Int, _ good: Int, _ isTaken: Bool) throws {
        let entries = (0..<good).map { #""\#(String($0 + 16, radix: 16))": {"status": "REVOKED"}"# }
        for kind in [
            (0..<odd).map { #""\#(String($0 % good + 16, radix: 16))": {"status": "REVOKED"}"# },
            (0..<odd).map { #""a\ud800\#($0)": {"status": "REVOKED"}"# },
            (0..<odd).map { #""\#(String($0 + 65536, radix: 16))": {"status": "REVOKED", "status": "REVOKED"}"# },
        ] {
            let text = #"{"entries": {\#((entries + kind).joined(separator: ", "))}}"#
            if isTaken {
                #expect(try list(text).oddEntries.unreadable == odd)
            } else {
                let error = #expect(throws: AttestationStatusListError.self) { try list(text) }
                #expect(error?.description.hasPrefix("\(odd) of \(odd + good) entries cannot be read, such as ") == true)
            }
        }
    }
}

extension RevocationSnapshot.Serial: ExpressibleByArrayLiteral {
    public init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}
