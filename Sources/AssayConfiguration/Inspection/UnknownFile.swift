import AssayCore
import AssayEncoding

/// A file of no known kind: the description that is given nevertheless.
enum UnknownFile {
    static let remark =
        "What is known: App Attest attestations, assertions and receipts, as they are or in Base64; certificates in PEM or "
        + "DER; Play Integrity tokens and SafetyNet responses, which are text that begins with eyJ; what Google answers about "
        + "a token, in JSON; challenges."

    static func explain(_ bytes: [UInt8]) -> Explanation {
        guard !bytes.isEmpty else { return Explanation("an empty file", of: bytes[...]) }
        var unknown = Explanation("a file of no known kind", of: bytes[...])
        unknown.add("begins with", bytes.prefix(16))
        // App Attest objects are CBOR maps. Other bytes would be reported as broken at an accidental place.
        guard let first = bytes.first, first >> 5 == 5 else { return unknown }
        unknown.read { (unknown) throws(Rejection) in
            let item = try CBORReader.parse(bytes[...], code: .malformedCBOR)
            unknown.add("cbor", .text("\(item.kind)"), "well-formed, but neither an attestation nor an assertion")
        }
        return unknown
    }
}
