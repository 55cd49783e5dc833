package import AssayAPI
package import AppAttest
package import AssayCertificates
package import AssayCore
package import AssayFramedRPC
package import AssayRPC
package import AssaySchemes
package import AssayVendors
package import PlayIntegrity

/// The daemon's configuration, read from YAML; `docs/configuration.md` and the pages below it describe every key.
package struct Configuration: Sendable {
    package var listen: [RPCAddress]
    package var store: Store
    package var callers: CallerDirectory
    package var limits: RPCLimits
    package var apps: [App]
    /// Roots of test authorities. What is trusted through one of them stays `simulated`.
    package var testRoots: [TrustAnchor]
    package var tls: TLS?
    /// What the daemon's own certificates will soon give trouble with.
    var tlsWarnings: [TLSFiles.Warning] = []
    /// What was met while reading that is no error, with its line.
    var readingFindings: [ConfigurationFinding] = []
    /// The line of each key that is set, by the way to it, e.g. `apps.camera.app_attest.counter`.
    package var lines: [String: Int] = [:]
    /// The files and sockets that the file names, by the path to each key.
    package var paths: [String: String] = [:]
    package var log = LogSettings()
    /// How vendors' services are talked to.
    package var vendors = VendorSettings()
    package var apple = Apple()
    package var google = Google()
    package var feeds = Feeds()
    /// SHA-256 over the text of the file and the roots that it names: what `Operations.Status` tells of what is in force.
    package var digest: [UInt8] = []

    package struct Store: Hashable, Sendable {
        /// The ledger's file.
        package var path: String
        /// The file with the key that wraps the ledger's secrets; made with mode 0600 at first start.
        package var keyFile: String
        /// How long what only grows is kept.
        package var retention = RetentionRule()
        /// When it warns of a disk that fills up.
        package var disk = DiskSpaceRule()
    }

    /// The PEM files with which the daemon shows who it is, and knows its callers.
    package struct TLS: Hashable, Sendable {
        /// The daemon's certificate, then its intermediates.
        package var certificate: String
        package var privateKey: String
        /// The CAs that callers' certificates must come from.
        package var clientCA: String
    }

    package struct App: Sendable {
        package var id: AppID
        package var challenges: ChallengeRule
        package var binding: BindingRule
        /// How many devices a subject may have; `nil`: any number.
        package var devicesPerSubject: UInt32?
        package var appAttest: AppAttest?
        package var android: Android?
        package var playIntegrity: PlayIntegrity?
        package var deviceCheck: DeviceCheck?
        /// Whether the claims of accepted verdicts are kept beside the audit log.
        package var keepsAuditClaims = false
        /// Whether evidence that rests on a test root may be accepted.
        package var acceptsSimulated = false

        package struct AppAttest: Sendable {
            package var identities: [AppAttestIdentity]
            package var policy: AppAttestPolicy
            /// Roots of the app's own, beside Apple's.
            package var extraRoots: [TrustAnchor]
            /// How its receipts are exchanged for newer ones; `nil`: they are not.
            package var exchange: ReceiptExchangeRule?
        }

        package struct PlayIntegrity: Sendable {
            package var identity: PlayIntegrityIdentity
            /// Newest first.
            package var keys: [PlayKeySet]
            package var decoding: PlayDecoding
            package var policy: PlayIntegrityPolicy
            /// The account that asks Google to decode tokens; `nil` if none does.
            package var google: PlayDecodeRule?
        }
    }
}

extension Configuration {
    /// A finding about the value under a key, with the line at which it stands.
    package func finding(_ code: ConfigurationFinding.Code, at path: String, _ message: String) -> ConfigurationFinding {
        ConfigurationFinding(code, line: lines[path], path: path, message)
    }
}

extension Configuration.App.AppAttest {
    /// Apple's roots, the app's own, and those of test authorities.
    package func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttest + extraRoots + testRoots }

    /// Apple's roots of receipts, and those of test authorities. The app's own roots are for attestations.
    package func receiptAnchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttestReceipt + testRoots }
}
