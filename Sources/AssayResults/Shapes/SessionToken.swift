import AssayCore

/// A session token: a device that has just proved itself is known by it for a while. It is bound to the device's key by the key's thumbprint
/// (RFC 9449 §6.1).
struct SessionToken {
    private let facts: ResultFacts
    private let terms: ResultTerms
    private let thumbprint: [UInt8]

    /// Throws `result_assurance_too_low` and `result_without_device_key`.
    init(_ facts: ResultFacts, _ terms: ResultTerms, _ rule: ResultRule.Session) throws(ResultProblem) {
        guard facts.assurance >= rule.minimumAssurance else { throw .assurance }
        (self.facts, self.terms, thumbprint) = (facts, terms, try facts.webKey().thumbprint)
    }

    var json: [UInt8] {
        JSONClaims.object { claims in
            claims.addParties(terms)
            if let device = terms.audience.name(of: facts.device) { claims.add("sub", plain: device) }
            claims.addLife(terms)
            if !terms.nonce.isEmpty { claims.add("nonce", base64url: terms.nonce) }
            claims.object("cnf") { $0.add("jkt", base64url: thumbprint) }
            if let place = terms.status { claims.object("status") { $0.addStatusList(place) } }
            claims.object("assay") { $0.addDetails(of: facts, device: nil) }
        }
    }
}
