import AssayRPC
import AssayTesting
import Testing

@testable import AssayHTTP

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    private static let noNames = RPCPeerNames(uris: [], dnsNames: [])
    /// A proxy of the list.
    private static let proxy = RPCPeer.tcp(address: "10.0.0.1", port: 4711, isLoopback: false)

    private let proxies: TrustedProxies

    init() throws { proxies = try TrustedProxies(parsing: ["10.0.0.0/8", "2001:db8:aaaa::/48", "192.0.2.99"]) }

    private func client(_ forwarded: [String], for forwardedFor: [String] = []) throws -> String? {
        try proxies.client(of: Self.proxy, forwarded: forwarded, forwardedFor: forwardedFor)
    }

    // MARK: Configuration

    @Test("The list of a configuration has addresses, ranges and the word unix")
    func parsing() throws {
        #expect(proxies.ranges.map(\.description) == ["10.0.0.0/8", "2001:db8:aaaa::/48", "192.0.2.99"] && !proxies.unix)
        let unix = try TrustedProxies(parsing: ["unix", "::1"])
        #expect(unix.unix && unix.ranges.map(\.description) == ["::1"])
        #expect(try TrustedProxies(parsing: []) == TrustedProxies())
        #expect(throws: AddressRange.Defect.self) { try TrustedProxies(parsing: ["10.0.0.0/8", "Unix"]) }
        #expect(throws: AddressRange.Defect.self) { try TrustedProxies(parsing: ["10.0.0.1/8"]) }
    }

    // MARK: Who is believed

    @Test(
        "A peer of the list is believed, also with a certificate or a key",
        arguments: [
            .tcp(address: "10.0.0.1", port: 1, isLoopback: false), .tcp(address: "::ffff:10.0.0.1", port: 1, isLoopback: false),
            .tcp(address: "192.0.2.99", port: 1, isLoopback: false), .tls(address: "2001:db8:aaaa::7", port: 1, names: noNames),
            .tls(address: "2001:db8:aaaa::7%eth0", port: 1, names: noNames),
            .key(name: "edge", origin: .tcp(address: "10.0.0.1", port: 1, isLoopback: false)),
        ] as [RPCPeer])
    func believed(_ peer: RPCPeer) throws {
        #expect(try proxies.client(of: peer, forwarded: ["for=203.0.113.7"], forwardedFor: []) == "203.0.113.7")
        #expect(try proxies.client(of: peer, forwarded: [], forwardedFor: ["203.0.113.7"]) == "203.0.113.7")
    }

    @Test(
        "A peer that is not of the list is never believed",
        arguments: [
            .tcp(address: "11.0.0.1", port: 1, isLoopback: false), .tcp(address: "127.0.0.1", port: 1, isLoopback: true),
            .tls(address: "2001:db8:aaab::7", port: 1, names: noNames), .tcp(address: "", port: 1, isLoopback: false),
            .tcp(address: "nothing", port: 1, isLoopback: false), .tcp(address: "10.0.0.1 ", port: 1, isLoopback: false),
            .key(name: "edge", origin: .tcp(address: "11.0.0.1", port: 1, isLoopback: false)),
            .unix(userID: 0, groupID: 0, processID: 1), .key(name: "edge", origin: .unix(userID: 0, groupID: 0, processID: 1)),
        ] as [RPCPeer])
    func notBelieved(_ peer: RPCPeer) throws {
        #expect(try proxies.client(of: peer, forwarded: ["for=203.0.113.7"], forwardedFor: ["203.0.113.7"]) == nil)
        #expect(try TrustedProxies().client(of: peer, forwarded: ["for=203.0.113.7"], forwardedFor: []) == nil)
    }

    @Test("A peer at a Unix socket is believed only where the list says so, and no other peer with it")
    func unix() throws {
        let unix = TrustedProxies([], unix: true)
        let socket = RPCPeer.unix(userID: 33, groupID: 33, processID: 1)
        #expect(try unix.client(of: socket, forwarded: [], forwardedFor: ["203.0.113.7"]) == "203.0.113.7")
        let shown = RPCPeer.key(name: "edge", origin: socket)
        #expect(try unix.client(of: shown, forwarded: [], forwardedFor: ["203.0.113.7"]) == "203.0.113.7")
        #expect(try unix.client(of: Self.proxy, forwarded: [], forwardedFor: ["203.0.113.7"]) == nil)
    }

    @Test("Without a header there is no client")
    func noHeader() throws { #expect(try client([]) == nil) }

    // MARK: Forwarded

    @Test(
        "Forwarded names a client, in every form that RFC 7239 has",
        arguments: [
            ("for=192.0.2.43", "192.0.2.43"), ("For=192.0.2.43", "192.0.2.43"), ("FOR=\"192.0.2.43\"", "192.0.2.43"),
            ("for=192.0.2.43;proto=http;by=203.0.113.43", "192.0.2.43"),
            ("proto=http;by=203.0.113.43;for=192.0.2.43", "192.0.2.43"),
            ("for=\"192.0.2.43:47011\"", "192.0.2.43"), ("for=\"192.0.2.43:_port\"", "192.0.2.43"),
            ("for=\"[2001:db8:cafe::17]\"", "2001:db8:cafe::17"), ("for=\"[2001:DB8:cafe:0::17]:4711\"", "2001:db8:cafe::17"),
            ("for=\"[2001:db8:cafe::17]:_p.-1\"", "2001:db8:cafe::17"), ("for=\"[::ffff:192.0.2.43]\"", "192.0.2.43"),
            ("for=\"192.0.2.\\43\"", "192.0.2.43"), ("  for=192.0.2.43 ; proto=http\t", "192.0.2.43"),
            ("for=192.0.2.43;", "192.0.2.43"),
            ("for=192.0.2.43;host=\"a,b;for=1.2.3.4\"", "192.0.2.43"),
            ("host=\"\\\",for=1.2.3.4\";for=192.0.2.43", "192.0.2.43"),
            ("for=192.0.2.43;secret=\"\\\\\"", "192.0.2.43"), ("for=192.0.2.43;ext=_x", "192.0.2.43"),
            ("for=127.0.0.1", "127.0.0.1"),
        ])
    func forms(_ value: String, _ address: String) throws { #expect(try client([value]) == address) }

    @Test(
        "A hop that is hidden or not written as RFC 7239 demands names no client, though another stands before it",
        arguments: [
            "for=unknown", "for=UNKNOWN", "for=\"unknown:80\"", "for=_hidden", "for=\"_SEVKISEK:_x\"", "by=1.2.3.4",
            "proto=http", "", " ",
            ";", "for", "for=", "=1.2.3.4", "for =1.2.3.4", "for= 1.2.3.4", "for=1.2.3.4 5", "for=1.2.3.4;for=1.2.3.4",
            "for=1.2.3.4;FOR=unknown", "for=1.2.3.4:80", "for=[2001:db8::1]", "for=2001:db8::1", "for=\"2001:db8::1\"",
            "for=\"[1.2.3.4]\"", "for=\"[2001:db8::1\"", "for=\"[2001:db8::1]80\"", "for=\"[2001:db8::1]:\"",
            "for=\"1.2.3.4:\"",
            "for=\"1.2.3.4:123456\"", "for=\"1.2.3.4:8a\"", "for=\"1.2.3.4:_\"", "for=\"[fe80::1%eth0]\"", "for=\"[]\"",
            "for=\"\"", "for=_",
            "for=\"_a b\"", "for=1.2.3", "for=1.2.3.256", "for=01.2.3.4", "for=\"1.2.3.4", "for=1.2.3.4\"", "for=\"1.2.3.4\\\"",
            "for='1.2.3.4'", "for=\"1.2.3.4\u{0}\"", "for=1.2.3.4;proto", "for=1.2.3.4;;proto=http", "for=\"1.2.3.4\"x",
            "fоr=1.2.3.4",
            "for=１.2.3.4", "for=\"[٢001::]\"", "for=1.2.3.4;a b=c",
        ])
    func nameless(_ value: String) throws {
        #expect(try client([value]) == nil)
        #expect(try client(["for=203.0.113.7, " + value]) == nil)
        #expect(try client(["for=203.0.113.7", value]) == nil)
    }

    @Test(
        "The hops are read from the last one, and the first that is no proxy of the list is the client",
        arguments: [
            (["for=1.1.1.1, for=2.2.2.2"], "2.2.2.2"), (["for=1.1.1.1, for=2.2.2.2,for=10.0.0.2"], "2.2.2.2"),
            (["for=1.1.1.1", "for=2.2.2.2"], "2.2.2.2"),
            (["for=1.1.1.1, for=2.2.2.2", "for=10.0.0.2, for=10.0.0.3"], "2.2.2.2"),
            (["for=2.2.2.2", "for=\"[2001:db8:aaaa::1]:1\"", "for=\"192.0.2.99:1\""], "2.2.2.2"),
            (["for=2.2.2.2, for=\"[::ffff:10.9.9.9]\""], "2.2.2.2"), (["for=10.0.0.2"], nil),
            (["for=10.0.0.3, for=10.0.0.2"], nil),
            (["for=1.1.1.1, for=unknown, for=10.0.0.2"], nil), (["for=1.1.1.1, , for=10.0.0.2"], nil), (["for=1.1.1.1,"], nil),
            (["for=1.1.1.1", "", "for=10.0.0.2"], nil), (["for=1.1.1.1, for=_x;by=10.0.0.1"], nil),
        ] as [([String], String?)])
    func order(_ lines: [String], _ address: String?) throws { #expect(try client(lines) == address) }

    @Test(
        "What a client writes before the hop of the proxy does not change how that hop is read",
        arguments: [
            "for=\"", "for=\"1.2.3.4", "for=1.2.3.4;by=\"", "\"", "\\", "\\\"", "for=1.2.3.4;host=\"a\\", "for=\"\\\\\\", ",,,",
            ";", "=",
            "for=9.9.9.9;x=\",for=\"", String(repeating: "\"", count: 999), "for=10.0.0.9", "é\u{0}",
        ])
    func poison(_ written: String) throws {
        #expect(try client([written + ", for=5.6.7.8"]) == "5.6.7.8")
        #expect(try client([written + ",for=\"[2001:db8::1]:80\";host=\"a\\\"b,for=9.9.9.9\""]) == "2001:db8::1")
        #expect(try client([written, "for=5.6.7.8"]) == "5.6.7.8")
        #expect(try client([written + ", for=5.6.7.8, for=10.0.0.2"]) == "5.6.7.8")
    }

    @Test("A quoted string without a beginning leaves nothing to believe, in the lines before it neither")
    func unopened() throws { #expect(try client(["for=1.2.3.4", "for=10.0.0.2\"", "for=10.0.0.3"]) == nil) }

    // MARK: X-Forwarded-For

    @Test(
        "X-Forwarded-For has addresses, and many proxies add a port",
        arguments: [
            (["192.0.2.43"], "192.0.2.43"), ([" 192.0.2.43\t"], "192.0.2.43"), (["192.0.2.43:80"], "192.0.2.43"),
            (["2001:db8::17"], "2001:db8::17"),
            (["[2001:db8::17]"], "2001:db8::17"), (["[2001:db8::17]:443"], "2001:db8::17"),
            (["::ffff:192.0.2.43"], "192.0.2.43"),
            (["1.1.1.1, 2.2.2.2"], "2.2.2.2"), (["1.1.1.1,2.2.2.2 ,10.0.0.2"], "2.2.2.2"),
            (["1.1.1.1", "2.2.2.2", "10.0.0.2, 192.0.2.99"], "2.2.2.2"),
            (["10.0.0.2"], nil), (["unknown"], nil), (["1.1.1.1, unknown"], nil), (["1.1.1.1, _x"], nil), (["1.1.1.1, "], nil),
            ([""], nil),
            ([","], nil), (["1.1.1.1", ""], nil), (["1.1.1.1,,10.0.0.2"], nil), (["1.1.1.1, \"2.2.2.2\""], nil),
            (["1.1.1.1 2.2.2.2"], nil),
            (["1.1.1.1, for=2.2.2.2"], nil), (["1.1.1.1, 2.2.2"], nil), (["1.1.1.1, fe80::1%eth0"], nil),
            (["1.1.1.1, 2.2.2.2/32"], nil),
            (["1.1.1.1, localhost"], nil), (["\", 2.2.2.2"], "2.2.2.2"), (["2.2.2.2\u{0}"], nil), (["1.1.1.1;2.2.2.2"], nil),
        ] as [([String], String?)])
    func forwardedFor(_ lines: [String], _ address: String?) throws { #expect(try client([], for: lines) == address) }

    // MARK: Both

    @Test(
        "Two headers that name the same client are believed",
        arguments: [
            ("for=2.2.2.2", "2.2.2.2", "2.2.2.2"), ("for=\"[2001:db8::1]\"", "2001:DB8:0::1", "2001:db8::1"),
            ("for=2.2.2.2", "::ffff:2.2.2.2", "2.2.2.2"),
            ("for=2.2.2.2, for=10.0.0.2", "2.2.2.2", "2.2.2.2"), ("for=unknown", "unknown", nil),
            ("for=10.0.0.2", "10.0.0.2", nil),
        ] as [(String, String, String?)])
    func both(_ forwarded: String, _ forwardedFor: String, _ address: String?) throws {
        #expect(try client([forwarded], for: [forwardedFor]) == address)
    }

    @Test(
        "Two headers that name different clients are refused: one of them is as the client wrote it",
        arguments: [
            ("for=2.2.2.2", "3.3.3.3"), ("for=unknown", "3.3.3.3"), ("for=2.2.2.2", "unknown"), ("", "3.3.3.3"),
            ("for=2.2.2.2", ""), ("for=10.0.0.2", "3.3.3.3"),
        ])
    func differing(_ forwarded: String, _ forwardedFor: String) throws {
        #expect(throws: TrustedProxies.Disagreement.self) { try client([forwarded], for: [forwardedFor]) }
        let others = try TrustedProxies(parsing: ["192.0.2.99"])
        let address = try others.client(of: Self.proxy, forwarded: [forwarded], forwardedFor: [forwardedFor])
        #expect(address == nil, "what a peer says that is not believed is not looked at")
    }

    // MARK: Bounds

    @Test("At most 32 hops are looked at")
    func hops() throws {
        for (count, address) in [(30, "2.2.2.2"), (31, "2.2.2.2"), (32, nil), (33, nil), (100_000, nil)] as [(Int, String?)] {
            let lists = [("for=2.2.2.2", "for=10.0.0.2"), ("2.2.2.2", "10.0.0.2")].map { client, proxy in
                ([client] + Array(repeating: proxy, count: count))
            }
            #expect(try client([lists[0].joined(separator: ",")]) == address)
            #expect(try client(lists[0]) == address)
            #expect(try client([], for: [lists[1].joined(separator: ", ")]) == address)
            #expect(try client([], for: lists[1]) == address)
        }
    }

    @Test("Any bytes are read without a trap, and give an address that is no proxy or nothing")
    func anything() throws {
        var numbers = SeededNumbers(seed: 7239)
        let pieces = [
            "for=", "For=", "by=", "\"", "\\", ",", ";", "=", " ", "[", "]", ":", "10.0.0.2", "2.2.2.2", "2001:db8::1",
            "unknown", "_x", "\u{0}", "é", "80",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &numbers)
            let line = (0..<count).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
            for address in try [client([line]), client([], for: [line]), client([line, line])] {
                guard let address else { continue }
                #expect(["2.2.2.2", "2001:db8::1"].contains(address) || NumericAddress(address.utf8)?.description == address)
                #expect(!address.hasPrefix("10."))
            }
        }
    }
}
