package import AssayCore

/// What a reader expects of a result.
package struct ResultExpectation: Sendable {
    package var shape: ResultShape
    /// Of a plain shape: what it holds. The others have none.
    package var content = PlainContent.verdict
    /// `iss`. The shapes of OAuth and of the EU wallet do not name it: their key is the issuer's.
    package var issuer: String
    /// `aud`, exactly. The shapes of the EU wallet do not name it.
    package var audience: String
    /// The nonce that was given to the caller; `nil`: none was, and any is taken.
    package var nonce: [UInt8]?
    /// Whether the device is a simulated one.
    package var isSimulated: Bool
    package var now: Timestamp
    /// How far the clocks of reader and issuer may differ, in milliseconds.
    package var tolerance: Int64

    package init(
        _ shape: ResultShape, issuer: String, audience: String, nonce: [UInt8]? = nil, isSimulated: Bool = false,
        at now: Timestamp, tolerance: Int64 = 0
    ) {
        (self.shape, self.issuer, self.audience, self.nonce) = (shape, issuer, audience, nonce)
        (self.isSimulated, self.now, self.tolerance) = (isSimulated, now, tolerance)
    }

    /// Checks issuer, audience, life and nonce.
    func checkTerms(_ claims: ClaimFields) throws(ResultFault) -> (issuedAt: Timestamp, expiresAt: Timestamp) {
        if shape.namesIssuer {
            guard try claims.text("iss").hasBytes(of: issuer) else {
                throw ResultFault(.wrongIssuer, "iss", "is not \(issuer)")
            }
        }
        if shape.namesAudience {
            guard try claims.text("aud").hasBytes(of: audience) else {
                throw ResultFault(.wrongAudience, "aud", "is not \(audience)")
            }
        }
        let issuedAt = Timestamp(unixSeconds: try claims.integer("iat"))
        let expiresAt = Timestamp(unixSeconds: try claims.integer("exp"))
        guard now.adding(milliseconds: -tolerance) < expiresAt else {
            throw ResultFault(.expired, "exp", "ended at \(expiresAt), now is \(now)")
        }
        guard issuedAt <= now.adding(milliseconds: tolerance) else {
            throw ResultFault(.notYetValid, "iat", "is \(issuedAt), now is \(now)")
        }
        guard issuedAt <= expiresAt else { throw ResultFault(.wrongClaim, "exp", "is before iat") }
        _ = try claims.filledText("jti")
        try checkNonce(claims)
        return (issuedAt, expiresAt)
    }

    private func checkNonce(_ claims: ClaimFields) throws(ResultFault) {
        guard let nonce else { return }
        let name = shape == .earJWT || shape == .earCWT ? "eat_nonce" : "nonce"
        let stated = try claims.optionalText(name)
        let isText = shape == .keyAttestation && (stated?.utf8.elementsEqual(nonce) ?? false)
        guard isText || stated?.hasBytes(of: Base64.url.encode(nonce)) ?? false else {
            throw ResultFault(.wrongNonce, name, stated == nil ? "is missing" : "is another one")
        }
    }
}
