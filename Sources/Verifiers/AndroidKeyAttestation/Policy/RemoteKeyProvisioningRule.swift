import AssayCore

/// What is demanded of the key that attests, and of how it came into the device. Keys from the factory leak; those that
/// Google's servers certify are one device's and short-lived.
package struct RemoteKeyProvisioningRule: Hashable, Sendable {
    package var requiresRemote: Bool
    /// The most certificates that may have been issued to the device in about 30 days; `nil`: any number. Only remotely
    /// provisioned chains tell it, and must.
    package var certificateLimit: UInt64?
    /// How many devices one attestation key may register in 24 hours.
    package var remoteKeyPerDay: Int
    package var factoryKeyPerDay: Int
    /// Whether more are refused; otherwise they are noted.
    package var refusesOveruse: Bool

    /// A remotely provisioned key serves one app on one device: reinstallations, no more.
    package static let usualRemotePerDay = 10
    /// A batch key is shared by 100 000 devices or more.
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
                "the chain is not a remotely provisioned one")
        } else {
            appraisal.skip("remote_provisioning")
        }
        guard let certificateLimit, facts.provisioning == .remote else { return appraisal.skip("provisioning_count") }
        try appraisal.require(
            "provisioning_count", facts.provisioningCount.map { $0 <= certificateLimit } ?? false, else: .provisioningCount,
            facts.provisioningCount.map { "\($0) certificates were issued" } ?? "the number of certificates is not told")
    }

    /// - Parameter use: the other devices of the attestation key; `nil` where nobody counted.
    func judge(_ use: AttestationKeyUse?, of provisioning: ChainClass, in appraisal: inout Appraisal) throws(Rejection) {
        guard let use else { return appraisal.skip("attestation_key") }
        let limit = provisioning == .remote ? remoteKeyPerDay : factoryKeyPerDay
        let sentence = "\(use.lastDay) other devices were registered under the attestation key in a day"
        guard use.lastDay >= limit, !refusesOveruse else {
            return try appraisal.require("attestation_key", use.lastDay < limit, else: .attestationKeyOverused, sentence)
        }
        appraisal.note("attestation_key", ReasonCode.attestationKeyOverused.rawValue, sentence)
    }
}
