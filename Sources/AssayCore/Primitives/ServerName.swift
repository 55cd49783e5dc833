/// The DNS name of a server, as its certificate must have it (RFC 9525 §6.3).
///
/// TLS libraries also take a certificate with the server's IP address in place of the name (swift-nio-ssl does), which says nothing about the name: who
/// answers for it in DNS chooses the address. A client that connects by a name compares by this as well.
package struct ServerName: Hashable, Sendable {
    /// In lower case, without a dot at the end.
    private let bytes: [UInt8]

    /// - Parameter host: a DNS name. A numeric address is none: a certificate has it in another form, which TLS compares.
    package init(_ host: some StringProtocol) {
        var bytes = host.utf8.map(Self.lowercased)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        self.bytes = bytes
    }

    /// Whether a DNS name of a certificate (`dNSName`, RFC 5280 §4.2.1.6) is that of the server: equal but for the case of ASCII letters, or with `*` for the
    /// whole first label before at least two others.
    package func matches(_ certified: some Sequence<UInt8>) -> Bool {
        let certified = certified.map(Self.lowercased)
        guard certified.starts(with: "*.".utf8) else { return !bytes.isEmpty && certified == bytes }
        let rest = certified.dropFirst()
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
        return rest.dropFirst().contains(UInt8(ascii: ".")) && bytes[dot...].elementsEqual(rest)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
