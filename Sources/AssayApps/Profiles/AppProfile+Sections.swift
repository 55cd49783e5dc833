package import AssayConfiguration
import AssayCore
package import AssayPlugins
package import AssayResults
package import AssaySchemes
package import AssayService
package import Logging

extension AppProfile {
    /// The app with the verifiers, answer sources and lists of its sections, in the order of the schemes.
    ///
    /// - Parameters:
    ///   - schemes: all of the configuration, also those of which the app has no section.
    ///   - fleet: the app's fleet with its secrets, which the daemon alone has.
    ///   - supervised: `nil`: no plugin runs, so that what depends on one stays unjudged.
    ///   - results: makes the results of the app's verdicts, which the daemon alone signs.
    package convenience init(
        _ app: AppConfiguration, of schemes: [any AttestationScheme.Type], in dependencies: SchemeDependencies,
        fleet: Fleet? = nil, plugins supervised: SupervisedPlugins? = nil, results: ResultComposer? = nil, logger: Logger
    ) {
        let sections = app.sections.map(\.section)
        var own = dependencies.of(app.id)
        own.fleet = fleet?.secrets
        let dependencies = own
        func verifiers(of sections: [any SchemeSection]) -> [any EvidenceVerifier] {
            let appraisers = sections.flatMap { $0.deviceAppraisers(dependencies) }
            let all =
                sections.flatMap { $0.verifiers(dependencies) + $0.verifiers(dependencies, with: appraisers) }
                + schemes.flatMap { $0.verifiers(dependencies, with: appraisers) }
            // An app without certificates renews none.
            return app.provisioning == nil ? all.filter { $0.purposes != [.renew] } : all
        }
        let listed = sections.compactMap { section in
            section.revocationSource(dependencies).map { (section: section, source: $0) }
        }
        var sources: [EvidenceFormat: any AnswerSource] = [:]
        for section in sections { sources.merge(section.answerSources(dependencies)) { first, _ in first } }
        var preparers: [EvidenceFormat: any EvidencePreparer] = [:]
        for section in sections { preparers.merge(section.preparers(dependencies)) { first, _ in first } }
        let plugins = AppPlugins(of: app, beside: verifiers(of: sections), supervised, logger: logger)
        preparers.merge(plugins.preparers) { _, plugin in plugin }
        let shadow = app.shadowed.map {
            AppProfile($0, of: schemes, in: dependencies, fleet: fleet, plugins: supervised, logger: logger)
        }
        self.init(
            id: app.id, verifiers: plugins.verifiers,
            deviceAppraisers: sections.flatMap { $0.deviceAppraisers(dependencies) }, answerSources: sources,
            opinionSources: plugins.sources, preparers: preparers,
            unavailableFormats: plugins.unavailable,
            revocation: listed.first?.source, listedFormats: Set(verifiers(of: listed.map(\.section)).map(\.format)),
            discontinuedFormats: Set(schemes.flatMap { $0.discontinuedFormats }),
            requiredTogether: sections.reduce(into: []) { $0.formUnion($1.requiredTogether) }, challenges: app.challenges,
            binding: app.binding, devicesPerSubject: app.devicesPerSubject, replacement: app.replacement,
            policyDigest: app.policyDigest(
                testRoots: dependencies.testRoots, deviceAuthorities: dependencies.deviceAuthorities),
            keepsAuditClaims: app.keepsAuditClaims,
            acceptsSimulated: app.acceptsSimulated, confidence: app.confidence, issuing: app.provisioning?.issuing,
            fleet: fleet, policyKeys: PolicyKeys(of: app, schemes) { Set(verifiers(of: [$0]).map(\.format)) },
            recording: app.recording, lookup: app.lookup, shadow: shadow, results: results,
            uploads: app.uploads, deviceFlags: app.deviceFlags, enforcement: app.enforcement)
    }
}
