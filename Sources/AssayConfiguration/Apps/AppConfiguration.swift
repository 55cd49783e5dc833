package import AssayCertificates
package import AssayCore
package import AssaySchemes

/// One app of the configuration: its sections, one for each platform whose evidence it accepts, and the rules of all of them.
package struct AppConfiguration: Sendable {
    package var id: AppID
    package var challenges: ChallengeRule
    package var binding: BindingRule
    /// How many devices a subject may have; `nil`: any number.
    package var devicesPerSubject: UInt32?
    /// In the order of the schemes, by the keys of their sections.
    package var sections: [(key: String, section: any SchemeSection)]
    /// Whether the claims of accepted verdicts are kept beside the audit log.
    package var keepsAuditClaims: Bool
    /// Whether evidence that rests on a test root may be accepted.
    package var acceptsSimulated: Bool

    /// The app's section of one platform.
    package subscript(key: String) -> (any SchemeSection)? { sections.first { $0.key == key }?.section }

    package var sectionsByKey: [String: any SchemeSection] {
        Dictionary(sections.map { ($0.key, $0.section) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether services outside are asked about evidence while the caller waits.
    package var asksWhileCallerWaits: Bool {
        sections.contains { $0.section.serviceCalls.contains(where: \.isAwaited) }
    }

    /// SHA-256 of everything that bears on a verdict. Two configurations that judge alike have the same digest, however they are
    /// written.
    package func policyDigest(testRoots: [TrustAnchor]) -> [UInt8] {
        var hash = FieldDigest("assay.policy.v1")
        hash.append(id.text)
        hash.append(binding.payloadRequired ? 1 : 0)
        hash.append(binding.embedded.map { "\($0.place) \($0.encoding)" } ?? "")
        hash.append(binding.callerOwned.map { "\($0.spendEvidenceFor ?? 0)" } ?? "none")
        hash.append(devicesPerSubject.map { "\($0)" } ?? "any")
        hash.append(acceptsSimulated ? 1 : 0)
        for (_, section) in sections { section.digest(into: &hash, testRoots: testRoots) }
        return hash.finalize()
    }
}
