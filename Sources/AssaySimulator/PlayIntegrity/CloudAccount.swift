import CryptoExtras

/// A service account of a Google Cloud project, with a key file in the form of the Cloud console: JSON with an RSA key of 2048
/// bits. Google's services do not know it; test services verify its signatures.
public struct CloudAccount: Sendable {
    /// The account's name.
    public let email: String
    /// Identifies the key to the service.
    public let keyID: String
    /// The key file; any member can be changed.
    public var draft: JSONDraft
    private let key: _RSA.Signing.PrivateKey

    /// The same name gives the same key within one process. Generating one takes a while.
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

    /// The bytes of the key file.
    public var file: [UInt8] { draft.bytes }

    /// A SubjectPublicKeyInfo in PEM, with which the service verifies signatures.
    public var publicKeyPEM: String { key.publicKey.pemRepresentation }

    /// The private key in PEM: tests check that it appears nowhere.
    public var privateKeyPEM: String { key.pkcs8PEMRepresentation }
}
