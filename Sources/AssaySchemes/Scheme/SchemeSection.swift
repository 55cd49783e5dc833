package import AssayCertificates
package import AssayCore
package import AssayVendors

/// A platform's section of one app, read and valid: what the app accepts of the platform, and under which policy.
///
/// Only `verifiers(_:)` and `describe(in:testRoots:)` have no default.
package protocol SchemeSection: Sendable {
    // MARK: Judging

    /// The verifiers of the app's evidence, one for each format.
    func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier]

    /// The verifiers of evidence that rests on registered devices of any platform.
    ///
    /// - Parameter appraisers: those of all sections of the app.
    func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier]

    /// The appraisers of devices that were registered under the section.
    func deviceAppraisers(_ dependencies: SchemeDependencies) -> [any RegisteredDeviceAppraiser]

    /// What is asked about evidence while the caller waits, by format.
    func answerSources(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any AnswerSource]

    /// What makes what devices need before they can make evidence, by the format of the evidence. A preparer that hides secrets in it derives
    /// them from the dependencies' `preparations`, as its verifier does.
    func preparers(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any EvidencePreparer]

    /// The source of the app's revocation list; `nil`: the section needs none.
    func revocationSource(_ dependencies: SchemeDependencies) -> (any RevocationSource)?

    /// How receipts of the app's registrations are exchanged for newer ones in the background.
    func receiptRoutes(of app: AppID, _ dependencies: SchemeDependencies) -> [ReceiptExchangeRoute]

    /// Formats that a registration must contain together.
    var requiredTogether: Set<EvidenceFormat> { get }

    /// Adds everything in the section that bears on a verdict to the app's policy, each field under its key and in an order of its own.
    func describe(in policy: inout PolicyText, testRoots: [TrustAnchor])

    // MARK: What the section needs from outside

    /// Roots of the app's own, beside the platform's.
    var extraRoots: [TrustAnchor] { get }

    /// Anchors whose private keys are public, and which the section trusts all the same.
    var softwareRoots: [TrustAnchor] { get }

    /// Digests of what the files that the section names contain, for the digest of the configuration.
    var contentDigests: [[UInt8]] { get }

    /// The services outside that the daemon asks for the section.
    var serviceCalls: [ServiceCall] { get }

    /// The names of the declared revocation lists that the section uses.
    var revocationLists: Set<String> { get }

    /// The files with revocation lists of the app's own.
    var revocationFiles: [RevocationFile] { get }

    // MARK: Rules between sections

    /// The app that the section describes, as other sections compare it with theirs; `nil` if the platform does not state it.
    var identity: AppIdentity? { get }

    /// The arcs under which the section reads a fleet's extensions in certificates of Assay's own CAs; empty: it accepts none of them.
    var fleetArcs: [String] { get }

    /// The way to the rule by which the section accepts no certificate without a secret that the app's fleet can decrypt; `nil`: it has no
    /// such rule.
    var fleetSecretRule: String? { get }

    /// The kinds of devices that evidence under the section proves.
    var devicePlatforms: Set<DevicePlatform> { get }

    /// Whether evidence under the section covers a hash that look-ups find: of the request's payload, or of what the evidence itself names.
    var coversHashes: Bool { get }

    /// Whether evidence under the section attests keys that can be certified (`Appraisal.certifiableKey`). Others are at most vouched for.
    var attestsCertifiableKeys: Bool { get }

    /// How long the same evidence can be accepted again after it was; `nil` if the section does not say.
    var evidenceLifetime: EvidenceLifetime? { get }

    /// Reports what does not fit the other sections of the app.
    func check(beside app: AppSections)

    // MARK: What people are told

    /// What the section accepts, a sentence each, such as `App Attest of TEAM.bundle (production)`.
    var summary: [String] { get }

    /// What the daemon does for the section with services outside, a sentence each.
    var serviceSummary: [String] { get }

    /// What the section allows that may surprise.
    ///
    /// - Parameter acceptsSimulated: whether the app does.
    func warnings(acceptsSimulated: Bool) -> [SectionFinding]

    /// Rules that no genuine device meets today, or next to none.
    func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding]
}

extension SchemeSection {
    package func verifiers(
        _ dependencies: SchemeDependencies, with appraisers: [any RegisteredDeviceAppraiser]
    ) -> [any EvidenceVerifier] { [] }
    package func deviceAppraisers(_ dependencies: SchemeDependencies) -> [any RegisteredDeviceAppraiser] { [] }
    package func answerSources(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any AnswerSource] { [:] }
    package func preparers(_ dependencies: SchemeDependencies) -> [EvidenceFormat: any EvidencePreparer] { [:] }
    package func revocationSource(_ dependencies: SchemeDependencies) -> (any RevocationSource)? { nil }
    package func receiptRoutes(of app: AppID, _ dependencies: SchemeDependencies) -> [ReceiptExchangeRoute] { [] }
    package var requiredTogether: Set<EvidenceFormat> { [] }
    package var extraRoots: [TrustAnchor] { [] }
    package var softwareRoots: [TrustAnchor] { [] }
    package var contentDigests: [[UInt8]] { [] }
    package var serviceCalls: [ServiceCall] { [] }
    package var revocationLists: Set<String> { [] }
    package var revocationFiles: [RevocationFile] { [] }
    package var identity: AppIdentity? { nil }
    package var fleetArcs: [String] { [] }
    package var fleetSecretRule: String? { nil }
    package var devicePlatforms: Set<DevicePlatform> { [] }
    package var coversHashes: Bool { true }
    package var attestsCertifiableKeys: Bool { false }
    package var evidenceLifetime: EvidenceLifetime? { nil }
    package func check(beside app: AppSections) {}
    package var summary: [String] { [] }
    package var serviceSummary: [String] { [] }
    package func warnings(acceptsSimulated: Bool) -> [SectionFinding] { [] }
    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] { [] }
}

/// How long the same evidence can be accepted again after it was.
package struct EvidenceLifetime: Hashable, Sendable {
    package let milliseconds: Int64
    /// The rule that says so, as a sentence.
    package let reason: String
    package init(milliseconds: Int64, reason: String) { (self.milliseconds, self.reason) = (milliseconds, reason) }
}

/// The app that a section describes, in the terms that sections of one app have in common.
package struct AppIdentity: Hashable, Sendable {
    package struct Package: Hashable, Sendable {
        /// `nil`: any.
        package let name: String?
        /// SHA-256 of the certificates that may sign it; `nil`: any.
        package let signers: Set<[UInt8]>?
        package init(name: String?, signers: Set<[UInt8]>?) { (self.name, self.signers) = (name, signers) }
    }

    package let packages: [Package]
    /// Whether only emulators can have evidence that the section accepts.
    package let isEmulator: Bool

    package init(packages: [Package], isEmulator: Bool = false) { (self.packages, self.isEmulator) = (packages, isEmulator) }
}

/// The sections of an app while they are read: for rules between them.
package struct AppSections {
    /// The app's whole section.
    package let value: ConfigurationReader.Value
    /// The sections that could be read, by their keys.
    package let sections: [String: any SchemeSection]

    package init(value: ConfigurationReader.Value, sections: [String: any SchemeSection]) {
        (self.value, self.sections) = (value, sections)
    }

    /// What stands under these keys of the app, one inside the other.
    package func at(_ keys: String...) -> ConfigurationReader.Value? {
        keys.reduce(Optional(value)) { found, key in found?.at(key) }
    }
}

/// Something about a section that is no error.
package struct SectionFinding: Hashable, Sendable {
    package let code: ConfigurationFinding.Code
    /// The way to the value below the app, e.g. `device_check.refuse_bits`.
    package let path: String
    package let message: String

    package init(_ code: ConfigurationFinding.Code, at path: String, _ message: String) {
        (self.code, self.path, self.message) = (code, path, message)
    }

    /// A rule that no genuine device meets, or next to none.
    package static func unmeetable(_ path: String, _ message: String) -> Self { Self(.policyUnmeetable, at: path, message) }
}
