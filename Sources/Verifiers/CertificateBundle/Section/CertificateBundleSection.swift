package import AssayCertificates
package import AssayCore
package import AssaySchemes
package import AssayVendors

/// An app's section `certificate_bundle`: the CAs whose device certificates it accepts, and what it demands of bundles.
package struct CertificateBundleSection: SchemeSection {
    package var policy: CertificateBundlePolicy
    /// CAs of others, each an anchor.
    package var authorities: [TrustAnchor]
    /// Whether certificates of Assay's own CAs are accepted.
    package var acceptsOwn: Bool
    /// Revocation lists of `authorities`.
    package var lists: [ListFile]

    /// A file with the revocation list of one CA.
    package struct ListFile: Sendable {
        /// SHA-256 of the CA's SubjectPublicKeyInfo, 32 bytes.
        let issuer: [UInt8]
        package let file: RevocationFile
    }

    package init(
        policy: CertificateBundlePolicy, authorities: [TrustAnchor] = [], acceptsOwn: Bool = true, lists: [ListFile] = []
    ) {
        (self.policy, self.authorities, self.acceptsOwn, self.lists) = (policy, authorities, acceptsOwn, lists)
    }

    // MARK: Judging

    /// The verifier rests on registered devices of all platforms.
    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] { [] }

    package func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] {
        [
            CertificateBundleVerifier(
                policy: policy,
                authorities: DeviceAuthorities(
                    own: dependencies.deviceAuthorities, foreign: authorities, acceptsOwn: acceptsOwn),
                lists: lists.map { IssuerRevocationList(issuer: $0.issuer, source: $0.file) }, app: dependencies.app,
                fleet: dependencies.fleet, judges: appraisers)
        ]
    }

    package func deviceAppraisers(_ dependencies: SchemeDependencies) -> [any RegisteredDeviceAppraiser] {
        [FleetDeviceAppraiser()]
    }

    package func describe(in text: inout PolicyText, testRoots: [TrustAnchor]) {
        text.mark("certificate-bundle")
        text.nested("certificate_bundle") { text in
            policy.describe(in: &text)
            text.add("authorities", authorities)
            text.add("issued_here", flag: acceptsOwn)
            for list in lists {
                text.nested("crl_files", of: Hex.short(list.issuer)) { text in
                    text.add("issuer", list.issuer)
                    text.add("file", list.file.path)
                }
            }
        }
    }

    // MARK: What the section needs from outside

    package var extraRoots: [TrustAnchor] { authorities }
    package var revocationFiles: [RevocationFile] { lists.map(\.file) }
    package var fleetArcs: [String] { acceptsOwn ? policy.arc.all : [] }
    package var fleetSecretRule: String? { policy.secret == .required ? "certificate_bundle.secret" : nil }

    // MARK: What people are told

    package var summary: [String] {
        let issuers = (acceptsOwn ? ["Assay's own CAs"] : []) + authorities.map { "\($0.subject)" }
        return ["bundles signed with device certificates of \(issuers.joined(separator: "; "))"]
    }

    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] {
        lists.enumerated().compactMap { index, list in
            list.file.knowledge(at: now).unavailable.map {
                SectionFinding(
                    .revocationFile, at: "certificate_bundle.crl_files[\(index)]",
                    "\($0); until then the app gives no verdicts on the certificates of that CA")
            }
        }
    }
}
