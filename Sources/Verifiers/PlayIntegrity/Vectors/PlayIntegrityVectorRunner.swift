import AssayCore
import AssaySchemes

/// Runs `play-integrity.token` vectors: tokens with their keys.
struct PlayIntegrityVectorRunner: VectorRunner {
    let kind = EvidenceFormat.playIntegrity.rawValue

    func judge(_ vector: Vector) throws(VectorError) -> VectorOutcome {
        let input = vector.input
        let keys = PlayKeySet(
            decryptionKey: try input.requiredBytes("decryption_key_b64"),
            verificationKey: try input.requiredBytes("verification_key_b64"))
        guard let keys else { throw VectorError("the keys are not those of Play Integrity") }
        guard let token = try input.text("token"), let package = try input.text("package_name") else {
            throw VectorError("no token, or no package_name")
        }
        let (kind, bound) = try input.bound()
        let verifier = PlayIntegrityVerifier(
            identity: PlayIntegrityIdentity(packages: [package], signers: try input.playPolicy().signers()),
            keys: [keys], decoding: .local, policy: try PlayIntegrityPolicy(input, kind))
        return judgeFully(
            verifier, Evidence(format: .playIntegrity, keyID: [], body: Array(token.utf8)),
            AppraisalContext(binding: Binding(callerOwned: bound), now: vector.verifyAt))
    }
}

extension VectorInput {
    /// `request_hash` or `nonce`, as bytes, and the kind of request it belongs to.
    fileprivate func bound() throws(VectorError) -> (PlayRequestKind, [UInt8]) {
        if let hash = try text("request_hash").flatMap({ Base64.url.decode($0) }) { return (.standard, hash) }
        guard let text = try text("nonce"), let nonce = Base64.url.decode(text.prefix { $0 != "=" }) else {
            throw VectorError("neither request_hash nor nonce is base64url")
        }
        return (.classic, nonce)
    }

    fileprivate func playPolicy() throws(VectorError) -> VectorInput {
        try section("policy", known: ["device_verdicts", "certificate_sha256_digests"])
    }

    /// `certificate_sha256_digests` of a policy; `nil`: any.
    fileprivate func signers() throws(VectorError) -> Set<[UInt8]>? {
        guard let digests = try texts("certificate_sha256_digests") else { return nil }
        var signers: Set<[UInt8]> = []
        for digest in digests {
            guard let bytes = Base64.url.decode(digest) else { throw VectorError("certificate_sha256_digests: not base64url") }
            signers.insert(bytes)
        }
        return signers
    }
}

extension PlayIntegrityPolicy {
    fileprivate init(_ input: VectorInput, _ kind: PlayRequestKind) throws(VectorError) {
        self.init(kinds: [kind])
        if let seconds = try input.number("max_age_seconds", Int32.self) { maxAgeMilliseconds = Int64(seconds) * 1000 }
        guard let labels = try input.playPolicy().texts("device_verdicts") else { return }
        deviceVerdicts = Set(labels.compactMap(PlayVerdict.Device.init(rawValue:)))  // not text from outside
        guard deviceVerdicts.count == labels.count else { throw VectorError("device_verdicts has an unknown label") }
    }
}
