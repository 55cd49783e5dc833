package import AssayRPC

/// A protocol that callers speak.
package enum FrontProtocol: String, CaseIterable, Hashable, Sendable {
    /// Frames (proto/README.md).
    case framed
    /// gRPC, gRPC-Web and Connect, over HTTP/1.1 and HTTP/2.
    case http
}

/// An address of `listen`.
package struct ListenAddress: Hashable, Sendable {
    package var address: RPCAddress
    package var speaks: FrontProtocol
    /// Whether clients may show no certificate; of addresses with TLS alone.
    package var withoutCertificates: Bool

    package init(_ address: RPCAddress, speaks: FrontProtocol = .framed, withoutCertificates: Bool = false) {
        (self.address, self.speaks, self.withoutCertificates) = (address, speaks, withoutCertificates)
    }
}

extension ListenAddress: CustomStringConvertible {
    /// For people: `tls:0.0.0.0:8443 (http)`. The framed protocol, the usual one, is not named.
    package var description: String { speaks == .framed ? "\(address)" : "\(address) (\(speaks.rawValue))" }
}

extension [ListenAddress] {
    /// Those at which a protocol is spoken.
    package func speaking(_ speech: FrontProtocol) -> Self { filter { $0.speaks == speech } }

    package var addresses: [RPCAddress] { map(\.address) }

    /// Those at which clients may show no certificate.
    package var withoutCertificates: Set<RPCAddress> { Set(filter(\.withoutCertificates).addresses) }
}
