import AssayCertificates
import AssayCore
import AssaySchemes
import Crypto

/// Runs `app-attest.attestation` vectors.
struct AppAttestAttestationVectorRunner: VectorRunner {
    let kind = EvidenceFormat.appAttestAttestation.rawValue
    private let links = LinkCache()

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let environment = try input.environment()
        // Evidence that is not even Base64 is malformed evidence.
        let evidence = Evidence(
            format: .appAttestAttestation, keyID: input.evidenceBytes("key_id_b64"),
            body: input.evidenceBytes("attestation_b64"))
        let policy = try input.appAttestPolicy()
        let verifier = AppAttestAttestationVerifier(
            identities: [try input.identity(environments: [environment])], anchors: try policy.anchors(),
            receiptAnchors: TrustAnchor.appAttestReceipt, policy: try AppAttestPolicy(policy), links: links,
            // A genuine receipt authenticates extensions, as in the daemon; receipts of synthetic vectors are placeholders.
            attribution: vector.isSynthetic ? .presumed : .vouched)
        return judgeFully(
            verifier, evidence,
            AppraisalContext(
                binding: Binding(callerOwned: try input.clientDataHash(from: "challenge_b64")), now: vector.verifyAt))
    }
}

/// Runs `app-attest.assertion` vectors: the device counts as registered under today's policy.
struct AppAttestAssertionVectorRunner: VectorRunner {
    let kind = EvidenceFormat.appAttestAssertion.rawValue

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let policy = try input.appAttestPolicy()
        let anchors = try policy.anchors()
        let identity = try input.identity(environments: [.production])
        let publicKey = try input.publicKey("public_key_b64")
        let device = Device.assumed(
            key: publicKey, rpIDHash: identity.rpIDHash, anchors: anchors, counter: try input.number("previous_counter") ?? 0,
            at: vector.verifyAt)
        guard let device else { throw VectorError("no name for the device") }
        let evidence = Evidence(
            format: .appAttestAssertion, keyID: device.registration.keyID, body: input.evidenceBytes("assertion_b64"))
        let verifier = AppAttestAssertionVerifier(
            identities: [identity], anchors: anchors, policy: try AppAttestPolicy(policy),
            // The attestation whose receipt would authenticate the extensions is not part of the vector.
            attribution: .presumed)
        return judgeFully(
            verifier, evidence,
            AppraisalContext(
                binding: Binding(callerOwned: try input.clientDataHash(from: "client_data_b64")), facts: Facts(device: device),
                now: vector.verifyAt))
    }
}

/// Runs `app-attest.receipt` vectors: receipts of both types that arrive at the time of the vector.
struct ReceiptVectorRunner: VectorRunner {
    let kind = EvidenceFormat.appAttestReceipt.rawValue
    private let links = LinkCache()

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let environment = try input.environment()
        let maxAge: Int64? = try input.number("max_age_seconds").map { (seconds: Int32) in Int64(seconds) * 1000 }
        let expectation = ReceiptExpectation(
            rpIDHash: try input.identity(environments: [environment]).rpIDHash,
            publicKey: try input.text("public_key_b64") == nil ? nil : try input.publicKey("public_key_b64"),
            environment: environment, maxAgeMilliseconds: maxAge)
        let verifier = ReceiptVerifier(anchors: TrustAnchor.appAttestReceipt, links: links)
        // A receipt that is not even Base64 is a malformed one.
        let receipt = input.evidenceBytes("receipt_b64")
        return VectorOutcome(
            unassured: verifier.appraise(receipt[...], against: expectation, .arriving(vector.verifyAt)))
    }
}

extension VectorInput {
    /// `team_id` (the App ID prefix) and `bundle_id`, or the hash of the App ID.
    fileprivate func identity(environments: Set<AppAttestEnvironment>) throws(VectorError) -> AppAttestIdentity {
        if let prefix = try text("team_id"), let bundle = try text("bundle_id") {
            return AppAttestIdentity(appID: "\(prefix).\(bundle)", platform: .iOS, environments: environments)
        }
        guard let hash = try bytes("app_id_hash_b64"),
            let identity = AppAttestIdentity(rpIDHash: hash, platform: .iOS, environments: environments)
        else { throw VectorError("neither team_id and bundle_id nor app_id_hash_b64") }
        return identity
    }

    /// `environment`, one of Apple's two.
    fileprivate func environment() throws(VectorError) -> AppAttestEnvironment {
        guard let environment = try text("environment").flatMap(AppAttestEnvironment.init(rawValue:)) else {
            throw VectorError("environment is neither production nor development")
        }
        return environment
    }

    /// `client_data_hash_b64`, or the SHA-256 of the preimage.
    fileprivate func clientDataHash(from preimage: String) throws(VectorError) -> [UInt8] {
        if let hash = try bytes("client_data_hash_b64") { return hash }
        return Array(SHA256.hash(data: try requiredBytes(preimage)))
    }

    /// An X9.63 point, or a SubjectPublicKeyInfo of one.
    fileprivate func publicKey(_ name: String) throws(VectorError) -> [UInt8] {
        let bytes = try requiredBytes(name)
        if bytes.count == 65 { return bytes }
        guard let key = try? P256.Signing.PublicKey(derRepresentation: bytes) else {
            throw VectorError("\(name) is no P-256 public key")
        }
        return Array(key.x963Representation)
    }

    fileprivate func appAttestPolicy() throws(VectorError) -> VectorInput {
        try section(
            "policy",
            known: [
                "trusted_roots", "extra_roots_pem", "allowed_validation_categories", "allowed_bundle_versions",
                "require_extensions",
            ])
    }

    /// A policy's anchors: `trusted_roots` by group, Apple's by default, and `extra_roots_pem`.
    fileprivate func anchors() throws(VectorError) -> [TrustAnchor] {
        try anchors(groups: ["apple-app-attest": TrustAnchor.appAttest], by: "apple-app-attest")
    }
}

extension AppAttestPolicy {
    fileprivate init(_ policy: VectorInput) throws(VectorError) {
        self.init(
            allowedValidationCategories: try policy.numbers("allowed_validation_categories", UInt32.self).map { Set($0) },
            allowedBundleVersions: try policy.texts("allowed_bundle_versions").map { Set($0.map { OpaqueText($0) }) },
            requireExtensions: try policy.flag("require_extensions") ?? false, counterRule: .strictlyIncreasing)
    }
}
