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
        let certificate = try fields.required("camera_cert", try fields.text("camera_cert"))
        let timestamp = try time(fields)
        let locationHash = try hash("gps_hash", fields)
        let signature = try fields.required("bundle_signature", try fields.text("bundle_signature"))
        guard let signature = Base64.standard.decode(signature) else {
            throw Rejection(.malformed, "bundle_signature is not Base64 with padding")
        }
        return CertificateBundle.Fields(
            imageHash: imageHash, certificate: Array(certificate.utf8), timestamp: timestamp, locationHash: locationHash ?? [],
            signature: signature)
    }

    /// 64 hexadecimal digits in either case; `nil` for an absent member.
    private static func hash(_ name: String, _ fields: JSONFields) throws(Rejection) -> [UInt8]? {
        guard let text = try fields.text(name) else { return nil }
        guard let hash = Hex.decode(text), hash.count == 32 else {
            throw Rejection(.malformed, "\(name) is not 64 hexadecimal digits")
        }
        return hash
    }

    /// An integer of 64 bits, written as a number without fraction, exponent or superfluous sign.
    private static func time(_ fields: JSONFields) throws(Rejection) -> Int64 {
        guard case .number(let digits)? = fields.object["timestamp".utf8],
            let number = Int64(String(decoding: digits, as: UTF8.self)), String(number).utf8.elementsEqual(digits)
        else { throw Rejection(.malformed, "timestamp is missing, or no whole number of seconds") }
        return number
    }
}
