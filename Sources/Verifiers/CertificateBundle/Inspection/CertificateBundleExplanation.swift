import AssayCertificates
package import AssayCore
import AssayEncoding

/// Explains bundles to a person. It uses the verifier's readers, so that it fails on the same input.
package enum CertificateBundleExplanation {
    package static func bundle(_ json: [UInt8]) -> Explanation { bundle(json, arc: nil) }

    /// - Parameter arc: of the fleet's extensions; `nil`: the usual one.
    static func bundle(_ json: [UInt8], arc: FleetArc?) -> Explanation {
        var explanation = Explanation("certificate bundle", of: json[...])
        explanation.read { (explanation) throws(Rejection) in
            let fields = try BundleJSON.read(json[...])
            explanation.add("timestamp", .time(Timestamp(unixSeconds: fields.timestamp)), "by the camera's clock; signed")
            explanation.add("image_hash", .text(Hex.encode(fields.imageHash)), "SHA-256 of the image; signed")
            explanation.add(
                "gps_hash", .text(fields.locationHash.isEmpty ? "none" : Hex.encode(fields.locationHash)),
                "SHA-256 of the place; signed")
            let signature = try BundleSignature(parsing: fields.signature)
            explanation.add("bundle_signature", .text("\(fields.signature.count) bytes, \(signature.form.rawValue)"))
            let certificates = try PresentedCertificates(parsing: fields.certificate)
            explanation.add("camera_cert", .text(certificates.encoding.rawValue), "its text as submitted is signed")
            explanation.add(Certificate.explain(certificates.leaf.der, title: "the device certificate"))
            let fleet = FleetExtensions(certificates.leaf, arc: arc ?? .standard)
            explanation.add("device_serial", certificates.leaf.deviceSerial.map { .text($0) }, "by the certificate's subject")
            explanation.add("device_family", fleet.family.map { .text($0) })
            explanation.add("manufacturer", fleet.manufacturer.map { .text($0) })
            explanation.add("validation_endpoint", fleet.validationEndpoint.map { .text($0) })
            explanation.add("table_id", fleet.table.map { .integer(Int64($0)) }, "the key table that opens the device secret")
            explanation.add("key_index", fleet.keyIndex.map { .integer(Int64($0)) }, "the key of that table")
        }
        return explanation
    }
}
