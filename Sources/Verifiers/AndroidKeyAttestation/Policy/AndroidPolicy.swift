package import AssayCore

/// What an app demands of an attested key and its device. Everything that speaks of thresholds and lists stands here; what
/// the platform itself promises is the verifier's.
package struct AndroidPolicy: Hashable, Sendable {
    /// The packages that may have made the key: all of those that are attested must be among them. `nil` takes any: for
    /// conformance and inspection, never for an app.
    package var apps: [AndroidApp]?
    package var minimumLevel: SecurityLevel
    /// `nil`: how the device booted is not looked at. For conformance alone.
    package var boot: BootRule?
    /// The lowest version of Android, as MMmmss in decimal (140000 is 14); `nil`: any.
    package var minimumOSVersion: UInt64?
    package var patchLevels: PatchLevelRules
    package var key: KeyRule
    package var provisioning: RemoteKeyProvisioningRule
    /// Identifiers of the device that are expected, by tag, each with the values of which one must be attested.
    package var attestedIDs: [AuthorizationTag: Set<OpaqueText>]
    /// How far the time of creation may lie from the time of judgement, in milliseconds; `nil`: not looked at, since the
    /// device's clock is its user's to set.
    package var creationWindow: Int64?
    /// Whether authorization tags must stand in order. Genuine devices have them out of order.
    package var requiresTagOrder: Bool
    /// Whether suspended certificates are let pass, with a note.
    package var allowsSuspended: Bool
    /// What is refused like the revoked, whatever Google's list says.
    package var denied: DenyList

    package init(
        apps: [AndroidApp]?, minimumLevel: SecurityLevel = .trustedEnvironment, boot: BootRule? = BootRule(),
        minimumOSVersion: UInt64? = nil, patchLevels: PatchLevelRules = PatchLevelRules(), key: KeyRule = KeyRule(),
        provisioning: RemoteKeyProvisioningRule = RemoteKeyProvisioningRule(),
        attestedIDs: [AuthorizationTag: Set<OpaqueText>] = [:],
        creationWindow: Int64? = nil, requiresTagOrder: Bool = false, allowsSuspended: Bool = false,
        denied: DenyList = DenyList()
    ) {
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
        self.allowsSuspended = allowsSuspended
        self.denied = denied
    }
}

extension AndroidPolicy {
    /// The lowest level first, since it says most: a software key is refused for what it is.
    func judgeLevel(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        try appraisal.require(
            "security_level", facts.level >= minimumLevel,
            else: facts.level == .software ? .softwareLevel : .securityLevelTooLow,
            "the key's level is \(facts.level.name), the app demands \(minimumLevel.name)")
    }

    /// What holds of a key as long as it is registered, in documented order: a new attestation and each later use of a
    /// registered device are judged by the same rules.
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
        // 0 is what a system says that has no number.
        let version = facts.trusted.number(.osVersion) ?? 0
        try appraisal.require(
            "os_version", version >= minimumOSVersion, else: .osVersion,
            version == 0 ? "the version of Android is not told" : "version \(version), lowest \(minimumOSVersion)")
    }

    private func judgeIDs(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        guard !attestedIDs.isEmpty else { return appraisal.skip("attested_ids") }
        try appraisal.check("attested_ids") { () throws(Rejection) in
            for (tag, expected) in attestedIDs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                // The values stay out of the sentence: they are personal.
                guard let attested = facts.trusted.text(tag), expected.contains(OpaqueText(attested)) else {
                    throw Rejection(.attestedIDMismatch, "the attested \(tag.name) is missing or not expected")
                }
            }
        }
    }

    /// How long after it was accepted a chain can be accepted again by its key's age, in milliseconds: the window reaches both
    /// ways. `nil` where the age is not looked at.
    package var acceptableFor: Int64? { creationWindow.map { 2 * $0 } }

    /// When the key was made is a matter of its registration alone.
    func judgeCreation(_ facts: KeyFacts, at now: Timestamp, in appraisal: inout Appraisal) throws(Rejection) {
        guard let creationWindow else { return appraisal.skip("creation_time") }
        try appraisal.check("creation_time") { () throws(Rejection) in
            guard let time = facts.creationTime else { throw Rejection(.createdOutOfWindow, "no time of creation is told") }
            guard time >= now.adding(milliseconds: -creationWindow), time <= now.adding(milliseconds: creationWindow) else {
                throw Rejection(.createdOutOfWindow, "the key was created at \(time), by the device's clock")
            }
        }
    }
}
