package import AssayCore
import JWTKit

/// A developer team's key for Apple's services: a `.p8` file from the developer portal, with the DeviceCheck service enabled.
package struct AppleTeamKey: Sendable {
    /// Ten characters: the claim `iss`.
    package let teamID: String
    /// Ten characters: the header `kid`.
    package let keyID: String
    let key: ES256PrivateKey

    /// - Parameter pem: the text of the `.p8` file: a P-256 key in PKCS #8.
    package init(teamID: String, keyID: String, pem: String) throws(AppleKeyError) {
        (self.teamID, self.keyID) = (teamID, keyID)
        // The library's own message may quote the file.
        guard let key = try? ES256PrivateKey(pem: pem) else { throw AppleKeyError() }
        self.key = key
    }

    /// Team and key ids have this form.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// The file contains no such key.
package struct AppleKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description = "the file holds no private key of P-256 as Apple's .p8 files do"
}

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
