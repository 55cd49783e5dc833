import AssayCore
import JWTKit

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
