import AssayCore
import AssayEncoding
import AssaySchemes

/// A file of no known kind: the description that is given nevertheless.
struct UnknownFile: EvidenceInspector {
    /// The files of platforms that are known, as parts of a sentence.
    let forms: [String]

    let kind = InspectedKind.unknown
    let recognition = InspectedKind.Recognition.remaining { _ in true }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let known = forms + ["certificates in PEM or DER", "challenges"]
        return InspectionResult([], remarks: ["What is known: \(known.joined(separator: "; "))."])
    }

    func meaning(of check: String) -> String? { nil }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
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
