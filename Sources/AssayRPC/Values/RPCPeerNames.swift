/// The names that a verified certificate gives its owner. Opaque: compared as bytes, never normalised, no wildcards.
package struct RPCPeerNames: Hashable, Sendable {
    /// SPIFFE ids among them.
    package let uris: [String]
    package let dnsNames: [String]

    package init(uris: [String], dnsNames: [String]) { (self.uris, self.dnsNames) = (uris, dnsNames) }
}

extension RPCPeerNames: CustomStringConvertible {
    package var description: String {
        let all = uris.map { "uri=" + $0 } + dnsNames.map { "dns=" + $0 }
        return all.isEmpty ? "no name" : all.joined(separator: " ")
    }
}
