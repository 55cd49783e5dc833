import CryptoExtras

/// A service account of a Google Cloud project, and the key file that the Cloud console hands out for it: JSON with an RSA key
/// of 2048 bits. No service of Google's knows it; those of tests look at what it signs.
public struct CloudAccount: Sendable {
    /// Who signs in with it.
    public let email: String
    /// By which the service finds the key.
    public let keyID: String
    /// The key file, any member of which can be changed.
    public var draft: JSONDraft
    private let key: _RSA.Signing.PrivateKey

    /// The same name is the same key, as long as the process lives. To make one takes a while.
    public init(_ name: String = "assay") throws(SimulatorError) {
        email = "\(name)@project.iam.gserviceaccount.com"
        keyID = "0123456789abcdef0123456789abcdef01234567"
        key = try RSAKeys.named("cloud account \(name)", bits: 2048)
        draft = .object([
            .init("type", .text("service_account")), .init("project_id", .text("project")),
            .init("private_key_id", .text(keyID)), .init("private_key", .text(key.pkcs8PEMRepresentation)),
            .init("client_email", .text(email)), .init("client_id", .text("100000000000000000001")),
            .init("auth_uri", .text("https://accounts.google.com/o/oauth2/auth")),
            .init("token_uri", .text("https://oauth2.googleapis.com/token")),
        ])
    }

    /// What stands in the key file.
    public var file: [UInt8] { draft.bytes }

    /// A SubjectPublicKeyInfo in PEM, by which the service verifies.
    public var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// The private key in PEM: what must turn up nowhere.
    public var privateKeyPEM: String { key.pkcs8PEMRepresentation }
}
