package import AssayCore
import AssayEncoding

/// What a plain result holds. The type in its header says which, so that the answer to a look-up never passes for a verdict.
package enum PlainContent: CaseIterable, Hashable, Sendable {
    /// `assay.v1.Verdict`.
    case verdict
    /// `assay.v1.FindVerdictsResponse`.
    case lookup

    /// The claim that has it in JSON.
    var claim: StaticString {
        switch self {
        case .verdict: "verdict"
        case .lookup: "lookup"
        }
    }
}

/// The answer to a look-up, as it is signed.
package struct LookupFacts: Sendable {
    /// When the answer was true. From here the result's life is counted.
    package var answeredAt: Timestamp
    /// A verdict in it rests on a test root.
    package var simulated: Bool
    /// The answer as the JSON of its message, an object; empty if it cannot be written. Called for the shape that signs it.
    package var json: @Sendable () -> [UInt8]
    /// The answer's message in protobuf.
    package var message: [UInt8]

    package init(answeredAt: Timestamp, simulated: Bool, message: [UInt8], json: @escaping @Sendable () -> [UInt8]) {
        (self.answeredAt, self.simulated, self.message, self.json) = (answeredAt, simulated, message, json)
    }
}

/// The answer to a look-up, signed as ``PlainVerdict`` signs a verdict, under types of its own.
struct PlainLookup {
    private let facts: LookupFacts
    private let terms: ResultTerms

    init(_ facts: LookupFacts, _ terms: ResultTerms) { (self.facts, self.terms) = (facts, terms) }

    /// Throws `results_unavailable` if the answer could not be written as JSON.
    func json() throws(ResultProblem) -> [UInt8] {
        let answer = facts.json()
        guard !answer.isEmpty else { throw .unavailable }
        return JSONClaims.object { claims in
            claims.addParties(terms)
            claims.addLife(terms)
            if !terms.nonce.isEmpty { claims.add("nonce", base64url: terms.nonce) }
            claims.object("assay") { if facts.simulated { $0.add("simulated", true) } }
            claims.add(PlainContent.lookup.claim, json: answer)
        }
    }

    var message: [UInt8] { facts.message }

    /// The header has the claims, so that it is another one for each message.
    var writer: COSEWriter {
        let claims = CBORClaims.map { claims in
            claims.addTerms(terms)
            claims.map("assay") { if facts.simulated { $0.add("simulated", true) } }
        }
        return COSEWriter(protected: terms.key.heads.lookupCOSE + [(COSELabel.claims, claims)])
    }
}
