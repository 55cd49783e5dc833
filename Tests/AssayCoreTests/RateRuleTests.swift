import Testing

@testable import AssayCore

@Suite("Rates")
struct RateRuleTests {
    @Test(
        "A rate is read as it is written, and written as it is read",
        arguments: [
            ("10/h", 10, 360_000_000 as Int64), ("100/h burst 20", 20, 36_000_000), ("5/s", 5, 200_000),
            ("1/d", 1, 86_400_000_000),
            ("600/m burst 1000000", 1_000_000, 100_000), ("10000/s", 10_000, 100),
        ])
    func forms(_ text: String, _ burst: Int, _ interval: Int64) throws {
        let rule = try #require(RateRule(text))
        #expect(rule.burst == burst && rule.interval == interval && rule.capacity == interval * Int64(burst))
        #expect("\(rule)" == text)
    }

    @Test("A burst that is the count is left out")
    func usualBurst() throws { #expect("\(try #require(RateRule("7/m burst 7")))" == "7/m") }

    @Test("Tokens come at most as often as the rate says, also where the period is no multiple")
    func rounding() throws {
        let rule = try #require(RateRule("7/s"))
        #expect(rule.interval * 7 >= 1_000_000 && rule.interval * 7 < 1_000_007)
    }

    @Test(
        "Other texts are no rate",
        arguments: [
            "", "/", "10", "10/", "/h", "10/w", "10/H", "-1/h", "+1/h", "0/h", "1.5/h", "10 /h", "10/ h", "10/h ", " 10/h",
            "10/h burst", "10/h burst 0", "10/h burst -1", "10/h burst 1000001", "10/h burst 5 ", "10/h  burst 5", "10/h max 5",
            "10/h burst 5 more", "10001/s", "1000001/d", "99999999999999999999/d", "10/h/h", "１/h",
        ])
    func refused(_ text: String) { #expect(RateRule(text) == nil) }

    @Test("No rate overflows: the longest capacity is below 2^57 microseconds")
    func longest() throws {
        let rule = try #require(RateRule("1/d burst 1000000"))
        #expect(rule.capacity < 1 << 57)
    }
}

@Suite("Source address")
struct SourceAddressTests {
    private func address(_ text: String) -> SourceAddress? { SourceAddress(text: text.utf8) }

    @Test("An IPv4 address is counted as a whole, in each form in which it can stand in an IPv6 address")
    func four() throws {
        let plain = try #require(address("192.0.2.1"))
        #expect(plain.text == "192.0.2.1")
        for form in ["::ffff:192.0.2.1", "::FFFF:c000:201", "64:ff9b::192.0.2.1", "64:ff9b::c000:0201"] {
            #expect(address(form) == plain, "\(form)")
        }
        #expect(address("192.0.2.2") != plain)
        // Not a mapped address.
        #expect(address("::192.0.2.1") != plain)
    }

    @Test("An IPv6 address is counted by its first 64 bits")
    func six() throws {
        let one = try #require(address("2001:db8:1:2::1"))
        #expect(address("2001:0db8:0001:0002:ffff:ffff:ffff:ffff") == one)
        #expect(address("2001:db8:1:3::1") != one)
        #expect(one.text == "2001:db8:1:2::")
        #expect(address(one.text) == one)
    }

    @Test(
        "Other texts are no address",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.1.1.1", "1.2.3.4:80", "[::1]", "::1%eth0",
            "fe80::1%1",
            "1.2.3.4/32", " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\u{0}", "::1\u{0}x", "localhost", ":::", "1:2:3:4:5:6:7:8:9",
            "2001:db8::1::1", "１.2.3.4", String(repeating: "1", count: 46),
        ])
    func refused(_ text: String) { #expect(address(text) == nil) }

    @Test("It is no part of a request's digest: a client may repeat a request from another address")
    func digest() throws {
        let app = try #require(AppID("camera"))
        var request = VerificationRequest(app: app, purpose: .assert, challenge: [1], evidence: [])
        let before = request.digest
        request.sourceAddress = address("192.0.2.1")
        #expect(request.digest == before)
    }
}
