import AssayCore
package import AssayTracing

/// Where traces are exported to, and which calls are traced: the section `traces`.
package struct TraceExportSettings: Hashable, Sendable {
    package var endpoint: TraceEndpoint
    package var rule: Tracer.Rule
    /// Sent with each batch. Values are secrets: they stand in no log and no error.
    package var headers: [Header]
    /// The only roots that the collector's certificate may come from, as PEM; empty: those of the machine.
    package var roots: [UInt8]

    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package init(
        endpoint: TraceEndpoint, rule: Tracer.Rule = Tracer.Rule(), headers: [Header] = [], roots: [UInt8] = []
    ) {
        (self.endpoint, self.rule, self.headers, self.roots) = (endpoint, rule, headers, roots)
    }
}

/// The address of a collector, for OTLP over HTTP: `https://host`, with or without a port and a path; `http://` on loopback only.
package struct TraceEndpoint: Hashable, Sendable {
    /// In bytes.
    package static let lengthLimit = 255
    /// The path of traces (OTLP, "OTLP/HTTP Request"), appended to a path that does not end with it.
    static let path = "/v1/traces"

    /// With the path of traces.
    package let url: String
    package let host: String
    package let port: Int
    package let isEncrypted: Bool

    package enum Problem: Error, Hashable, Sendable {
        case form
        /// Plain HTTP to another machine: the traces could be read on the way.
        case unencrypted
    }

    package init(_ text: String) throws(Problem) {
        let schemes = [("https://", true, 443), ("http://", false, 80)]
        guard text.utf8.count <= Self.lengthLimit,
            let (scheme, isEncrypted, usualPort) = schemes.first(where: { text.hasPrefix($0.0) })
        else { throw .form }
        let rest = text.dropFirst(scheme.utf8.count)
        guard rest.utf8.allSatisfy(Self.isPlain) else { throw .form }
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        let (host, port) = try Self.split(authority, usualPort)
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard isEncrypted || Loopback.contains(bare) else { throw .unencrypted }
        (self.host, self.port, self.isEncrypted) = (bare, port, isEncrypted)
        let base = path.hasSuffix("/") ? path.dropLast() : path
        url = scheme + authority + base + (base.hasSuffix(Self.path) ? "" : Self.path)
    }

    /// `host`, `host:port`, or with an IPv6 address in brackets.
    private static func split(_ authority: Substring, _ usualPort: Int) throws(Problem) -> (String, Int) {
        var (host, port) = (authority, Substring())
        if let end = authority.lastIndex(of: "]") {
            (host, port) = (authority[...end], authority[authority.index(after: end)...])
        } else if let colon = authority.firstIndex(of: ":") {
            (host, port) = (authority[..<colon], authority[colon...])
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.utf8.count > 4
        guard isBracketed || !host.isEmpty && !host.hasPrefix(".") && !host.contains(where: { "[]:".contains($0) }) else {
            throw .form
        }
        guard !port.isEmpty else { return (String(host), usualPort) }
        guard port.hasPrefix(":"), let number = UInt16(port.dropFirst()), number > 0 else { throw .form }
        return (String(host), Int(number))
    }

    /// Letters, digits, and the marks that need no escaping.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~:/[]".utf8.contains(byte)
        }
    }
}

extension TraceEndpoint: CustomStringConvertible {
    package var description: String { url }
}

extension TraceExportSettings.Header {
    /// What a file of headers may have, in bytes.
    package static let fileLimit = 8192
    static let countLimit = 16

    /// Reads a file of headers: `Name: value`, one a line; empty lines and lines that begin with `#` are left out. `nil` if it is not of the
    /// form, or names a header that the exporter sets itself.
    package static func list(_ text: String) -> [Self]? {
        var headers: [Self] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = trimmed(line)
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let (name, value) = (line[..<colon], trimmed(line[line.index(after: colon)...]))
            guard isName(name), !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
            headers.append(Self(name: String(name), value: String(value)))
        }
        return headers.isEmpty || headers.count > countLimit ? nil : headers
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text.drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
        return rest
    }

    /// A token of letters, digits and `-_.` that does not change how the request is read.
    private static func isName(_ name: Substring) -> Bool {
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        let own = ["host", "content-type", "content-length", "content-encoding", "transfer-encoding", "connection"]
        return !name.isEmpty && isToken && !own.contains(name.lowercased())
    }
}
