package import AssayCore
package import AssayResults

/// A signed status list, as it is served.
package struct PublishedStatusList: Sendable {
    /// A token, and what caches know it by.
    package struct Token: Sendable {
        package let bytes: [UInt8]
        /// Its entity tag, made once: it is asked for with each request.
        package let tag: String

        init(_ bytes: [UInt8]) {
            (self.bytes, tag) = (bytes, EntityTag.of(bytes))
        }
    }

    package let claims: StatusListClaims
    /// The key that signed it.
    let signer: [UInt8]
    private let jwt: Token
    private let cwt: Token

    init(_ claims: StatusListClaims, signer: [UInt8], jwt: [UInt8], cwt: [UInt8]) {
        (self.claims, self.signer, self.jwt, self.cwt) = (claims, signer, Token(jwt), Token(cwt))
    }

    package func token(_ form: StatusListForm) -> Token {
        switch form {
        case .jwt: jwt
        case .cwt: cwt
        }
    }

    /// Whether it is good: it has not ended.
    package func isGood(at now: Timestamp) -> Bool { now < claims.expiry }

    /// How long a cache may keep it, in seconds: never past its end.
    package func cacheLifetime(at now: Timestamp) -> Int64 {
        max(0, min(claims.timeToLive, claims.expiry.milliseconds(since: now) / 1000))
    }
}
