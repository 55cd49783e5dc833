import AssayHTTP
import AssayRPC

extension FuzzTarget {
    private static let proxies = try? TrustedProxies(parsing: ["10.0.0.0/8", "2001:db8::/32", "unix"])
    private static let proxy = RPCPeer.tls(address: "10.0.0.1", port: 1, names: RPCPeerNames(uris: [], dnsNames: []))

    /// The lines as the values of either header, of both, and of one each, and as ranges of a configuration.
    static func forwarded(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let first = Array(lines.prefix(1))
        for (forwarded, forwardedFor) in [(lines, []), ([], lines), (lines, lines), (first, Array(lines.dropFirst()))] {
            _ = try? proxies?.client(of: proxy, forwarded: forwarded, forwardedFor: forwardedFor)
        }
        for line in lines {
            if let range = try? AddressRange(parsing: line) { _ = try? AddressRange(parsing: range.description) }
        }
    }
}
