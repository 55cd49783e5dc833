/// The names of this machine's loopback in a request's host.
///
/// A server on loopback that asks for no credential is reached by every page that a browser on this machine opens, once the page's own name is made to
/// point to loopback. Such a request names the page's host, and so it is refused.
enum LocalHost {
    /// - Parameter authority: a host, and a port behind a colon; an IPv6 address stands in brackets.
    static func isNamed(in authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let host = authority.prefix { $0 != ":" }.lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") { return true }
        return !host.isEmpty && host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    }
}
