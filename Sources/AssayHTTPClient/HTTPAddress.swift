/// The address of a server that is called over HTTP.
package struct HTTPAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        /// A host name or a numeric address without brackets.
        case network(host: String, port: Int)
        /// A Unix socket's path.
        case socket(String)
    }

    package let place: Place
    /// Whether the connection has TLS.
    package let isEncrypted: Bool
    /// What stands before the path of each method, where a proxy serves the daemon below a path: empty, or `/` and segments without a
    /// slash at the end.
    package let prefix: String

    /// Reads `https://host`, `http://host:port` or `http+unix:/path`. A port is 443 or 80 if there is none, an IPv6 host has brackets, and
    /// a path may follow the host. Nil for any other text.
    package init?(parsing text: String) {
        if let path = text.afterPrefix("http+unix:") {
            guard path.hasPrefix("/"), path.utf8.count > 1, !path.utf8.contains(0) else { return nil }
            (place, isEncrypted, prefix) = (.socket(String(path)), false, "")
            return
        }
        let encrypted = text.afterPrefix("https://")
        guard let rest = encrypted ?? text.afterPrefix("http://") else { return nil }
        var path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        while path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.allSatisfy({ $0.isUnreserved || $0 == UInt8(ascii: "/") }),
            let place = Self.place(rest.prefix { $0 != "/" }, usualPort: encrypted == nil ? 80 : 443)
        else { return nil }
        (self.place, isEncrypted, prefix) = (place, encrypted != nil, String(path))
    }

    private static func place(_ text: Substring, usualPort: Int) -> Place? {
        var (host, port) = (text, usualPort)
        if let end = text.lastIndex(of: "]") {
            guard text.hasPrefix("[") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()) else { return nil }
                port = Int(number)
            }
            guard host.utf8.contains(UInt8(ascii: ":")), host.utf8.allSatisfy({ $0.isHexDigit || ".:".utf8.contains($0) })
            else {
                return nil
            }
        } else {
            if let colon = text.lastIndex(of: ":") {
                guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
                (host, port) = (text[..<colon], Int(number))
            }
            guard isHostName(host) else { return nil }
        }
        return .network(host: String(host), port: port)
    }

    /// Letters, digits, hyphens, underscores and dots.
    static func isHostName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isUnreserved && $0 != UInt8(ascii: "~") }
    }

    /// What a method's path follows in the URL of a call.
    ///
    /// - Parameter name: stands for the host, as the server's certificate has it.
    func url(name: String?) -> String {
        switch place {
        case .socket(let path):
            let host = path.utf8.map { $0.isUnreserved ? String(UnicodeScalar($0)) : "%" + Self.hexadecimal($0) }
            return "http+unix://" + host.joined()
        case .network(let host, let port):
            return (isEncrypted ? "https://" : "http://") + Self.authority(name ?? host, port) + prefix
        }
    }

    static func authority(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}

extension HTTPAddress: CustomStringConvertible {
    /// The form that ``init(parsing:)`` reads, with the port.
    package var description: String {
        switch place {
        case .socket(let path): "http+unix:\(path)"
        case .network: url(name: nil)
        }
    }
}

extension String {
    fileprivate func afterPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

extension UInt8 {
    /// RFC 3986 §2.3.
    fileprivate var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(self)
        }
    }

    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
