/// The address that a server listens at and a client connects to.
package enum RPCAddress: Hashable, Sendable {
    /// A host name or a numeric address without brackets; port 0 lets the kernel choose one.
    case tcp(host: String, port: Int)
    /// The same with TLS 1.3 and certificates on both sides.
    case tls(host: String, port: Int)
    /// A socket file, created with `mode` before anyone can connect. At most 107 bytes of path.
    case unix(path: String, mode: UInt16 = 0o600)
}

extension RPCAddress {
    /// Reads `tls:host:port`, `tcp:host:port`, `host:port` or `unix:/path`; an IPv6 host has brackets. Nil for any other text.
    package init?(parsing text: String) {
        if let path = text.afterPrefix("unix:") {
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        let encrypted = text.afterPrefix("tls:")
        let place = encrypted ?? text.afterPrefix("tcp:") ?? text
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]) else { return nil }
        var host = place[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self =
            encrypted == nil
            ? .tcp(host: String(host), port: Int(port)) : .tls(host: String(host), port: Int(port))
    }
}

extension RPCAddress {
    /// The same address with the port that the kernel chose.
    package func withPort(_ port: Int) -> RPCAddress {
        switch self {
        case .tcp(let host, _): .tcp(host: host, port: port)
        case .tls(let host, _): .tls(host: host, port: port)
        case .unix: self
        }
    }
}

extension RPCAddress: CustomStringConvertible {
    /// The form that ``init(parsing:)`` reads. A socket's mode is not part of it.
    package var description: String {
        switch self {
        case .tcp(let host, let port): "tcp:" + Self.place(host, port)
        case .tls(let host, let port): "tls:" + Self.place(host, port)
        case .unix(let path, _): "unix:\(path)"
        }
    }

    private static func place(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension String {
    fileprivate func afterPrefix(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
