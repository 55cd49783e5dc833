package import AssayAPI
package import AssayCertificates
import AssayCore
package import AssaySchemes
package import AssayVendors

/// The part of the configuration that a running daemon follows: a reload exchanges all of it, or nothing.
///
/// Each property is followed by a reload step of the daemon; a test fails for one that is not.
package struct LiveConfiguration: Sendable {
    package var callers: CallerDirectory
    package var apps: [AppConfiguration]
    /// Roots of test authorities. What is trusted through one of them stays `simulated`.
    package var testRoots: [TrustAnchor]
    package var tls: TLSSettings?
    package var log: LogSettings
    /// How vendors' services are talked to.
    package var vendors: VendorSettings
    package var appleTeams: AppleTeams
    /// Where Google issues bearer tokens.
    package var googleOAuth: VendorAddress
    package var revocationLists: RevocationLists
    /// The platforms whose sections were read.
    package var schemes: [any AttestationScheme.Type]
    /// SHA-256 over the text of the file and what the files that it names contain: identifies what is in force.
    package var digest: [UInt8]

    /// The digest as it is shown everywhere.
    package var digestText: String { Hex.encode(digest) }
}

/// The PEM files with which the daemon shows who it is, and knows its callers: the section `tls`.
package struct TLSSettings: Hashable, Sendable {
    /// The daemon's certificate, then its intermediates.
    package var certificate: String
    package var privateKey: String
    /// The CAs that callers' certificates must come from.
    package var clientCA: String
}
