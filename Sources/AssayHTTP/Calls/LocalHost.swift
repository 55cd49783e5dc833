import AssayCore

/// The names and addresses of this machine's loopback in a request's host.
///
/// A server on loopback that asks for no credential is reached by every page that a browser on this machine opens, once the page's own name is made to
/// point to loopback. Such a request names the page's host, and so it is refused. No page has an address of loopback for its host but by coming from
/// there. Other addresses are none of the server's: without TLS it listens on loopback alone, and `0.0.0.0`, which some systems take for loopback, lets
/// pages past the rules of browsers for it.
enum LocalHost {
    /// - Parameter authority: a host, and a port behind a colon; an IPv6 address stands in brackets (RFC 3986 §3.2).
    static func isNamed(in authority: String) -> Bool {
        let text = authority.utf8
        let host: Substring.UTF8View
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return false }
            host = text[..<end].dropFirst()
            guard host.contains(UInt8(ascii: ":")), isPort(text[text.index(after: end)...]) else { return false }
        } else {
            host = text.prefix { $0 != UInt8(ascii: ":") }
            guard isPort(text[host.endIndex...]) else { return false }
        }
        let name = Substring(host)
        return Loopback.contains(name) || name.lowercased().utf8.reversed().starts(with: ".localhost".utf8.reversed())
    }

    /// Nothing, or a colon and digits.
    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        text.isEmpty
            || (text.first == UInt8(ascii: ":")
                && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    }
}
