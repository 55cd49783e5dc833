import Testing

@testable import AssayRPC

@Suite("Address")
struct AddressTests {
    @Test(
        "an address is read in each of its forms",
        arguments: [
            ("tcp:127.0.0.1:7421", RPCAddress.tcp(host: "127.0.0.1", port: 7421)),
            ("127.0.0.1:0", .tcp(host: "127.0.0.1", port: 0)),
            ("localhost:65535", .tcp(host: "localhost", port: 65535)),
            ("tcp:[::1]:1", .tcp(host: "::1", port: 1)),
            ("[2001:db8::1]:80", .tcp(host: "2001:db8::1", port: 80)),
            ("tls:assay.example.org:7443", .tls(host: "assay.example.org", port: 7443)),
            ("tls:[::1]:1", .tls(host: "::1", port: 1)),
            ("unix:/run/assay.sock", .unix(path: "/run/assay.sock")),
            ("unix:relative", .unix(path: "relative")),
        ])
    func parses(text: String, address: RPCAddress) throws {
        #expect(RPCAddress(parsing: text) == address)
        #expect(RPCAddress(parsing: address.description) == address)
    }

    @Test(
        "any other text is no address",
        arguments: [
            "", ":", "tcp:", "unix:", ":80", "host", "host:", "host:x", "host:-1", "host:65536", "::1:80", "[]:80",
            "tcp:tcp:1:2", "tls:", "tls:host", "tls:tcp:1:2",
        ])
    func refuses(text: String) {
        #expect(RPCAddress(parsing: text) == nil)
    }
}
