import AssayCore
import Crypto
import Foundation

/// The private key of a certificate that is to be renewed.
enum CurrentKey {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)

    /// Reads the first private key of a PEM file: PKCS #8 or SEC 1, not encrypted.
    init(reading file: FileArgument) throws {
        let text = String(decoding: try file.read(atMost: 64 << 10), as: UTF8.self)
        guard let block = ["PRIVATE KEY", "EC PRIVATE KEY"].lazy.compactMap({ Self.block($0, in: text) }).first else {
            let hint = text.contains("ENCRYPTED") ? "; 'openssl pkey' decrypts it" : ""
            throw Console.unreadable("\(file.path) has no private key in PEM that is not encrypted\(hint)")
        }
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: block) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: block) {
            self = .p384(key)
        } else {
            throw Console.unreadable("\(file.path) is not a P-256 or P-384 key")
        }
    }

    private static func block(_ label: String, in text: String) -> String? {
        guard let begin = text.range(of: "-----BEGIN \(label)-----"),
            let end = text.range(of: "-----END \(label)-----", range: begin.upperBound..<text.endIndex)
        else { return nil }
        return String(text[begin.lowerBound..<end.upperBound])
    }

    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
    var keyID: [UInt8] {
        switch self {
        case .p256(let key): SHA256.bytes(of: Array(key.publicKey.derRepresentation))
        case .p384(let key): SHA256.bytes(of: Array(key.publicKey.derRepresentation))
        }
    }

    var algorithm: KeySignatureAlgorithm {
        switch self {
        case .p256: .ecdsaP256SHA256
        case .p384: .ecdsaP384SHA384
        }
    }

    /// A signature in DER.
    func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch self {
        case .p256(let key): Array(try key.signature(for: message).derRepresentation)
        case .p384(let key): Array(try key.signature(for: message).derRepresentation)
        }
    }
}
