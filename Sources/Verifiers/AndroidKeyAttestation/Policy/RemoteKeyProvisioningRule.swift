import AssayCore

/// The required origin of the attestation key and the limits of its use. Factory keys leak; a key that Google's servers certify
/// belongs to one device for a short time.
package struct RemoteKeyProvisioningRule: Hashable, Sendable {
    package var requiresRemote: Bool
    /// The most certificates issued to the device in about 30 days; `nil`: any number. Only remotely provisioned chains state
    /// the number, and with a limit they must.
    package var certificateLimit: UInt64?
    /// How many devices one attestation key may register in 24 hours.
    package var remoteKeyPerDay: Int
    package var factoryKeyPerDay: Int
    /// Whether a registration beyond the limit is refused; otherwise it is noted.
    package var refusesOveruse: Bool

    /// A remotely provisioned key serves one app on one device, so only reinstallations repeat it.
    package static let usualRemotePerDay = 10
    /// 100 000 or more devices share a batch key.
    package static let usualFactoryPerDay = 1000

    package init(
        requiresRemote: Bool = false, certificateLimit: UInt64? = nil, remoteKeyPerDay: Int = Self.usualRemotePerDay,
        factoryKeyPerDay: Int = Self.usualFactoryPerDay, refusesOveruse: Bool = false
    ) {
        self.requiresRemote = requiresRemote
        self.certificateLimit = certificateLimit
        self.remoteKeyPerDay = remoteKeyPerDay
        self.factoryKeyPerDay = factoryKeyPerDay
        self.refusesOveruse = refusesOveruse
    }

    func judge(_ facts: KeyFacts, in appraisal: inout Appraisal) throws(Rejection) {
        if requiresRemote {
            try appraisal.require(
                "remote_provisioning", facts.provisioning == .remote, else: .remoteProvisioningRequired,
                "the chain is of the class \(facts.provisioning.rawValue), want \(ChainClass.remote.rawValue)")
        } else {
            appraisal.skip("remote_provisioning")
        }
        guard let certificateLimit, facts.provisioning == .remote else { return appraisal.skip("provisioning_count") }
        try appraisal.require(
            "provisioning_count", facts.provisioningCount.map { $0 <= certificateLimit } ?? false, else: .provisioningCount,
            facts.provisioningCount.map { "\($0) certificates were issued to the device, at most \(certificateLimit)" }
                ?? "the number of certificates is not told")
    }

    /// - Parameter use: the other devices of the attestation key; `nil` if they were not counted.
    func judge(_ use: AttestationKeyUse?, of provisioning: ChainClass, in appraisal: inout Appraisal) throws(Rejection) {
        guard let use else { return appraisal.skip("attestation_key") }
        let limit = provisioning == .remote ? remoteKeyPerDay : factoryKeyPerDay
        let sentence = "\(use.lastDay) other devices were registered under the attestation key in a day, limit \(limit)"
        guard use.lastDay >= limit, !refusesOveruse else {
            return try appraisal.require("attestation_key", use.lastDay < limit, else: .attestationKeyOverused, sentence)
        }
        appraisal.note("attestation_key", ReasonCode.attestationKeyOverused.rawValue, sentence)
    }
}
