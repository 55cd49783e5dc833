package import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto

/// Appraises what `DCAppAttestService.generateAssertion` returns: a registered key signs client data (Apple, "Validating apps
/// that connect to your server", "Verify the assertion").
package struct AppAttestAssertionVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.appAttestAssertion

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = [.assert, .provision]
    package let sizeLimit: Int = AssertionObject.sizeLimit
    package let replayProtection: ReplayProtection = .counter

    private let registered: AppAttestDeviceAppraiser
    private let attribution: ExtensionAttribution
    private let slips = SlipBudget()

    package init(
        identities: [AppAttestIdentity], anchors: [TrustAnchor], policy: AppAttestPolicy,
        attribution: ExtensionAttribution = .vouched
    ) {
        registered = AppAttestDeviceAppraiser(identities: identities, anchors: anchors, policy: policy)
        self.attribution = attribution
    }

    /// The key id is sent beside the object and is not authenticated until the signature is verified.
    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .device(keyID: evidence.keyID) }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let object = try readObject(evidence, &appraisal)
        let device = try checkDevice(evidence, context.facts.device, &appraisal)
        let data = try appraisal.check("auth_data") { () throws(Rejection) in
            try AuthenticatorData(assertion: object.authenticatorData)
        }
        try checkSignature(object, device.registration, context, &appraisal)
        try appraisal.requireAllPassed()
        // From here on every byte of the authenticator data is authenticated by the device's key.
        try appraisal.independently { (appraisal) throws(Rejection) in
            try checkRegistration(data, device.registration, &appraisal)
        }
        try appraisal.check("counter") { () throws(Rejection) in
            _ = try CounterState(counter: device.counter, window: device.counterWindow)
                .advanced(to: data.signCount, rule: registered.policy.counterRule)
        }
        try appraisal.independently { (appraisal) throws(Rejection) in
            let extensions = try appraisal.check("extensions") { () throws(Rejection) in
                let read = try data.extensions()
                return attribution == .presumed ? read.attributed : read
            }
            extensions.report(unvouched: "an assertion has no receipt", in: &appraisal)
            try registered.policy.judge(extensions, registered: device.registration.appAttestFacts.category, in: &appraisal)
        }
        try registered.policy.receipt.judgeRisk(of: device, &appraisal)

        appraisal.assurance = .secureElement
        appraisal.effect = .advance(device: device.id, counter: data.signCount, rule: registered.policy.counterRule)
    }

    /// S1: CBOR.
    private func readObject(
        _ evidence: BoundedEvidence, _ appraisal: inout Appraisal
    ) throws(Rejection) -> AssertionObject {
        let object = try appraisal.check("cbor") { () throws(Rejection) in try AssertionObject(parsing: evidence.body[...]) }
        if object.hasUnsignedCDHash {
            appraisal.note("cbor", "unsigned_cd_hash", "a cdHash member that nothing signs was ignored")
        }
        return object
    }

    /// S2: the device that the service looked up, registered with an App Attest attestation under this key.
    private func checkDevice(
        _ evidence: BoundedEvidence, _ found: Device?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> Device {
        let device = try appraisal.check("device") { () throws(Rejection) in
            guard let device = found, device.registration.keyID.equals(evidence.keyID),
                device.registration.format == AppAttestAttestationVerifier.format
            else {
                if let fault = KeyIDForm.fault(of: evidence.keyID) { throw Rejection(.keyIDMismatch, fault) }
                throw Rejection(
                    .unknownDevice, "no device of the app is registered with the key id \(Hex.short(evidence.keyID))")
            }
            return device
        }
        appraisal.simulated = device.registration.simulated
        return device
    }

    /// S4 and S5: the stored key signed the nonce, as a message.
    private func checkSignature(
        _ object: AssertionObject, _ registration: Registration, _ context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let binding = context.binding
        let signature = try appraisal.check("signature_form") { () throws(Rejection) in
            try ECDSASignature(der: object.signature, width: 32)
        }
        try appraisal.check("signature") { () throws(Rejection) in
            guard let key = registration.p256 else {
                throw Rejection(.unsupportedKey, "the registered key is not a point of P-256")
            }
            let nonce = AttestedNonce(authenticatorData: object.authenticatorData, clientDataHash: binding.clientDataHash)
            guard Self.isValid(signature, by: key, over: nonce) else {
                let cause = slips.explanation(at: context.now, among: binding.slipsOfHash) { hash in
                    let nonce = AttestedNonce(authenticatorData: object.authenticatorData, clientDataHash: hash)
                    return Self.isValid(signature, by: key, over: nonce)
                }
                throw Rejection(
                    .badSignature,
                    "the registered key did not sign the expected client data, whose SHA-256 is \(Hex.short(binding.clientDataHash))"
                        + cause)
            }
        }
    }

    private static func isValid(_ signature: ECDSASignature, by key: P256.Signing.PublicKey, over nonce: AttestedNonce) -> Bool
    {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature.raw) else { return false }
        return key.isValidSignature(signature, for: nonce.signedDigest)
    }

    /// S6, and today's expectations against the registration.
    private func checkRegistration(
        _ data: AuthenticatorData, _ registration: Registration, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        appraisal.claims.reserveCapacity(12)
        // That of the registration if it is the same, so that nothing is allocated for it.
        let known = registration.appAttestFacts.rpIDHash
        let stated = known.flatMap { data.rpIDHash.equals($0[...]) ? $0 : nil } ?? Array(data.rpIDHash)
        appraisal.claims.add("rp_id_hash", .bytes(stated))
        appraisal.claims.add("environment", .text(registration.environment))
        appraisal.claims.add("key_id", .bytes(registration.keyID))
        appraisal.claims.add("sign_count", .integer(Int64(data.signCount)))
        appraisal.claims.add("flags", .integer(Int64(data.flags.rawValue)))
        try registered.judge(registration, identifiedBy: data.rpIDHash, &appraisal)
    }
}
