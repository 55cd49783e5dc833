import AssayCore

/// The EU wallet's key attestation (TS3 1.5 §2.3.2, OpenID4VCI 1.0 Appendix D.1) of the device's key.
struct KeyAttestation {
    private let facts: ResultFacts
    private let terms: ResultTerms
    private let wallet: ResultRule.Wallet
    private let key: JSONWebKey

    /// Throws `result_not_allowed` without a wallet, and `result_without_device_key`.
    init(_ facts: ResultFacts, _ terms: ResultTerms, _ rule: ResultRule) throws(ResultProblem) {
        guard let wallet = rule.wallet else { throw .notAllowed }
        (self.facts, self.terms, self.wallet, key) = (facts, terms, wallet, try facts.messageKey())
    }

    var json: [UInt8] {
        JSONClaims.object { claims in
            claims.addLife(terms)
            claims.add("attested_keys", json: [UInt8(ascii: "[")] + key.text + [UInt8(ascii: "]")])
            if let resistance { claims.add("key_storage", plain: [resistance]) }
            claims.add("certification", wallet.certification)
            if let nonce { claims.add("nonce", nonce) }
            claims.addWalletStatus("key_storage_status", terms)
            claims.addLimits(of: facts)
        }
    }

    /// The resistance to attacks of what holds the key (OpenID4VCI 1.0 Appendix D.2), by what is demanded of such hardware; docs/reference/results.md says why.
    private var resistance: String? {
        switch facts.assurance {
        case .secureElement: "iso_18045_high"
        case .hardware: "iso_18045_enhanced-basic"
        case .software: "iso_18045_basic"
        case .platform, .none: nil
        }
    }

    /// A credential issuer's nonce is a text, and has to be returned as it was. Bytes that are no visible ASCII are no such text.
    private var nonce: String? {
        guard !terms.nonce.isEmpty else { return nil }
        let isText = terms.nonce.allSatisfy { (0x21...0x7E).contains($0) }
        return isText ? String(decoding: terms.nonce, as: UTF8.self) : Base64.url.encode(terms.nonce)
    }
}
