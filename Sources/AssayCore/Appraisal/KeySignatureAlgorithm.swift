/// The signature algorithms of registered keys. The numbers are those of the API's messages and of the evidence's first part.
public enum KeySignatureAlgorithm: UInt8, CaseIterable, Hashable, Sendable {
    /// ECDSA signatures are DER, as Android's `Signature` class makes them.
    case ecdsaP256SHA256 = 1
    case ecdsaP384SHA384 = 2
    /// With a salt as long as the hash.
    case rsaPSSSHA256 = 3
    case rsaPKCS1SHA256 = 4
    case ed25519 = 5
    case mlDSA65 = 6
    case mlDSA87 = 7
    case ecdsaP384SHA256 = 8

    /// The name in claims.
    public var name: String {
        switch self {
        case .ecdsaP256SHA256: "ecdsa-p256-sha256"
        case .ecdsaP384SHA384: "ecdsa-p384-sha384"
        case .rsaPSSSHA256: "rsa-pss-sha256"
        case .rsaPKCS1SHA256: "rsa-pkcs1-sha256"
        case .ed25519: "ed25519"
        case .mlDSA65: "ml-dsa-65"
        case .mlDSA87: "ml-dsa-87"
        case .ecdsaP384SHA256: "ecdsa-p384-sha256"
        }
    }
}
