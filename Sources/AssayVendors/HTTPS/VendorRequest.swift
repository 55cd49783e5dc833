import AssayCore

/// A request to a vendor.
package struct VendorRequest: Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// Appended to the address: `/v1/attestationData`. Made by our own code or escaped by it, never taken from a caller.
    package var path: String
    /// May contain secrets: they are never logged, and no error quotes them.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: Method, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }
}

/// The address of a vendor's service: `https://host`, `https://host:port`, or either with a path before the service's own.
/// Plain HTTP is not used for vendors, not even on loopback: tests have a server with TLS, and proxies have roots. Only where the caller allows
/// it, for webhooks, it is used with this machine.
package struct VendorAddress: Hashable, Sendable {
    /// In bytes.
    package static let lengthLimit = 255

    private static let scheme = "https://"
    private static let plainScheme = "http://"

    /// `https`, host, port and path, without a trailing slash.
    let url: String
    /// `host` or `host:port`, for error messages.
    package let host: String

    /// The host without its port: a DNS name, or an IPv4 address.
    var name: String { String(host.prefix { $0 != ":" }) }

    /// Whether it is HTTP without TLS.
    package let isPlain: Bool

    /// Scheme, host and port.
    package var origin: String { (isPlain ? Self.plainScheme : Self.scheme) + host }

    /// `nil` for anything else: another scheme, credentials, a query, a fragment, or characters that need escaping.
    ///
    /// - Parameter allowsPlainLoopback: accepts `http://` too, with an IPv4 address or a name of ``Loopback``.
    package init?(_ text: String, allowsPlainLoopback: Bool = false) {
        isPlain = allowsPlainLoopback && text.hasPrefix(Self.plainScheme)
        let scheme = isPlain ? Self.plainScheme : Self.scheme
        guard text.utf8.count <= Self.lengthLimit, text.hasPrefix(scheme) else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard rest.allSatisfy(Self.isPlain) else { return nil }
        let host = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, Self.isHost(String(host) ?? "") else { return nil }
        self.host = String(host) ?? ""
        let name = self.host.prefix { $0 != ":" }
        guard !isPlain || Loopback.contains(name) else { return nil }
        url = text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Letters, digits, and the marks that need no escaping in a host, a port and a path.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func isHost(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty, !name.hasPrefix("."), parts.count <= 2 else { return false }
        guard parts.count == 2, let port = parts.last else { return true }
        return UInt16(port).map { $0 > 0 } ?? false
    }
}

extension VendorAddress: CustomStringConvertible {
    package var description: String { url }
}
