import Testing

@testable import AssayVendors

@Suite("Vendor address")
struct VendorAddressTests {
    @Test(
        "An address is https with a host, a port and a path",
        arguments: [
            ("https://data.appattest.apple.com", "data.appattest.apple.com", "https://data.appattest.apple.com"),
            ("https://localhost:8443/", "localhost:8443", "https://localhost:8443"),
            ("https://proxy.example/apple/v0/", "proxy.example", "https://proxy.example/apple/v0"),
        ])
    func good(_ text: String, host: String, url: String) throws {
        let address = try #require(VendorAddress(text))
        #expect(address.host == host)
        #expect(address.url == url)
    }

    @Test(
        "Other addresses are refused",
        arguments: [
            "http://localhost:80", "http://data.appattest.apple.com", "https://", "https:///path", "HTTPS://example.org",
            "https://user@example.org", "https://example.org?query", "https://example.org#there", "https://example.org:0",
            "https://example.org:65536", "https://example.org:x", "https://a:1:2", "https://.example.org",
            "https://example.org/a b", "https://example.org/\u{0}", "https://exämple.org", "ftp://example.org", "",
            "https://" + String(repeating: "a", count: 250),
        ])
    func bad(_ text: String) {
        #expect(VendorAddress(text) == nil)
    }
}
