extension Challenge {
    /// Whether it names this app, by the first 8 bytes of SHA-256(app id). Only the tag proves it.
    public func isFor(_ app: AppID) -> Bool { appPrefix.elementsEqual(ChallengeScope.prefix(of: app)) }

    /// Explains the fields of a challenge, in the layout of `Challenge`.
    public static func explain(_ bytes: [UInt8]) -> Explanation {
        var explanation = Explanation("challenge", of: bytes[...])
        explanation.read { (explanation) throws(Rejection) in
            let challenge = try Challenge(parsing: bytes)
            explanation.add("version", .integer(Int64(version)))
            explanation.add("purpose", .text(challenge.purpose.name))
            explanation.add("key_id", .integer(Int64(challenge.keyID)), "the daemon's key that authenticates it")
            explanation.add("expiry", .time(challenge.expiry))
            explanation.add("app_prefix", challenge.appPrefix, "the first 8 bytes of SHA-256(app id)")
            explanation.add("random", challenge.random, "what the ledger remembers when it is spent")
            explanation.add("tag", bytes[signedLength...], "the first 16 bytes of an HMAC-SHA-256 by the daemon's key")
        }
        return explanation
    }
}
