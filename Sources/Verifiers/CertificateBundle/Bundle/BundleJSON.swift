import AssayCore

/// The JSON that a camera sends: one object. Members that are not known here are not signed, and are ignored.
enum BundleJSON {
    /// Members of the older format, whose bundles carry an encrypted token in place of a certificate.
    private static let olderMembers = ["encrypted_nuc_token", "table_references", "key_indices", "device_signature"]

    static func read(_ json: ArraySlice<UInt8>) throws(Rejection) -> CertificateBundle.Fields {
        let fields = try JSONFields(parsing: json, code: .malformed)
        guard !olderMembers.contains(where: fields.has) else {
            throw Rejection(.wrongFormat, "a bundle of the older format, with an encrypted token in place of a certificate")
        }
        let imageHash = try fields.required("image_hash", try hash("image_hash", fields))
        let certificate = try fields.required("camera_cert", try fields.utf8("camera_cert"))
        // Written as a number without fraction, exponent or superfluous sign.
        guard let timestamp = fields.number("timestamp") else {
            throw Rejection(.malformed, "timestamp is missing, or no whole number of seconds")
        }
        let locationHash = try hash("gps_hash", fields)
        let signature = try fields.required("bundle_signature", try fields.utf8("bundle_signature"))
        guard let signature = Base64.standard.decode(utf8: signature) else {
            throw Rejection(.malformed, "bundle_signature is not Base64 with padding")
        }
        return CertificateBundle.Fields(
            imageHash: imageHash, certificate: certificate, timestamp: timestamp, locationHash: locationHash ?? [],
            signature: signature)
    }

    /// 64 hexadecimal digits in either case; `nil` for an absent member.
    private static func hash(_ name: String, _ fields: JSONFields) throws(Rejection) -> [UInt8]? {
        guard let text = try fields.utf8(name) else { return nil }
        guard let hash = Hex.decode(utf8: text), hash.count == 32 else {
            throw Rejection(.malformed, "\(name) is not 64 hexadecimal digits")
        }
        return hash
    }
}
