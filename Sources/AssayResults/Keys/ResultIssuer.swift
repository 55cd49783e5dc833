package import AssayCore

/// Who signs results: an address, and whether its results are of simulated devices. The two kinds have addresses and keys of their own.
package struct ResultIssuer: Hashable, Sendable {
    package let kind: ResultPublicKey.Issuer
    /// `iss`, and the base of the addresses under which keys and status lists are published; without a slash at the end.
    package let address: String

    package init(_ kind: ResultPublicKey.Issuer, address: String) { (self.kind, self.address) = (kind, address) }
}
