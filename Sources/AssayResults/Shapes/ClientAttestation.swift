import AssayCore

/// OAuth's client attestation (draft-ietf-oauth-attestation-based-client-auth-10 §4): the client is the app, its instance has the device's key. It has no `iss`
/// (since -08): the authorisation server knows the key by `kid`.
struct ClientAttestation {
    private let facts: ResultFacts
    private let terms: ResultTerms
    private let clientID: String
    private let key: JSONWebKey

    /// Throws `result_not_allowed` without a client id, and `result_without_device_key`.
    init(_ facts: ResultFacts, _ terms: ResultTerms, _ rule: ResultRule) throws(ResultProblem) {
        guard let clientID = rule.clientID else { throw .notAllowed }
        (self.facts, self.terms, self.clientID, key) = (facts, terms, clientID, try facts.messageKey())
    }

    var json: [UInt8] {
        JSONClaims.object { claims in
            claims.add("sub", clientID)
            claims.add("aud", json: terms.audience.json)
            claims.addLife(terms)
            claims.object("cnf") { $0.add("jwk", json: key.text) }
            claims.addLimits(of: facts)
        }
    }
}
