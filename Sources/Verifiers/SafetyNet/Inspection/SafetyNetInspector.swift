import AssayCertificates
package import AssayCore
import AssayEncoding
import AssaySchemes

/// Inspects stored responses, by the requirements of the time when SafetyNet was in service.
struct SafetyNetInspector: EvidenceInspector {
    let kind = InspectedKind(rawValue: "safetynet.jws")

    /// A token in compact serialisation begins with its header, a JSON object in base64url; signed ones have three parts.
    let recognition = InspectedKind.Recognition.beginning { bytes in
        bytes.starts(with: "eyJ".utf8) && bytes.count(where: { $0 == UInt8(ascii: ".") }) <= 2
    }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation { SafetyNetExplanation.response(bytes[...]) }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let verifier = SafetyNetVerifier(anchors: TrustAnchor.safetyNet, policy: SafetyNetPolicy())
        let nonce = input.clientData ?? input.clientDataHash
        var examination = Examination()
        if nonce == nil { examination.leaveOut("nonce", because: "the nonce was not given (--client-data)") }
        let findings = verifier.appraise(
            Evidence(format: .safetyNet, keyID: [], body: input.bytes),
            in: AppraisalContext(binding: Binding(callerOwned: nonce ?? []), now: input.now, examination: examination)
        ).findings
        return InspectionResult(
            findings,
            remarks: ["No response can be fresh: give the time at which it was received (--at), kept elsewhere than in it."])
    }

    /// Checks that the chains of all platforms share have one description.
    func meaning(of check: String) -> String? { SafetyNetCheck.meaning(of: check) ?? ChainCheck.meaning(of: check) }
}

/// Explains responses to a person. It uses the verifier's readers, so that it fails on the same input.
package enum SafetyNetExplanation {
    package static func response(_ bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("SafetyNet response", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let token = try CompactJWS(parsing: bytes)
            explanation.add("alg", .text(token.header.algorithm.text), "must be RS256")
            explanation.add("signature", token.signature)
            let payload: SafetyNetPayload
            do throws(Rejection) {
                payload = try SafetyNetPayload(JSONFields(parsing: token.payload[...], code: .malformedToken))
            } catch {
                // An error in the payload has no place in the file.
                throw Rejection(error.code, error.detail)
            }
            for claim in payload.claims.all { explanation.add(claim.name, claim.value, meaning(of: claim)) }
            for (index, der) in try SafetyNetVerifier.certificates(of: token).enumerated() {
                let title = index == 0 ? "x5c[0]: the certificate of the signer" : "x5c[\(index)]: its issuer"
                explanation.add(Certificate.explain(der[...], title: title))
            }
        }
        return explanation
    }

    private static func meaning(of claim: Claims.Claim) -> String {
        guard claim.name.hasBytes(of: "timestampMs"), case .integer(let time) = claim.value else {
            return meanings[claim.name] ?? ""
        }
        return "by Google's clock \(Timestamp(unixMilliseconds: time))"
    }

    private static let meanings = [
        "nonce": "Base64 of what the app asked for",
        "ctsProfileMatch": "the device matches a certified profile",
        "basicIntegrity": "the device was not tampered with, as far as could be seen",
        "apkPackageName": "the package that asked; unreliable unless ctsProfileMatch",
        "advice": "how the device could get a better answer",
    ]
}

/// Describes for people what each check of a response compares. The names are those of the findings; a chain's are those of
/// every chain.
package enum SafetyNetCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the response against the longest that is read",
        "token": "the bytes against three parts of base64url",
        "algorithm": "what the header names against RS256",
        "x5c": "the certificates of the header against how many there may be",
        "chain_algorithms": "signature algorithms and keys against those that are strong enough",
        "host": "the DNS names of the certificate against attest.android.com",
        "signature": "the signature against the key of attest.android.com",
        "payload": "what is signed against strict JSON and the fields that must be there",
        "nonce": "the nonce against the one that was asked for",
        "timestamp": "Google's time against the time of judgement",
        "integrity": "what Google says of the device against what is demanded",
    ]
}
