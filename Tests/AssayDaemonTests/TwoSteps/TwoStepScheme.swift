import AssayCertificates
import AssayCore
import AssaySchemes

/// A platform for tests whose evidence is made in two steps, as that of a TPM is (credential activation): Prepare gives a secret that only the
/// holder of two keys can open, and the evidence returns it.
enum TwoStepScheme: AttestationScheme {
    static let sectionKey: String? = "example_two_steps"

    static func read(_ value: ConfigurationReader.Value, _ shared: SharedSettings) -> (any SchemeSection)? {
        value.section().done()
        return TwoStepSection()
    }
}

/// The section `example_two_steps` of an app, which has no keys.
struct TwoStepSection: SchemeSection {
    func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        [TwoStepVerifier(app: dependencies.app, secrets: dependencies.preparations)]
    }

    func preparers(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any EvidencePreparer] {
        dependencies.preparations.map { [TwoStepVerifier.format: TwoStepPreparer(secrets: $0)] } ?? [:]
    }

    func describe(in policy: inout PolicyText, testRoots: [TrustAnchor]) { policy.mark("example-two-steps") }
}
