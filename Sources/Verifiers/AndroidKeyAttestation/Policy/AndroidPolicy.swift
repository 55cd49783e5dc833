package import AssayCore

/// What an app requires of an attested key and its device. All thresholds and lists belong here; the platform's own guarantees
/// belong to the verifier.
package struct AndroidPolicy: Hashable, Sendable {
    /// The packages that may have made the key: every attested package must be among them. `nil` accepts any: only for
    /// conformance and inspection, never for an app.
    package var apps: [AndroidApp]?
    package var minimumLevel: SecurityLevel
    /// `nil`: the state of the boot is not checked. Only for conformance.
    package var boot: BootRule?
    /// The lowest version of Android, as MMmmss in decimal (140000 is 14); `nil`: any.
    package var minimumOSVersion: UInt64?
    package var patchLevels: PatchLevelRules
    package var key: KeyRule
    package var provisioning: RemoteKeyProvisioningRule
    /// Identifiers that the device must attest, by tag, each with the accepted values.
    package var attestedIDs: [AuthorizationTag: Set<OpaqueText>]
    /// The greatest difference between the time of creation and now, in milliseconds; `nil`: not checked, since users can set
    /// the device's clock.
    package var creationWindow: Int64?
    /// Whether authorization tags must be in ascending order. On some genuine devices they are not.
    package var requiresTagOrder: Bool
    /// Whether an attestation is refused whose version is not KeyMint's; otherwise it is noted.
    package var requiresEqualVersions: Bool
    /// Whether suspended certificates are accepted, with a note.
    package var allowsSuspended: Bool
    /// Certificates and keys that are refused like revoked ones, whatever Google's list says.
    package var denied: DenyList
    /// How captures are taken that registered keys signed offline; `nil`: they are not.
    package var offline: OfflineRule?

    package init(
        apps: [AndroidApp]?, minimumLevel: SecurityLevel = .trustedEnvironment, boot: BootRule? = BootRule(),
        minimumOSVersion: UInt64? = nil, patchLevels: PatchLevelRules = PatchLevelRules(), key: KeyRule = KeyRule(),
        provisioning: RemoteKeyProvisioningRule = RemoteKeyProvisioningRule(),
        attestedIDs: [AuthorizationTag: Set<OpaqueText>] = [:],
        creationWindow: Int64? = nil, requiresTagOrder: Bool = false, requiresEqualVersions: Bool = false,
        allowsSuspended: Bool = false, denied: DenyList = DenyList(), offline: OfflineRule? = nil
    ) {
        self.offline = offline
        self.apps = apps
        self.minimumLevel = minimumLevel
        self.boot = boot
        self.minimumOSVersion = minimumOSVersion
        self.patchLevels = patchLevels
        self.key = key
        self.provisioning = provisioning
        self.attestedIDs = attestedIDs
        self.creationWindow = creationWindow
        self.requiresTagOrder = requiresTagOrder
        self.requiresEqualVersions = requiresEqualVersions
        self.allowsSuspended = allowsSuspended
        self.denied = denied
    }
}

extension AndroidPolicy {
    /// The lowest level is checked first: the reason for a software key is its level, before all other failures.
    func judgeLevel(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        try appraisal.require(
            "security_level", facts.level >= minimumLevel,
            else: facts.level == .software ? .softwareLevel : .securityLevelTooLow,
            "the key's level is \(facts.level.name), the app demands \(minimumLevel.name)")
    }

    /// The versions of the schema and of KeyMint, which are one number from 100 on (KeyMint 1): what restates a genuine description in the
    /// name of a leaked key often mixes two. A registered device's are judged at each use; then equal ones are no finding.
    func judgeVersions(_ facts: KeyFacts, isNew: Bool, in appraisal: inout Appraisal) throws(Rejection) {
        guard facts.versionsDiffer else {
            if isNew { appraisal.findings.append(.pass("versions")) }
            return
        }
        let sentence =
            "the attestation has the version \(facts.attestationVersion), KeyMint \(facts.keyMintVersion); from 100 on they are equal"
        guard !requiresEqualVersions else {
            return try appraisal.require("versions", false, else: .versionsDiffer, sentence)
        }
        appraisal.note("versions", ReasonCode.versionsDiffer.rawValue, sentence)
    }

    /// The rules that apply as long as a key is registered, in documented order. They apply to a new attestation and to each
    /// later use of a registered device.
    func judge(_ facts: KeyFacts, at now: Timestamp, in appraisal: inout Appraisal) throws(Rejection) {
        if let boot {
            try boot.judge(facts, in: &appraisal)
        } else {
            appraisal.skip("root_of_trust")
        }
        try key.judge(facts, in: &appraisal)
        try judgeApp(facts, in: &appraisal)
        try judgeOSVersion(facts, in: &appraisal)
        try patchLevels.judge(facts, at: now, in: &appraisal)
        try key.judgeProperties(facts, in: &appraisal)
        try judgeIDs(facts, in: &appraisal)
        try provisioning.judge(facts, in: &appraisal)
    }

    private func judgeOSVersion(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard let minimumOSVersion else { return appraisal.skip("os_version") }
        // A system without a version number reports 0.
        let version = facts.trusted.number(.osVersion)
        try appraisal.require(
            "os_version", version.map { $0 >= minimumOSVersion } ?? false, else: .osVersion,
            Self.sentence(about: version, isStated: facts.trusted.has(.osVersion)) + ", lowest \(minimumOSVersion)")
    }

    private static func sentence(about version: UInt64?, isStated: Bool) -> String {
        switch version {
        case 0: "the system states the version 0, which stands for an unknown one"
        case let version?: "the version of Android is \(version)"
        case nil where isStated: "the version of Android has more than 64 bits"
        case nil: "the version of Android is not stated"
        }
    }

    private func judgeIDs(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard !attestedIDs.isEmpty else { return appraisal.skip("attested_ids") }
        try appraisal.check("attested_ids") { () throws(Rejection) in
            for (tag, expected) in attestedIDs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                // The sentence leaves the values out: they are personal.
                guard facts.trusted.has(tag) else {
                    throw Rejection(.attestedIDMismatch, "the \(tag.name) is not attested")
                }
                guard let attested = facts.trusted.text(tag) else {
                    throw Rejection(.attestedIDMismatch, "the attested \(tag.name) is not UTF-8")
                }
                guard expected.contains(OpaqueText(attested)) else {
                    throw Rejection(.attestedIDMismatch, "the attested \(tag.name) is not one of those expected")
                }
            }
        }
    }

    /// How long after its acceptance the key's age allows a chain to be accepted again, in milliseconds: the window extends in
    /// both directions. `nil` if the age is not checked.
    package var acceptableFor: Int64? { creationWindow.map { 2 * $0 } }

    /// The time of creation is checked only at registration.
    func judgeCreation(_ facts: KeyFacts, at now: Timestamp, in appraisal: inout Appraisal) throws(Rejection) {
        guard let creationWindow else { return appraisal.skip("creation_time") }
        try appraisal.check("creation_time") { () throws(Rejection) in
            guard let time = facts.creationTime else { throw Rejection(.createdOutOfWindow, "no time of creation is told") }
            guard time >= now.adding(milliseconds: -creationWindow), time <= now.adding(milliseconds: creationWindow) else {
                let age = now.milliseconds(since: time)
                throw Rejection(
                    .createdOutOfWindow,
                    "the key was created at \(time), by the device's clock: "
                        + (age < 0 ? "\(DurationText.toTheSecond(-age)) ahead" : "\(DurationText.toTheSecond(age)) ago")
                        + ", at most \(DurationText.exact(creationWindow))")
            }
        }
    }
}

/// A package that may make keys for an app, with its signers.
package struct AndroidApp: Hashable, Sendable {
    /// `nil`: any package of these signers. Only for conformance.
    package let packageName: String?
    /// SHA-256 of the certificates that may sign it, 32 bytes each; with Play App Signing, of Google's. `nil`: any signer. Only
    /// for conformance.
    package let signers: Set<[UInt8]>?
    /// The lowest version code; `nil`: any.
    package let minimumVersion: Int64?

    package init(packageName: String?, signers: Set<[UInt8]>?, minimumVersion: Int64? = nil) {
        (self.packageName, self.signers, self.minimumVersion) = (packageName, signers, minimumVersion)
    }
}

extension AndroidPolicy {
    /// Packages with a common user id share its keys, so any attested package may have made this one. Therefore all attested
    /// packages must be allowed, each with all of its signers.
    func judgeApp(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard let apps else { return appraisal.skip("attested_app") }
        let attested = try appraisal.attempt("attested_app") { () throws(Rejection) in
            guard let attested = facts.application, !attested.packages.isEmpty else {
                throw Rejection(.attestedAppMissing, "the device names no package")
            }
            guard !attested.isPlaceholder else {
                throw Rejection(.attestedAppUnavailable, "the device names a placeholder; it helps to restart it")
            }
            return attested
        }
        guard let attested else { return appraisal.sayUnchecked("of no package neither signer nor version is known") }
        // Judged at each use of a device: lists are made for sentences alone.
        let areAllowed = attested.packages.allSatisfy { package in apps.contains { $0.isNamed(by: package) } }
        try appraisal.require(
            "package", areAllowed, else: .packageMismatch,
            "the device attests \(attested.packages.map(\.name).shown), the app is \(apps.compactMap(\.packageName).shown)")
        // An examination continues after a failure: of a package that is not the app's, no signer and no version is expected.
        guard areAllowed else {
            appraisal.skip("signer")
            return appraisal.skip("app_version")
        }
        let areSigned = attested.packages.allSatisfy { package in
            apps.contains { $0.isNamed(by: package, of: attested.signers) }
        }
        try appraisal.require(
            "signer", areSigned, else: .signerMismatch,
            Self.sentence(
                about: attested.signers,
                attested.packages.flatMap { package in apps.filter { $0.isNamed(by: package) } }
                    .compactMap(\.signers).flatMap { $0 }))
        // In an examination: no version is expected of a package that others signed.
        guard areSigned else { return appraisal.skip("app_version") }
        try judgeVersion(attested, apps, in: &appraisal)
    }

    private static func sentence(about attested: [[UInt8]], _ allowed: [[UInt8]]) -> String {
        let signers =
            attested.isEmpty
            ? "the device names no signer of the package" : "the package is signed by \(attested.shownShort(beside: allowed))"
        return "\(signers), allowed: \(allowed.shownShort(beside: attested))"
    }

    private func judgeVersion(
        _ attested: AttestationApplicationID, _ apps: [AndroidApp], in appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("app_version") { () throws(Rejection) in
            for package in attested.packages {
                guard let lowest = Self.lowestVersion(of: package, signedBy: attested.signers, apps), package.version < lowest
                else { continue }
                throw Rejection(
                    .appVersion, "the package \(package.name.shown) has the version \(package.version), lowest \(lowest)")
            }
        }
    }

    /// The lowest version that the entries of a package allow. An entry without one allows any.
    private static func lowestVersion(
        of package: AttestationApplicationID.Package, signedBy signers: [[UInt8]], _ apps: [AndroidApp]
    ) -> Int64? {
        var lowest: Int64?
        for app in apps where app.isNamed(by: package, of: signers) {
            guard let version = app.minimumVersion else { return nil }
            lowest = min(lowest ?? version, version)
        }
        return lowest
    }
}

extension AndroidApp {
    /// Whether the package has the name that is expected. Names are compared as bytes.
    fileprivate func isNamed(by package: AttestationApplicationID.Package) -> Bool {
        packageName?.hasBytes(of: package.name) ?? true
    }

    /// The same for a package that these certificates sign. An empty list of signers matches nothing.
    fileprivate func isNamed(by package: AttestationApplicationID.Package, of attested: [[UInt8]]) -> Bool {
        guard isNamed(by: package) else { return false }
        guard let signers else { return true }
        // There are one or two: comparing them takes less than a hash, which an array makes of each byte.
        return !attested.isEmpty && attested.allSatisfy { digest in signers.contains { $0.equals(digest) } }
    }
}
