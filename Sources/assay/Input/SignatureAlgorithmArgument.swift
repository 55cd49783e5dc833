import ArgumentParser
import AssaySimulator

/// A signature algorithm as claims name it.
enum SignatureAlgorithmArgument: String, CaseIterable, ExpressibleByArgument {
    case ecdsaP256SHA256 = "ecdsa-p256-sha256"
    case ecdsaP384SHA384 = "ecdsa-p384-sha384"
    case ecdsaP384SHA256 = "ecdsa-p384-sha256"
    case rsaPSSSHA256 = "rsa-pss-sha256"
    case rsaPKCS1SHA256 = "rsa-pkcs1-sha256"
    case ed25519 = "ed25519"
    case mlDSA65 = "ml-dsa-65"
    case mlDSA87 = "ml-dsa-87"

    /// The same, as virtual keys sign.
    var scheme: TestKey.Scheme {
        switch self {
        case .ecdsaP256SHA256: .ecdsaP256SHA256
        case .ecdsaP384SHA384: .ecdsaP384SHA384
        case .ecdsaP384SHA256: .ecdsaP384SHA256
        case .rsaPSSSHA256: .rsaPSSSHA256
        case .rsaPKCS1SHA256: .rsaPKCS1SHA256
        case .ed25519: .ed25519
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }

    /// The number that evidence carries.
    var number: UInt8 { scheme.rawValue }
}
