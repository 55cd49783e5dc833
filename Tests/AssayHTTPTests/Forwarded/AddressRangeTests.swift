import Testing

@testable import AssayHTTP

@Suite("Address ranges")
struct AddressRangeTests {
    @Test(
        "A range is read and written",
        arguments: [
            ("10.0.0.0/8", "10.0.0.0/8"), ("192.0.2.7", "192.0.2.7"), ("192.0.2.7/32", "192.0.2.7"), ("0.0.0.0/0", "0.0.0.0/0"),
            ("192.0.2.128/25", "192.0.2.128/25"), ("2001:db8::/32", "2001:db8::/32"), ("2001:DB8:0::/32", "2001:db8::/32"),
            ("::1", "::1"), ("::1/128", "::1"), ("::/0", "::/0"), ("fe80::/10", "fe80::/10"),
            ("2001:db8::8000:0/97", "2001:db8::8000:0/97"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::ffff:0:0/96", "0.0.0.0/0"),
        ])
    func reading(_ text: String, _ written: String) throws {
        let range = try AddressRange(parsing: text)
        #expect(range.description == written)
        let again = try AddressRange(parsing: written)
        #expect(again == range)
    }

    @Test(
        "A text that is no range is refused",
        arguments: [
            "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8 ",
            " 10.0.0.0/8",
            "10.0.0/8", "10/8", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "010.0.0.0/8", "256.0.0.0/8", "10.0.0.0/1e1",
            "10.0.0.0/999",
            "10.0.0.0/99999999999999999999", "10.0.0.0/٨", "2001:db8::/129", "2001:db8::/", "[2001:db8::]/32", "fe80::1%eth0",
            "::ffff:10.0.0.0/129", "localhost", "unix", "*", "10.0.0.1:80", "10.0.0.1\u{0}/32", "10.0.0.1\u{0}",
            String(repeating: "1", count: 100_000),
        ])
    func malformed(_ text: String) {
        #expect(throws: AddressRange.Defect.self) { try AddressRange(parsing: text) }
    }

    @Test(
        "A range with bits beyond its length is refused with the range around it",
        arguments: [
            ("10.0.0.1/8", "10.0.0.0/8"), ("192.0.2.1/0", "0.0.0.0/0"), ("192.0.2.192/25", "192.0.2.128/25"),
            ("2001:db8::1/32", "2001:db8::/32"), ("2001:db8::1/64", "2001:db8::/64"), ("::1/127", "::/127"),
            ("::ffff:10.0.0.1/104", "10.0.0.0/8"), ("::ffff:10.0.0.0/90", "::ffc0:0:0/90"), ("::ffff:10.0.0.0/0", "::/0"),
        ])
    func hostBits(_ text: String, _ around: String) throws {
        let defect = #expect(throws: AddressRange.Defect.self) { try AddressRange(parsing: text) }
        #expect(defect?.description.contains(" \(around) is the range around it") == true, "\(defect?.description ?? "")")
        #expect(defect?.description.hasPrefix("\"\(text)\" has bits beyond the first ") == true)
        #expect((try? AddressRange(parsing: around)) != nil)
    }

    @Test("A sentence about a long text is short")
    func long() {
        let defect = #expect(throws: AddressRange.Defect.self) {
            try AddressRange(parsing: String(repeating: "x", count: 100_000))
        }
        #expect((defect?.description.count ?? .max) < 300)
    }

    @Test(
        "A range contains the addresses that begin with its bits, and only those of its family",
        arguments: [
            (
                "10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3", "::ffff:a01:203"],
                ["9.255.255.255", "11.0.0.0", "::10.0.0.0", "a00::"]
            ),
            ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]),
            ("192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127"]),
            ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255", "::ffff:1.2.3.4"], ["::", "2001:db8::1"]),
            ("::/0", ["::", "2001:db8::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["1.2.3.4", "::ffff:1.2.3.4"]),
            ("2001:db8::/32", ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"], ["2001:db7:ffff::", "2001:db9::"]),
            ("2001:db8::/64", ["2001:db8::ffff:ffff:ffff:ffff"], ["2001:db8:0:1::"]),
            ("2001:db8::8000:0:0:0/65", ["2001:db8::8000:0:0:0", "2001:db8::ffff:0:0:0"], ["2001:db8::7fff:0:0:0"]),
            ("::/63", ["::1:0:0:0:1"], ["::2:0:0:0:1"]), ("::1", ["::1"], ["::", "::2", "0.0.0.1"]),
            ("::ffff:10.0.0.0/104", ["10.9.9.9"], ["11.0.0.0"]),
        ])
    func containing(_ text: String, _ inside: [String], _ outside: [String]) throws {
        let range = try AddressRange(parsing: text)
        for address in inside {
            let address = try #require(NumericAddress(address.utf8))
            #expect(range.contains(address), "\(address)")
        }
        for address in outside {
            let address = try #require(NumericAddress(address.utf8))
            #expect(!range.contains(address), "\(address)")
        }
    }

    @Test("An address has one text in all forms that it is read in")
    func oneText() {
        for text in ["2001:db8::1", "2001:DB8:0:0::1", "2001:0db8:0000:0000:0000:0000:0000:0001"] {
            #expect(NumericAddress(text.utf8)?.description == "2001:db8::1")
        }
        #expect(NumericAddress("::ffff:c000:207".utf8)?.description == "192.0.2.7")
        #expect(
            NumericAddress("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".utf8)?.description
                == "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")
    }
}
