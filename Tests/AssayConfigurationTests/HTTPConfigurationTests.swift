import AssayFramedRPC
import AssayHTTP
import AssayListening
import AssayRPC
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of HTTP")
struct HTTPConfigurationTests {
    private static let named = "{known: [{name: a, unix_user: 1001, roles: [verify], apps: all}]}"
    private static let demo = "{loopback_demo: true}"

    private func text(
        _ listen: String = "{unix: a.sock, protocol: http}", callers: String = HTTPConfigurationTests.named, more: String = ""
    ) -> String {
        """
        listen: [\(listen)]
        store: {path: ledger.db}
        callers: \(callers)
        apps: {photos: {app_attest: {identities: [{app_id: TEAMID1234.com.example}]}}}
        \(more)
        """
    }

    private func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "f.yaml", folder: "/nowhere")
    }

    private func fixed(_ listen: String = "{unix: a.sock, protocol: http}", more: String = "") throws -> FixedConfiguration {
        try parse(text(listen, more: more)).fixed
    }

    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.parse(text, file: "f.yaml", folder: "/nowhere")
            return []
        } catch {
            return error.problems.map { "\($0.path): \($0.message)" }
        }
    }

    // MARK: Addresses

    @Test("An address speaks the framed protocol unless it says otherwise, and the order of the file is kept")
    func protocols() throws {
        let listen = try parse(
            text(
                "{unix: a.sock}, {tcp: 127.0.0.1:1, protocol: http}, {unix: b.sock, mode: 0660, protocol: framed}, {unix: c.sock, protocol: http}",
                callers: Self.demo)
        ).fixed.listen
        #expect(
            listen == [
                ListenAddress(.unix(path: "/nowhere/a.sock", mode: 0o600)),
                ListenAddress(.tcp(host: "127.0.0.1", port: 1), speaks: .http),
                ListenAddress(.unix(path: "/nowhere/b.sock", mode: 0o660)),
                ListenAddress(.unix(path: "/nowhere/c.sock", mode: 0o600), speaks: .http),
            ])
        #expect(listen.speaking(.http).addresses == [listen[1].address, listen[3].address])
        #expect(listen.speaking(.framed).addresses == [listen[0].address, listen[2].address])
    }

    @Test("What may listen with frames may listen with HTTP, and nothing else")
    func sameRules() {
        func found(_ listen: String, _ callers: String = HTTPConfigurationTests.named, more: String = "") -> [String] {
            problems(text(listen, callers: callers, more: more))
        }
        #expect(found("{tcp: 0.0.0.0:1, protocol: http}").first?.hasPrefix("listen[0].tcp: it is not on loopback") == true)
        #expect(found("{tcp: 127.0.0.1:1, protocol: http}").first?.contains("nobody may call over TCP unless") == true)
        #expect(found("{tcp: 127.0.0.1:1, protocol: http}", Self.demo).isEmpty)
        let tls = found("{tls: 0.0.0.0:1, protocol: http}")
        #expect(tls.contains { $0.contains("nobody may call over TLS") })
        #expect(tls.contains { $0.contains("\"tls\" is missing: what listens with TLS shows a certificate") })
        let optional = "{tls: 0.0.0.0:1, protocol: http, client_certificates: optional}"
        #expect(found(optional).contains { $0.hasPrefix("listen[0].client_certificates: a client without a certificate") })
        #expect(found("{unix: a.sock, protocol: http, client_certificates: optional}").count == 1)
        #expect(
            found("{unix: a.sock}, {unix: a.sock, protocol: http}").contains { $0.contains("stands here twice") },
            "one place has one listener, of either protocol")
        #expect(
            found("{unix: a.sock, protocol: http}", more: "operate: {listen: [{unix: a.sock}]}").contains {
                $0.contains("unix:/nowhere/a.sock is in \"listen\" too")
            })
    }

    @Test("An unknown protocol is one problem, and the operations address has none to choose")
    func unknownProtocol() {
        let found = problems(text("{unix: a.sock, protocol: htpp}"))
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("listen[0].protocol: want one of framed, http") == true, "\(found)")
        #expect(found.first?.hasSuffix("did you mean \"http\"?") == true)
        #expect(problems(text("{unix: a.sock, protocol: https}")).count == 1)
        let operate = problems(text(more: "operate: {listen: [{unix: o.sock, protocol: http}]}"))
        #expect(operate.contains { $0.hasPrefix("operate.listen[0]: unknown key \"protocol\"") }, "\(operate)")
    }

    @Test("A caller that no address lets in is warned of where all addresses speak HTTP")
    func unreachable() throws {
        let callers = "{known: [{name: a, uri: \"urn:a\", roles: [verify], apps: all}]}"
        let warnings = try parse(text(callers: callers)).warnings
        #expect(warnings.map(\.code) == [.callerUnreachable], "\(warnings)")
    }

    @Test("The summary says which addresses speak HTTP")
    func summary() throws {
        let lines = try parse(text("{unix: a.sock}, {unix: b.sock, protocol: http}")).summary
        #expect(lines.starts(with: ["listens on unix:/nowhere/a.sock", "listens on unix:/nowhere/b.sock (http)"]), "\(lines)")
    }

    // MARK: Limits

    @Test("Limits that both protocols have follow those of frames, and by default are equal to them")
    func sharedLimits() throws {
        #expect(try fixed().httpLimits == HTTPLimits())
        let usual = (http: HTTPLimits(), framed: RPCLimits())
        #expect(usual.http.maxMessageBytes == usual.framed.maxFrameBytes)
        #expect(usual.http.maxStreams == usual.framed.maxInFlightPerConnection)
        #expect(usual.http.bodyTimeout == usual.framed.frameTimeout)
        let limits = try fixed(
            more: """
                limits: {max_frame_bytes: 65536, max_calls_per_connection: 7, idle_timeout: 1s, write_timeout: 2s, drain_timeout: 3s}
                """
        ).httpLimits
        var want = HTTPLimits()
        (want.maxMessageBytes, want.maxStreams) = (65_536, 7)
        (want.idleTimeout, want.writeTimeout, want.drainTimeout) = (.seconds(1), .seconds(2), .seconds(3))
        #expect(limits == want)
    }

    @Test("Limits of HTTP alone are read, and change no limit of frames")
    func ownLimits() throws {
        let fixed = try fixed(
            more: """
                limits:
                  max_frame_bytes: 131072
                  http: {max_message_bytes: 65536, max_header_bytes: 8192, head_timeout: 1s, body_timeout: 2s, max_resets: 400}
                """)
        var want = HTTPLimits()
        (want.maxMessageBytes, want.maxHeaderBytes, want.maxResetsOfKnownPeers) = (65_536, 8_192, 400)
        (want.headTimeout, want.bodyTimeout) = (.seconds(1), .seconds(2))
        #expect(fixed.httpLimits == want)
        var framed = RPCLimits()
        framed.maxFrameBytes = 131_072
        #expect(fixed.limits == framed)
    }

    @Test(
        "A limit out of its range, or that HTTP does not have, is refused",
        arguments: [
            (
                "max_message_bytes: 65535",
                "limits.http.max_message_bytes: want bytes such as 65536, 64KiB, 512MiB or 1GiB, from 64KiB to 64MiB"
            ),
            ("max_message_bytes: 67108865", "limits.http.max_message_bytes: want bytes such as"),
            (
                "max_header_bytes: 4095",
                "limits.http.max_header_bytes: want bytes such as 65536, 64KiB, 512MiB or 1GiB, from 4KiB to 64KiB"
            ),
            ("max_resets: 199", "limits.http.max_resets: want a number from 200 to 1000000"),
            ("head_timeout: 0s", "limits.http.head_timeout: want a duration"),
            ("body_timeout: 30", "limits.http.body_timeout: want a duration"),
            ("idle_timeout: 30s", "limits.http: unknown key \"idle_timeout\""),
        ])
    func wrongLimits(_ line: String, _ want: String) {
        let found = problems(text(more: "limits: {http: {\(line)}}"))
        #expect(found.count == 1 && found.first?.hasPrefix(want) == true, "\(found)")
    }

    // MARK: What is served

    @Test("Health alone is served by default, and no proxy is believed")
    func settings() throws {
        #expect(try fixed().http == HTTPSettings())
        #expect(HTTPSettings().servesHealth && !HTTPSettings().servesReflection && !HTTPSettings().servesOpenAPI)
        #expect(HTTPSettings().trustedProxies == TrustedProxies())
        let other = try fixed(more: "http: {health: false, reflection: true, openapi: true}").http
        #expect(!other.servesHealth && other.servesReflection && other.servesOpenAPI)
    }

    @Test("Proxies are numeric addresses, ranges and the word unix, of which each counts")
    func proxies() throws {
        func proxies(_ list: String) throws -> TrustedProxies {
            try fixed(more: "http: {trusted_proxies: \(list)}").http.trustedProxies
        }
        let both = try proxies("[10.1.0.2, \"fd00::/8\"]")
        #expect(try both == proxies("[10.1.0.2, \"fd00::/8\"]"))
        for others in ["[]", "[10.1.0.2]", "[\"fd00::/8\"]", "[10.1.0.3, \"fd00::/8\"]", "[10.1.0.2, \"fd00::/8\", unix]"] {
            #expect(try both != proxies(others), "\(others)")
        }
        #expect(try proxies("[]") == TrustedProxies())
    }

    @Test(
        "What is no address, no choice and no key of the section is refused",
        arguments: [
            ("trusted_proxies: [proxy.example.org]", "http.trusted_proxies[0]: \"proxy.example.org\" "),
            ("trusted_proxies: [10.1.0.2, 10.0.0.0/x]", "http.trusted_proxies[1]: \"10.0.0.0/x\" "),
            ("trusted_proxies: 10.1.0.2", "http.trusted_proxies: want a list"),
            ("trusted_proxies: [[10.1.0.2]]", "http.trusted_proxies[0]: want a text"),
            ("health: maybe", "http.health: want true or false"),
            ("reflektion: true", "http: unknown key \"reflektion\"; did you mean \"reflection\"?"),
        ])
    func wrongSettings(_ line: String, _ want: String) {
        let found = problems(text(more: "http: {\(line)}"))
        #expect(found.count == 1 && found.first?.hasPrefix(want) == true, "\(found)")
    }

    // MARK: Findings and reload

    @Test("Sections about HTTP are noted where nothing speaks it")
    func unused() throws {
        let more = "http: {reflection: true}\nlimits: {http: {max_resets: 300}}"
        let notes = try parse(text("{unix: a.sock}", more: more)).warnings
        #expect(notes.map(\.code) == [.httpUnused, .httpUnused])
        #expect(notes.map(\.path) == ["http", "limits.http"] && notes.map(\.line) == [5, 6])
        #expect(notes.allSatisfy { $0.severity == .note && !$0.code.isDeliberate })
        #expect(try parse(text("{unix: b.sock}, {unix: a.sock, protocol: http}", more: more)).warnings.isEmpty)
        #expect(try parse(text("{unix: a.sock}", more: "limits: {idle_timeout: 1s}")).warnings.isEmpty)
    }

    @Test("What changes needs a restart, and is named by its section")
    func restart() throws {
        let one = try fixed()
        #expect(one.sections(thatDifferIn: try fixed()).isEmpty)
        #expect(one.sections(thatDifferIn: try fixed("{unix: a.sock}")) == ["listen"])
        #expect(one.sections(thatDifferIn: try fixed(more: "http: {openapi: true}")) == ["http"])
        #expect(one.sections(thatDifferIn: try fixed(more: "http: {trusted_proxies: [10.0.0.1]}")) == ["http"])
        #expect(one.sections(thatDifferIn: try fixed(more: "limits: {http: {max_resets: 300}}")) == ["limits.http"])
        #expect(one.sections(thatDifferIn: try fixed(more: "limits: {idle_timeout: 1s}")) == ["limits"])
    }
}
