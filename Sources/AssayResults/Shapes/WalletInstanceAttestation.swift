import AssayCore

/// The EU wallet's instance attestation (TS3 1.5 §2.3.1): a client attestation about a wallet. The profile has neither issuer nor audience.
struct WalletInstanceAttestation {
    private let facts: ResultFacts
    private let terms: ResultTerms
    private let clientID: String
    private let wallet: ResultRule.Wallet
    private let key: JSONWebKey

    /// Throws `result_not_allowed` without a client id or a wallet, and `result_without_device_key`.
    init(_ facts: ResultFacts, _ terms: ResultTerms, _ rule: ResultRule) throws(ResultProblem) {
        guard let clientID = rule.clientID, let wallet = rule.wallet else { throw .notAllowed }
        (self.facts, self.terms, self.clientID, self.wallet) = (facts, terms, clientID, wallet)
        key = try facts.messageKey()
    }

    var json: [UInt8] {
        JSONClaims.object { claims in
            claims.add("sub", clientID)
            claims.addLife(terms)
            claims.object("cnf") { $0.add("jwk", json: key.text) }
            claims.add("wallet_name", wallet.name)
            claims.add("wallet_version", wallet.version)
            if let link = wallet.link { claims.add("wallet_link", link) }
            claims.add("wallet_solution_certification_information", wallet.certification)
            claims.addWalletStatus("client_status", terms)
            claims.addLimits(of: facts)
        }
    }
}
