import AssayCore
import Testing

@Suite("Names of servers")
struct ServerNameTests {
    @Test("A certificate has the name itself, in any case of its letters, or a wildcard for the first label")
    func matching() {
        let name = ServerName("Api.example.com.")
        for certified in ["api.example.com", "API.EXAMPLE.COM", "*.example.com"] {
            #expect(name.matches(certified.utf8), "\(certified)")
        }
        for certified in [
            "", "*", "*.", "*.com", "*.*.com", "api.example.co", "xapi.example.com", "example.com", ".example.com",
            "a*.example.com",
            "*.api.example.com", "api.example.com.", "api.example.com\0", "*.xample.com", "127.0.0.1",
        ] { #expect(!name.matches(certified.utf8), "\(certified)") }
    }

    @Test("A wildcard stands for one label, never for a dot, and never before a single label")
    func wildcards() {
        #expect(!ServerName("a.b.example.com").matches("*.example.com".utf8))
        #expect(!ServerName("example.com").matches("*.com".utf8))
        #expect(!ServerName("localhost").matches("*.localhost".utf8))
        #expect(!ServerName(".example.com").matches("*.example.com".utf8))
        #expect(ServerName("localhost").matches("localhost".utf8))
    }

    @Test("An empty name is that of no certificate", arguments: ["", "."])
    func empty(_ host: String) {
        for certified in ["", ".", "*", "*.", "*.a.b"] { #expect(!ServerName(host).matches(certified.utf8), "\(certified)") }
    }
}
