import AndroidKeyAttestation
import AppAttest
import AssayCertificates
import AssayCore
import AssayService
import AssayVendors
import DeviceCheck
import KeySignature

extension AppProfile {
    /// The app with its verifiers: the one place where verifiers are listed.
    convenience init(_ app: Configuration.App, in surroundings: SchemeDependencies) {
        let (testRoots, links) = (surroundings.testRoots, surroundings.links)
        var verifiers: [any EvidenceVerifier] = []
        var sources: [EvidenceFormat: any AnswerSource] = [:]
        // The appraisers of registered keys that sign messages.
        var judges: [any RegisteredDeviceAppraiser] = []
        if let section = app.appAttest {
            let anchors = section.anchors(with: testRoots)
            verifiers.append(
                AppAttestAttestationVerifier(
                    identities: section.identities, anchors: anchors, receiptAnchors: section.receiptAnchors(with: testRoots),
                    policy: section.policy, links: links))
            verifiers.append(
                AppAttestAssertionVerifier(identities: section.identities, anchors: anchors, policy: section.policy))
        }
        if let section = app.android {
            let anchors = section.anchors(with: testRoots)
            verifiers.append(KeyAttestationVerifier(anchors: anchors, policy: section.policy, links: links))
            judges.append(AndroidDeviceAppraiser(anchors: anchors, policy: section.policy))
        }
        if !judges.isEmpty { verifiers.append(KeySignatureVerifier(judges: judges)) }
        if let section = app.playIntegrity {
            verifiers.append(section.verifier)
            sources[.playIntegrity] = section.google.map { surroundings.google.playVendor($0) }
        }
        if let section = app.deviceCheck {
            verifiers.append(DeviceCheckVerifier(policy: section.policy))
            sources[.deviceCheck] = surroundings.apple.deviceCheckVendor(section)
        }
        self.init(
            id: app.id, verifiers: verifiers, answerSources: sources,
            revocation: app.android?.revocation.source(in: surroundings),
            requiredTogether: app.android?.requiresPlayIntegrity == true ? [.keyAttestation, .playIntegrity] : [],
            challenges: app.challenges, binding: app.binding, devicesPerSubject: app.devicesPerSubject,
            policyDigest: app.policyDigest(testRoots: testRoots), keepsAuditClaims: app.keepsAuditClaims,
            acceptsSimulated: app.acceptsSimulated)
    }
}

extension AndroidRevocation {
    fileprivate func source(in surroundings: SchemeDependencies) -> (any RevocationSource)? {
        switch self {
        case .google: surroundings.attestationStatus
        case .file(let file): file
        case .none: nil
        }
    }
}

extension Configuration.App.AppAttest {
    /// Apple's roots, the app's own, and those of test authorities.
    func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttest + extraRoots + testRoots }

    /// Apple's roots of receipts, and those of test authorities. The app's own roots are for attestations.
    func receiptAnchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttestReceipt + testRoots }
}

extension Configuration.App {
    /// SHA-256 of everything that bears on a verdict. Two configurations that judge alike have the same digest, however
    /// they are written.
    func policyDigest(testRoots: [TrustAnchor]) -> [UInt8] {
        var hash = FieldDigest("assay.policy.v1")
        hash.append(id.text)
        hash.append(binding.payloadRequired ? 1 : 0)
        hash.append(binding.embedded.map { "\($0.place) \($0.encoding)" } ?? "")
        hash.append(binding.callerOwned.map { "\($0.spendEvidenceFor ?? 0)" } ?? "none")
        hash.append(devicesPerSubject.map { "\($0)" } ?? "any")
        hash.append(acceptsSimulated ? 1 : 0)
        if let appAttest { appAttest.digest(into: &hash, testRoots) }
        if let android { android.digest(into: &hash, testRoots) }
        playIntegrity?.digest(into: &hash)
        if let deviceCheck {
            hash.append("device-check")
            hash.append(deviceCheck.teamID)
            hash.append(deviceCheck.address.description)
            hash.append(deviceCheck.policy.refusedBits.map(\.rawValue).sorted().joined(separator: ","))
            hash.append(UInt64(bitPattern: deviceCheck.policy.spendsTokenFor))
        }
        return hash.finalize()
    }
}

extension Configuration.App.AppAttest {
    fileprivate func digest(into hash: inout FieldDigest, _ testRoots: [TrustAnchor]) {
        hash.append("app-attest")
        for identity in identities.sorted(by: { $0.rpIDHash.lexicographicallyPrecedes($1.rpIDHash) }) {
            hash.append(identity.rpIDHash)
            hash.append("\(identity.platform)")
            hash.append(identity.environments.map { "\($0)" }.sorted().joined(separator: ","))
        }
        hash.append(anchors(with: testRoots))
        hash.append(policy.allowedValidationCategories.map { $0.sorted().map(String.init).joined(separator: ",") } ?? "any")
        hash.append(policy.allowedBundleVersions.map { $0.sorted().map(\.text).joined(separator: "\u{0}") } ?? "any")
        hash.append(policy.requireExtensions ? 1 : 0)
        hash.append(UInt64(policy.counterRule.rawValue))
        hash.append(policy.acceptImported ? 1 : 0)
        hash.append(policy.receipt.mode.rawValue)
        hash.append(policy.receipt.maxRiskMetric.map { "\($0)" } ?? "any")
        hash.append(policy.receipt.rejectsHighRisk ? 1 : 0)
        guard policy.receipt.mode != .off else { return }
        hash.append(UInt64(bitPattern: policy.receipt.maxAgeMilliseconds))
        hash.append(receiptAnchors(with: testRoots))
    }
}

extension FieldDigest {
    mutating func append(_ anchors: [TrustAnchor]) {
        for anchor in anchors.sorted(by: { $0.publicKeySHA256.lexicographicallyPrecedes($1.publicKeySHA256) }) {
            append(anchor.publicKeySHA256)
            append(anchor.simulated ? 1 : 0)
        }
    }
}
