package import AssayCertificates
package import AssayCore
import AssayEncoding

/// Appraises registered App Attest devices again at each use, under today's identities, anchors and policy. The keys sign assertions
/// only, whose verifier is the other user of these checks.
///
/// A class: a check that is passed on as a closure would copy its lists, which all threads share.
package final class AppAttestDeviceAppraiser: RegisteredDeviceAppraiser {
    package let format: EvidenceFormat = AppAttestAttestationVerifier.format
    package let signsMessages = false

    let policy: AppAttestPolicy
    private let identities: [AppAttestIdentity]
    private let anchors: [TrustAnchor]

    package init(identities: [AppAttestIdentity], anchors: [TrustAnchor], policy: AppAttestPolicy) {
        (self.identities, self.anchors, self.policy) = (identities.merged, anchors, policy)
    }

    package func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try judge(device, &appraisal)
        try policy.judge(.absent, registered: device.registration.appAttestFacts.category, in: &appraisal)
        try policy.receipt.judgeRisk(of: device, &appraisal)
        appraisal.assurance = .secureElement
    }

    /// An assertion may report extensions of its own, so that those of the registration say nothing of it.
    package func judgeRecord(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try judge(device, &appraisal)
        try policy.receipt.judgeRisk(of: device, &appraisal)
        appraisal.assurance = .secureElement
    }

    private func judge(_ device: Device, _ appraisal: inout Appraisal) throws(Rejection) {
        let registration = device.registration
        appraisal.simulated = appraisal.simulated || registration.simulated
        let identifier = try appraisal.check("registration") { () throws(Rejection) in
            guard registration.format == format, let identifier = registration.appAttestFacts.rpIDHash else {
                throw Rejection(.unknownDevice, "the device was not registered by an App Attest attestation")
            }
            return identifier
        }
        appraisal.claims.add("environment", .text(registration.environment))
        try judge(registration, identifiedBy: identifier[...], &appraisal)
    }

    /// Today's expectations against the registration: the app is still configured, its environment still allowed, the anchor still
    /// trusted. A device whose registration rests on something removed since is refused.
    ///
    /// - Parameter identifier: SHA-256 of the App ID, as the device states it now.
    func judge(
        _ registration: Registration, identifiedBy identifier: ArraySlice<UInt8>, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let facts = registration.appAttestFacts
        let identity = try appraisal.attempt("app_id") { () throws(Rejection) in
            guard let registered = facts.rpIDHash, registered[...].equals(identifier) else {
                throw Rejection(
                    .appIDMismatch,
                    "the App ID with the SHA-256 \(Hex.short(identifier)) is not that of the registration")
            }
            let identity = identities.first {
                $0.rpIDHash.equals(registered) && (facts.platform == nil || facts.platform == $0.platform.rawValue)
            }
            guard let identity else {
                throw Rejection(
                    .appIDMismatch,
                    "the registration's App ID, with the SHA-256 \(Hex.encode(registered)), is none of those configured: \(identities.shown)"
                )
            }
            return identity
        }
        if let identity {
            try checkEnvironment(registration, identity, &appraisal)
        } else {
            appraisal.sayUnchecked("of an unknown app no environment is expected")
        }
        try checkAnchor(registration, &appraisal)
    }

    private func checkEnvironment(
        _ registration: Registration, _ identity: AppAttestIdentity, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.claims.add("app_id", identity.appID.map { .text($0) })
        appraisal.claims.add("platform", .text(identity.platform.rawValue))
        appraisal.platform = identity.platform.device
        try appraisal.check("environment") { () throws(Rejection) in
            guard identity.environments.contains(where: { $0.rawValue.hasBytes(of: registration.environment) }) else {
                throw Rejection(
                    .environmentMismatch,
                    "the registration is of the \(registration.environment) environment, the app allows \(identity.environments.shown)"
                )
            }
        }
    }

    /// The anchor of the registration's chain. An imported key has no verified chain; whether the operator's statement is
    /// enough is the app's policy.
    private func checkAnchor(_ registration: Registration, _ appraisal: inout Appraisal) throws(Rejection) {
        guard !registration.imported else {
            appraisal.claims.add("imported", .boolean(true))
            try appraisal.require(
                "imported", policy.acceptImported, else: .importedNotAccepted, "the device was imported, not attested here")
            appraisal.note("chain_anchor", "imported", "an operator vouches for the key; no chain was seen")
            return
        }
        let anchor = try appraisal.attempt("chain_anchor") { () throws(Rejection) in
            guard let anchor = anchors.first(where: { $0.publicKeySHA256.equals(registration.anchor) }) else {
                throw Rejection(
                    .untrustedRoot, "the registration's anchor \(Hex.short(registration.anchor)) is no longer trusted")
            }
            return anchor
        }
        appraisal.simulated = appraisal.simulated || anchor?.simulated == true
        guard policy.receipt.mode == .require else { return }
        try appraisal.require(
            "receipt", registration.appAttestFacts.hasVerifiedReceipt,
            else: .receiptNotVerified, "the device was registered without a verified receipt")
    }
}
