import AssayCore
import AssayEncoding

/// The verdict itself, signed: its JSON as a claim of a JWT, or its protobuf as the content of a COSE_Sign1, whose protected header has the claims
/// (RFC 9597).
struct PlainVerdict {
    private let facts: ResultFacts
    private let terms: ResultTerms

    init(_ facts: ResultFacts, _ terms: ResultTerms) { (self.facts, self.terms) = (facts, terms) }

    /// Throws `results_unavailable` if the verdict could not be written as JSON.
    func json() throws(ResultProblem) -> [UInt8] {
        let verdict = facts.json()
        guard !verdict.isEmpty else { throw .unavailable }
        return JSONClaims.object { claims in
            claims.addParties(terms)
            claims.addLife(terms)
            if !terms.nonce.isEmpty { claims.add("nonce", base64url: terms.nonce) }
            claims.addLimits(of: facts)
            claims.add("verdict", json: verdict)
        }
    }

    /// The verdict's protobuf.
    var message: [UInt8] { facts.message() }

    /// The header has the claims, so that it is another one for each message.
    var writer: COSEWriter {
        let claims = CBORClaims.map { claims in
            claims.addTerms(terms)
            claims.addLimits(of: facts)
        }
        return COSEWriter(protected: terms.key.heads.plainCOSE + [(COSELabel.claims, claims)])
    }
}
