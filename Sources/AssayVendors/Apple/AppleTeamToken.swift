package import AssayCore
import JWTKit

/// Authenticates a team to Apple's services: a JWT by ES256 with the claims `iss` and `iat`, cached and renewed in time.
package actor AppleTeamToken {
    /// The lifetime of a token, in milliseconds. Apple's services accept tokens for up to an hour, and ask for reuse.
    package static let life: Int64 = 30 * 60_000

    private struct Claims: JWTPayload {
        let iss: String
        /// Whole seconds since 1970.
        let iat: Int64
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private let key: AppleTeamKey
    private let clock: any WallClock
    private let keys = JWTKeyCollection()
    private var isReady = false
    private var kept: (text: String, issuedAt: Timestamp)?

    package init(_ key: AppleTeamKey, clock: any WallClock) { (self.key, self.clock) = (key, clock) }

    /// The token in compact form. Never to be logged.
    package func text() async throws -> String {
        let now = clock.now()
        if let kept, (0..<Self.life).contains(now.milliseconds(since: kept.issuedAt)) { return kept.text }
        let kid = JWKIdentifier(string: key.keyID)
        if !isReady {
            await keys.add(ecdsa: key.key, kid: kid)
            isReady = true
        }
        let claims = Claims(iss: key.teamID, iat: now.unixMilliseconds / 1000)
        let text = try await keys.sign(claims, kid: kid)
        kept = (text, now)
        return text
    }

    /// Makes a new token at the next call: the service refused this one.
    package func forget() { kept = nil }
}
