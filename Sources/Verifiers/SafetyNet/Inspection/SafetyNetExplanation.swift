import AssayCertificates
package import AssayCore
import AssayEncoding

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
