import AssayCore

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
