import AssayCore
import AssaySchemes

/// Inspects an attestation: a CBOR map with a member `attStmt`.
struct AttestationInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestAttestation.rawValue)
    let recognition = InspectedKind.Recognition.content("attStmt")
    let registers = true

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        AppAttestExplanation.attestation(bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(attestation: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}

/// Inspects an assertion: a CBOR map with a member `authenticatorData`.
struct AssertionInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestAssertion.rawValue)
    let recognition = InspectedKind.Recognition.content("authenticatorData")

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        AppAttestExplanation.assertion(bytes[...])
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(assertion: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}

/// Inspects a receipt: a signed CMS message.
struct ReceiptInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: EvidenceFormat.appAttestReceipt.rawValue)
    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.first == 0x30 && bytes.prefix(32).firstRange(of: Self.signedData) != nil
    }

    /// The object identifier of a signed CMS message (RFC 5652 §5.1), in DER.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation { AppAttestExplanation.receipt(bytes[...]) }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        AppAttestInspection(of: input.bytes, for: subject).judge(receipt: input)
    }

    func meaning(of check: String) -> String? { AppAttestCheck.meaning(of: check) }
}
