package import AssayCore
import JWTKit

/// Authenticates a service account to Google's services: exchanges a JWT by RS256 for a bearer token of an hour (RFC 7523
/// §2.1), which is cached and renewed in time. Calls during a fetch wait for the same token.
package actor GoogleAccess {
    /// A token is renewed this long before it expires, in milliseconds.
    static let renewedBefore: Int64 = 300_000
    /// The lifetime of the signed JWT, in seconds: the longest that the service accepts.
    static let assertionLife: Int64 = 3600

    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        /// Whole seconds since 1970.
        let iat: Int64
        let exp: Int64
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private let account: GoogleServiceAccount
    private let scope: String
    private let address: VendorAddress
    private let client: VendorClient
    private let clock: any WallClock
    private let keys = JWTKeyCollection()
    private var isReady = false
    private var kept: (text: String, until: Timestamp)?
    private var fetching: Task<Result<String, VendorError>, Never>?

    /// - Parameter address: the OAuth service; the path is `/token`.
    package init(
        _ account: GoogleServiceAccount, scope: String, address: VendorAddress, client: VendorClient, clock: any WallClock
    ) {
        (self.account, self.scope, self.address) = (account, scope, address)
        (self.client, self.clock) = (client, clock)
    }

    /// A bearer token. Never to be logged.
    package func token() async throws(VendorError) -> String {
        let now = clock.now()
        // At most the lifetime of a token, whatever happened to the clock.
        if let kept, (1...GoogleBearer.longestLife).contains(kept.until.milliseconds(since: now)) { return kept.text }
        let task = fetching ?? Task { await self.fetch() }
        fetching = task
        let result = await task.value
        if fetching == task { fetching = nil }
        return try result.get()
    }

    /// Fetches a new token at the next call: the service refused this one.
    package func forget(_ token: String) {
        if kept?.text == token { kept = nil }
    }

    private func fetch() async -> Result<String, VendorError> {
        do throws(VendorError) {
            let now = clock.now()
            let form =
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + (try await assertion(now))
            let request = VendorRequest(
                .post, "/token", headers: [("content-type", "application/x-www-form-urlencoded")], body: Array(form.utf8))
            let answer = try await client.call(request, at: address)
            guard answer.status == 200 else { throw .refused(host: address.host, status: answer.status) }
            guard let bearer = GoogleBearer(answer.body) else { throw .broken(host: address.host) }
            kept = (bearer.text, now.adding(milliseconds: max(1000, bearer.milliseconds - Self.renewedBefore)))
            return .success(bearer.text)
        } catch {
            return .failure(error)
        }
    }

    private func assertion(_ now: Timestamp) async throws(VendorError) -> String {
        let kid = JWKIdentifier(string: account.keyID)
        if !isReady {
            await keys.add(rsa: account.key, digestAlgorithm: .sha256, kid: kid)
            isReady = true
        }
        let seconds = now.unixMilliseconds / 1000
        let claims = Claims(
            iss: account.email, scope: scope, aud: account.audience, iat: seconds, exp: seconds + Self.assertionLife)
        do {
            return try await keys.sign(claims, kid: kid)
        } catch {
            throw .unsigned(host: address.host)
        }
    }
}

/// A service account of a Google Cloud project: the JSON key file from the Cloud console.
package struct GoogleServiceAccount: Sendable {
    /// A key file has about 2,400 bytes.
    package static let fileLimit = 16_384

    /// The audience of the tokens if the file names none.
    static let usualAudience = "https://oauth2.googleapis.com/token"

    /// The account: the claim `iss`.
    package let email: String
    /// The header `kid`.
    package let keyID: String
    /// The audience: the claim `aud`. The service compares it with its own name, at whatever address it is reached.
    package let audience: String
    let key: Insecure.RSA.PrivateKey

    /// Throws unless the file is the key file of a service account; the error never quotes it.
    package init(file: [UInt8]) throws(GoogleKeyError) {
        do {
            let fields = try JSONFields(parsing: file[...], code: .malformedToken)
            guard try fields.text("type") == "service_account", let email = try fields.text("client_email"), !email.isEmpty,
                let keyID = try fields.text("private_key_id"), !keyID.isEmpty, let pem = try fields.text("private_key")
            else { throw GoogleKeyError() }
            (self.email, self.keyID) = (email, keyID)
            audience = try fields.text("token_uri") ?? Self.usualAudience
            key = try Insecure.RSA.PrivateKey(pem: pem)
        } catch {
            // The readers' own messages may quote the file.
            throw GoogleKeyError()
        }
    }
}

/// The file contains no such key.
package struct GoogleKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description = "the file is no JSON key of a service account, as the Google Cloud console hands it out"
}

/// A bearer token from Google's OAuth service (RFC 6749 §5.1).
package struct GoogleBearer: Sendable {
    /// The longest accepted token, in bytes. Tokens have about a kilobyte.
    static let lengthLimit = 8192

    /// The longest accepted lifetime, in milliseconds. Tokens live for an hour.
    static let longestLife: Int64 = 86_400_000

    /// Never to be logged.
    package let text: String
    /// The lifetime, in milliseconds: at most `longestLife`.
    package let milliseconds: Int64

    /// `nil` for any other answer.
    package init?(_ answer: [UInt8]) {
        guard let fields = try? JSONFields(parsing: answer[...], code: .malformedToken),
            let text = try? fields.text("access_token"), Self.isToken(text),
            let seconds = try? fields.integer("expires_in"), (1...Self.longestLife / 1000).contains(seconds)
        else { return nil }
        (self.text, milliseconds) = (text, seconds * 1000)
    }

    /// Whether the text may be in a header (RFC 6750 §2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= lengthLimit && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
