package import AssayCore
package import AssaySchemes
import AssayVendors

/// An app's section `play_integrity`.
package struct PlayIntegritySection: SchemeSection {
    /// The app that tokens must belong to.
    package var app: PlayIntegrityIdentity
    /// Newest first.
    package var keys: [PlayKeySet]
    package var decoding: PlayDecoding
    package var policy: PlayIntegrityPolicy
    /// How Google is asked to decode tokens; `nil` if it is not asked.
    package var google: PlayDecodeRule?

    package init(
        app: PlayIntegrityIdentity, keys: [PlayKeySet], decoding: PlayDecoding, policy: PlayIntegrityPolicy,
        google: PlayDecodeRule? = nil
    ) {
        (self.app, self.keys, self.decoding) = (app, keys, decoding)
        (self.policy, self.google) = (policy, google)
    }

    // MARK: Judging

    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        [PlayIntegrityVerifier(identity: app, keys: keys, decoding: decoding, policy: policy)]
    }

    package func answerSources(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any AnswerSource] {
        guard let google, let vendors = dependencies.vendors else { return [:] }
        return [.playIntegrity: google.client(vendors)]
    }

    // MARK: What the section needs of its surroundings

    package var contentDigests: [[UInt8]] { keys.map(\.fingerprint) }

    package var serviceCalls: [ServiceCall] {
        guard let google else { return [] }
        return [
            ServiceCall(google.oauth.description, for: .googleAccess),
            ServiceCall(
                google.service.description,
                for: ServiceCall.Purpose("play_integrity", "what Play Integrity tokens say"), whileCallerWaits: true),
        ]
    }

    // MARK: Rules between sections

    package var identity: AppIdentity? {
        AppIdentity(
            packages: app.packages.sorted().map { AppIdentity.Package(name: $0, signers: app.signers) },
            isEmulator: policy.deviceVerdicts == [.virtual])
    }

    package var evidenceLifetime: EvidenceLifetime? {
        EvidenceLifetime(
            milliseconds: policy.acceptableFor, reason: "a token is good for play_integrity.max_age, and 60 s of skew")
    }
}
