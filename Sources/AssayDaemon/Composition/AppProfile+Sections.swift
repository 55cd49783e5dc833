package import AssayCertificates
import AssayConfiguration
import AssayCore
import AssaySchemes
package import AssayService
import AssayVendors

extension AppProfile {
    /// The app with the verifiers, answer sources and lists of its sections, in the order of the schemes.
    convenience init(
        _ app: AppConfiguration, of schemes: [any AttestationScheme.Type], in dependencies: SchemeDependencies
    ) {
        let sections = app.sections.map(\.section)
        let appraisers = sections.flatMap { $0.deviceAppraisers(dependencies) }
        let verifiers =
            sections.flatMap { $0.verifiers(dependencies) } + schemes.flatMap { $0.verifiers(with: appraisers) }
        let listed = sections.filter { $0.revocationSource(dependencies) != nil }
        let listedAppraisers = listed.flatMap { $0.deviceAppraisers(dependencies) }
        let listedVerifiers =
            listed.flatMap { $0.verifiers(dependencies) } + schemes.flatMap { $0.verifiers(with: listedAppraisers) }
        var sources: [EvidenceFormat: any AnswerSource] = [:]
        for section in sections { sources.merge(section.answerSources(dependencies)) { first, _ in first } }
        self.init(
            id: app.id, verifiers: verifiers, answerSources: sources,
            revocation: listed.first?.revocationSource(dependencies), listedFormats: Set(listedVerifiers.map(\.format)),
            discontinuedFormats: Set(schemes.flatMap { $0.discontinuedFormats }),
            requiredTogether: sections.reduce(into: []) { $0.formUnion($1.requiredTogether) }, challenges: app.challenges,
            binding: app.binding, devicesPerSubject: app.devicesPerSubject,
            policyDigest: app.policyDigest(testRoots: dependencies.testRoots), keepsAuditClaims: app.keepsAuditClaims,
            acceptsSimulated: app.acceptsSimulated)
    }
}

extension LiveConfiguration {
    /// What each of the apps may have of the questions to vendors.
    var inquiryShare: InquiryShare {
        InquiryShare(apps: apps.count(where: \.asksWhileCallerWaits), callLimit: vendors.callLimit)
    }
}

extension AnchorFacts {
    package init(_ anchor: TrustAnchor) {
        self.init(
            name: anchor.name, publisher: anchor.publisher, spkiSHA256: anchor.publicKeySHA256,
            certificateSHA256: anchor.certificateSHA256, simulated: anchor.simulated)
    }
}
