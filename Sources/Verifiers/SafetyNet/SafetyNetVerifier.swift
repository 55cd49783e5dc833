package import AssayCertificates
package import AssayCore
import AssayEncoding

/// Appraises responses of Google's SafetyNet Attestation API, which was turned off in January 2025. Fresh responses no longer
/// exist: this is for stored responses, appraised at a given time. No app of a daemon accepts them.
package struct SafetyNetVerifier: EvidenceVerifier {
    package static let format = EvidenceFormat.safetyNet
    /// In bytes. The longest response seen has 8 kB.
    package static let responseLimit = 65_536
    /// The host whose certificate signs. Compared as bytes, with DNS names of the subject alternative name only.
    static let host = "attest.android.com"

    package let format: EvidenceFormat = Self.format
    package let purposes: Set<Purpose> = []
    package let sizeLimit: Int = Self.responseLimit
    package let replayProtection: ReplayProtection = .challenge()

    private let policy: SafetyNetPolicy
    private let validator: ChainValidator

    package init(anchors: [TrustAnchor], policy: SafetyNetPolicy) {
        self.policy = policy
        validator = ChainValidator(anchors: anchors, profile: Self.chainProfile, links: nil)
    }

    /// A certificate of the web PKI, as Google's were from 2017 to 2023: one or two authorities below a root of GlobalSign.
    /// Older leaves have no key usage. ECDSA in a certificate's algorithms breaks nothing by itself: no key of the chain uses
    /// it.
    static let chainProfile = ChainProfile(
        lengths: 1...6, signatureAlgorithms: [.rsaWithSHA256, .ecdsaWithSHA256], leafKeys: [.rsa], authorityKeys: [.rsa],
        leafUsage: [])

    package func locate(_ evidence: BoundedEvidence) throws(Rejection) -> Needs { .nothing }

    package func appraise(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let response = try readResponse(evidence, &appraisal)
        let chain = try validateChain(response.certificates, at: context.now, &appraisal)
        try appraisal.check("signature") { () throws(Rejection) in
            try chain.leafKey().verify(
                response.token.signature[...], by: .rsaWithSHA256, over: response.token.signedPart)
        }
        let payload = try appraisal.check("payload") { () throws(Rejection) in
            try SafetyNetPayload(JSONFields(parsing: response.token.payload[...], code: .malformedToken))
        }
        // From here on every byte of the payload is authenticated by Google.
        appraisal.claims = payload.claims
        appraisal.claims.add("chain_length_in_token", .integer(Int64(response.certificates.count)))
        try checkPayload(payload, context, &appraisal)
        appraisal.simulated = chain.anchor.simulated
        appraisal.assurance = .software
    }

    /// N0 to N2, after the size: token, algorithm, certificates.
    private func readResponse(
        _ evidence: BoundedEvidence, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (token: CompactJWS, certificates: [[UInt8]]) {
        let token = try appraisal.check("token") { () throws(Rejection) in try CompactJWS(parsing: evidence.body[...]) }
        try appraisal.check("algorithm") { () throws(Rejection) in try token.header.require("RS256", allowing: "x5c") }
        let certificates = try appraisal.check("x5c") { () throws(Rejection) in try Self.certificates(of: token) }
        return (token, certificates)
    }

    /// The certificates of the header (RFC 7515 §4.1.6), leaf first: DER in standard Base64.
    static func certificates(of token: CompactJWS) throws(Rejection) -> [[UInt8]] {
        guard let texts = try token.header.fields.texts("x5c") else {
            throw Rejection(.malformedToken, "the header has no certificates (x5c)")
        }
        guard chainProfile.lengths.contains(texts.count) else {
            throw Rejection(.malformedToken, "\(texts.count) certificates in the header")
        }
        var certificates: [[UInt8]] = []
        for text in texts {
            guard let der = Base64.standard.decode(text) else {
                throw Rejection(.malformedCertificate, "a certificate is not Base64")
            }
            certificates.append(der)
        }
        return certificates
    }

    /// N3 and N4: the chain of the web PKI, and the host of the certificate.
    private func validateChain(
        _ certificates: [[UInt8]], at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) -> ValidatedChain {
        let unverified = try appraisal.check("certificates") { () throws(Rejection) in
            try UnverifiedChain(parsing: certificates.map { $0[...] }, profile: Self.chainProfile)
        }
        let chain = try validator.validate(unverified, at: now) { (step, run) throws(Rejection) in
            try appraisal.check(step.rawValue, run)
        }
        try appraisal.check("host") { () throws(Rejection) in
            guard let names = try chain.leaf.subjectAlternativeNames()?.dnsNames else {
                throw Rejection(.hostnameMismatch, "the certificate has no alternative names, want \(Self.host)")
            }
            guard names.contains(where: { $0.hasBytes(of: Self.host) }) else {
                throw Rejection(.hostnameMismatch, "the certificate has the DNS names \(names.shown), want \(Self.host)")
            }
        }
        return chain
    }

    /// N6 to N9: nonce, time, and Google's statement about the device.
    private func checkPayload(
        _ payload: SafetyNetPayload, _ context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("nonce") { () throws(Rejection) in
            let expected = context.binding.clientData
            guard let nonce = Base64.standard.decode(payload.nonce) else {
                throw Rejection(.nonceMismatch, "the nonce is not Base64 with padding")
            }
            guard nonce != expected else { return }
            let nonces = ComparedBytes(nonce, expected: expected)
            let cause = context.binding.slipsOfData.explanation { $0 == nonce }
            throw Rejection(.nonceMismatch, "the nonce is \(nonces.found), expected \(nonces.expected)" + cause)
        }
        try appraisal.check("timestamp") { () throws(Rejection) in
            let age = context.now.milliseconds(since: payload.timestamp)
            guard age >= -SafetyNetPolicy.skew else { throw Rejection(.staleTimestamp, "the response was made in the future") }
            guard age <= policy.maxAgeMilliseconds else {
                throw Rejection(
                    .staleTimestamp,
                    "the response was made \(DurationText.toTheSecond(age)) ago, at most \(DurationText.exact(policy.maxAgeMilliseconds))"
                )
            }
        }
        try appraisal.check("integrity") { () throws(Rejection) in
            guard payload.error == nil else { throw Rejection(.ctsProfileMismatch, "the response tells an error") }
            guard payload.ctsProfileMatch || !policy.requiresCTSProfile else {
                throw Rejection(.ctsProfileMismatch, "the device matches no certified profile")
            }
            guard payload.basicIntegrity || !policy.requiresBasicIntegrity else {
                throw Rejection(.ctsProfileMismatch, "the device has no basic integrity")
            }
        }
    }
}

/// The requirements on a response.
package struct SafetyNetPolicy: Hashable, Sendable {
    /// The greatest age of a response, in milliseconds.
    package var maxAgeMilliseconds: Int64
    /// How far Google's clock may be ahead, in milliseconds.
    package static let skew: Int64 = 60_000
    /// The device must match a certified profile (`ctsProfileMatch`).
    package var requiresCTSProfile: Bool
    /// The device must have basic integrity (`basicIntegrity`), which a certified profile includes.
    package var requiresBasicIntegrity: Bool

    package init(
        maxAgeMilliseconds: Int64 = 300_000, requiresCTSProfile: Bool = true, requiresBasicIntegrity: Bool = true
    ) {
        self.maxAgeMilliseconds = maxAgeMilliseconds
        self.requiresCTSProfile = requiresCTSProfile
        self.requiresBasicIntegrity = requiresBasicIntegrity
    }
}

/// The payload of a response (SafetyNet Attestation API, "Verify the response").
struct SafetyNetPayload {
    /// Standard Base64, as received.
    let nonce: String
    let timestamp: Timestamp
    let packageName: String?
    let packageDigest: String?
    let certificateDigests: [String]?
    let ctsProfileMatch: Bool
    let basicIntegrity: Bool
    /// `BASIC`, or `BASIC,HARDWARE_BACKED`.
    let evaluationType: String?
    let advice: String?
    let error: String?

    init(_ fields: JSONFields) throws(Rejection) {
        nonce = try fields.required("nonce", fields.text("nonce"))
        let time = try fields.required("timestampMs", fields.integer("timestampMs"))
        guard time >= 0 else { throw Rejection(fields.code, "timestampMs is negative") }
        timestamp = Timestamp(unixMilliseconds: time)
        packageName = try fields.text("apkPackageName")
        packageDigest = try fields.text("apkDigestSha256")
        certificateDigests = try fields.texts("apkCertificateDigestSha256")
        ctsProfileMatch = try fields.boolean("ctsProfileMatch") ?? false
        basicIntegrity = try fields.boolean("basicIntegrity") ?? false
        evaluationType = try fields.text("evaluationType")
        advice = try fields.text("advice")
        error = try fields.text("error")
    }

    /// The fields as claims, by their names. Absent fields are not claimed.
    var claims: Claims {
        var claims = Claims()
        claims.add("nonce", .text(nonce))
        claims.add("timestampMs", .integer(timestamp.unixMilliseconds))
        claims.add("apkPackageName", packageName.map { .text($0) })
        claims.add("apkDigestSha256", packageDigest.map { .text($0) })
        claims.add("apkCertificateDigestSha256", certificateDigests.map { .texts($0) })
        claims.add("ctsProfileMatch", .boolean(ctsProfileMatch))
        claims.add("basicIntegrity", .boolean(basicIntegrity))
        claims.add("evaluationType", evaluationType.map { .text($0) })
        claims.add("advice", advice.map { .text($0) })
        claims.add("error", error.map { .text($0) })
        return claims
    }
}
