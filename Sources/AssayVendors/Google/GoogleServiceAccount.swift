import AssayCore
import JWTKit

/// A service account of a Google Cloud project: the JSON key file that the Cloud console hands out.
package struct GoogleServiceAccount: Sendable {
    /// A key file has about 2,400 bytes.
    package static let fileLimit = 16_384

    /// The service for which tokens are signed where the file names none.
    static let usualAudience = "https://oauth2.googleapis.com/token"

    /// Who signs in: the claim `iss`.
    package let email: String
    /// The header `kid`.
    package let keyID: String
    /// For whom it signs in: the claim `aud`. The service looks for its own name there, by whatever way it is reached.
    package let audience: String
    let key: Insecure.RSA.PrivateKey

    /// Throws for anything but a key file of a service account; never quotes it.
    package init(file: [UInt8]) throws(GoogleKeyProblem) {
        do {
            let fields = try JSONFields(parsing: file[...], code: .malformedToken)
            guard try fields.text("type") == "service_account", let email = try fields.text("client_email"), !email.isEmpty,
                let keyID = try fields.text("private_key_id"), !keyID.isEmpty, let pem = try fields.text("private_key")
            else { throw GoogleKeyProblem() }
            (self.email, self.keyID) = (email, keyID)
            audience = try fields.text("token_uri") ?? Self.usualAudience
            key = try Insecure.RSA.PrivateKey(pem: pem)
        } catch {
            // What the readers would say may quote the file.
            throw GoogleKeyProblem()
        }
    }
}

/// A file that holds no such key.
package struct GoogleKeyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description = "the file is no JSON key of a service account, as the Google Cloud console hands it out"
}
