import AssayTraceExport
import Testing

@Suite("The address of a collector")
struct TraceEndpointTests {
    @Test(
        "An address gets the path of traces, unless it ends with it",
        arguments: [
            ("https://collector.example", "https://collector.example/v1/traces", "collector.example", 443),
            ("https://collector.example/", "https://collector.example/v1/traces", "collector.example", 443),
            ("https://collector.example:4318/otlp", "https://collector.example:4318/otlp/v1/traces", "collector.example", 4318),
            ("https://c/v1/traces", "https://c/v1/traces", "c", 443), ("https://c/v1/traces/", "https://c/v1/traces", "c", 443),
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces", "127.0.0.1", 4318),
            ("http://localhost", "http://localhost/v1/traces", "localhost", 80),
            ("http://[::1]:4318", "http://[::1]:4318/v1/traces", "::1", 4318),
            ("https://[2001:db8::1]", "https://[2001:db8::1]/v1/traces", "2001:db8::1", 443),
        ])
    func good(_ text: String, _ url: String, _ host: String, _ port: Int) throws {
        let endpoint = try TraceEndpoint(text)
        #expect(endpoint.url == url && endpoint.host == host && endpoint.port == port)
        #expect(endpoint.isEncrypted == text.hasPrefix("https"))
    }

    @Test(
        "Plain HTTP is for loopback only",
        arguments: [
            "http://collector.example:4318", "http://10.0.0.1:4318", "http://127.example", "http://128.0.0.1", "http://[::2]",
            "http://localhost.example", "http://127.0.0.1.example", "http://127.0.0.256",
        ])
    func unencrypted(_ text: String) { #expect(throws: TraceEndpoint.Problem.unencrypted) { try TraceEndpoint(text) } }

    @Test(
        "Anything else is no address",
        arguments: [
            "", "collector:4318", "ftp://c", "https://", "https://:4318", "https://c:0", "https://c:65536", "https://c:x",
            "https://user@c", "https://c?x=1", "https://c#x", "https://c/ö", "https://[::1", "https://c:1:2", "https://[]",
            "https://.c",
            "HTTPS://c", "https://" + String(repeating: "c", count: 300),
        ])
    func malformed(_ text: String) { #expect(throws: TraceEndpoint.Problem.form) { try TraceEndpoint(text) } }
}

@Suite("A file of headers for a collector")
struct TraceHeaderTests {
    @Test("Lines are headers; empty lines and comments are left out")
    func good() {
        let headers = TraceExportSettings.Header.list("# key\n\nAuthorization: Bearer a:b \r\n x-tenant:\tone\n")
        #expect(headers == [.init(name: "Authorization", value: "Bearer a:b"), .init(name: "x-tenant", value: "one")])
    }

    @Test(
        "A file that is not of the form, or sets what the exporter sets, is none",
        arguments: [
            "", "# only a comment", "no colon", ": no name", "name:", "na me: x", "Content-Type: text/plain", "HOST: c",
            "transfer-encoding: chunked", "a: \u{7}", "a: é", (0..<17).map { "h\($0): v" }.joined(separator: "\n"),
        ])
    func malformed(_ text: String) { #expect(TraceExportSettings.Header.list(text) == nil) }
}
