import AssayCore
import Testing

@Suite("Loopback")
struct LoopbackTests {
    @Test(
        "What leads back to this machine",
        arguments: [
            "127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "0:0::1", "::ffff:127.0.0.1", "::ffff:7f01:203", "localhost",
            "LOCALHOST",
        ])
    func loopback(_ host: String) {
        #expect(Loopback.contains(host))
    }

    @Test(
        "What does not, or is a name that may lead anywhere",
        arguments: [
            "", "128.0.0.1", "126.255.255.255", "127.1", "127.0.0.01", "127.example", "127.0.0.1.example.com",
            "127.db.example.com",
            "localhost.example", "localhost.", "::", "::2", "1::1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
            "::1%lo", "[::1]",
            "127.0.0.1\0.example.com",
        ])
    func elsewhere(_ host: String) {
        #expect(!Loopback.contains(host))
    }
}
