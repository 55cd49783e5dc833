import AssayCore

/// What the claims of a shape have to be, beside their terms.
struct ShapeChecks {
    private let shape: ResultShape
    private let content: PlainContent
    private let claims: ClaimFields

    init(_ shape: ResultShape, _ content: PlainContent, _ claims: ClaimFields) {
        (self.shape, self.content, self.claims) = (shape, content, claims)
    }

    /// - Returns: Assay's own claims, which each shape has.
    func check() throws(ResultFault) -> ClaimFields {
        switch shape {
        case .earJWT, .earCWT: return try checkEAR()
        case .session:
            let confirmation = try claims.section("cnf")
            guard Base64.url.decode(try confirmation.text("jkt"))?.count == 32 else {
                throw ResultFault(.malformed, confirmation.place("jkt"), "is not base64url of 32 bytes")
            }
        case .clientAttestation: try checkClient()
        case .walletInstance: try checkWallet()
        case .keyAttestation:
            for (index, element) in try claims.list("attested_keys").enumerated() {
                try checkKey(element, "attested_keys[\(index)]")
            }
            _ = try claims.filledText("certification")
        case .plainJWS: _ = try claims.section("\(content.claim)")
        case .plainCOSE: break
        }
        return try claims.section("assay")
    }

    private func checkClient() throws(ResultFault) {
        _ = try claims.filledText("sub")
        let confirmation = try claims.section("cnf")
        try checkKey(.object(try confirmation.section("jwk").object), confirmation.place("jwk"))
    }

    private func checkWallet() throws(ResultFault) {
        try checkClient()
        for name in ["wallet_name", "wallet_version", "wallet_solution_certification_information"] {
            _ = try claims.filledText(name)
        }
        let (issued, expires) = (try claims.integer("iat"), try claims.integer("exp"))
        guard expires.subtractingReportingOverflow(issued).partialValue < 86_400 else {
            throw ResultFault(.wrongClaim, "exp", "is a day or more after iat")
        }
    }

    private func checkKey(_ value: JSONValue, _ place: String) throws(ResultFault) {
        guard case .object(let object) = value else { throw ResultFault(.malformed, place, "is not an object") }
        guard try JSONWebKey(ClaimFields(object, at: place)) != nil else {
            throw ResultFault(.wrongClaim, place, "is a key of another kind")
        }
    }

    // MARK: EAR

    private func checkEAR() throws(ResultFault) -> ClaimFields {
        guard try claims.text("eat_profile").hasBytes(of: ResultProfiles.ear) else {
            throw ResultFault(.wrongType, "eat_profile", "is not \(ResultProfiles.ear)")
        }
        let verifier = try claims.section("ear_verifier_id")
        for name in ["developer", "build"] { _ = try verifier.filledText(name) }
        let submodules = try claims.section("submods")
        var worst = TrustVector.Tier.none
        for member in submodules.object.members {
            worst = max(worst, try checkAppraisal(try submodules.section(String(decoding: member.name, as: UTF8.self))))
        }
        if claims.has("ear_status") {
            guard try tier(claims) >= worst else {
                throw ResultFault(.wrongClaim, "ear_status", "is better than that of a submodule")
            }
        }
        return try submodules.section("\(ResultProfiles.submodule)").section("ear_verifier_claims")
    }

    /// A status is never better than the worst entry (draft-ietf-rats-ear-04 §3.1).
    private func checkAppraisal(_ appraisal: ClaimFields) throws(ResultFault) -> TrustVector.Tier {
        let vector = try appraisal.section("ear_trustworthiness_vector")
        guard !vector.object.members.isEmpty else {
            throw ResultFault(.wrongClaim, appraisal.place("ear_trustworthiness_vector"), "is empty")
        }
        var worst = TrustVector.Tier.none
        for member in vector.object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard TrustVector.Entry.allCases.contains(where: { "\($0.name)".hasBytes(of: name) }) else {
                throw ResultFault(.wrongClaim, vector.place(name), "is no entry of a vector")
            }
            guard let value = Int8(exactly: try vector.integer(name)) else {
                throw ResultFault(.malformed, vector.place(name), "is not from -128 to 127")
            }
            worst = max(worst, TrustVector.Tier(of: value))
        }
        let status = try tier(appraisal)
        guard status >= worst else {
            throw ResultFault(.wrongClaim, appraisal.place("ear_status"), "is better than an entry of the vector")
        }
        return status
    }

    private func tier(_ fields: ClaimFields) throws(ResultFault) -> TrustVector.Tier {
        let name = try fields.text("ear_status")
        guard let tier = TrustVector.Tier.allCases.first(where: { "\($0.name)".hasBytes(of: name) }) else {
            throw ResultFault(.wrongClaim, fields.place("ear_status"), "is no tier")
        }
        return tier
    }
}
