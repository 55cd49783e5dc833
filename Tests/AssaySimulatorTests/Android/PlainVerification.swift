import Crypto
import CryptoExtras
import Testing

/// Whether a key, as a SubjectPublicKeyInfo, signed a message, by the library alone.
enum PlainVerification {
    static func holds(_ signature: [UInt8], over message: [UInt8], by key: [UInt8], scheme: String) -> Bool {
        switch scheme {
        case "ecdsa-p256-sha256":
            guard let key = try? P256.Signing.PublicKey(derRepresentation: key),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: message))
        case "ecdsa-p384-sha256", "ecdsa-p384-sha384":
            guard let key = try? P384.Signing.PublicKey(derRepresentation: key),
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return scheme == "ecdsa-p384-sha256"
                ? key.isValidSignature(signature, for: SHA256.hash(data: message))
                : key.isValidSignature(signature, for: SHA384.hash(data: message))
        case "rsa-pkcs1-sha256", "rsa-pss-sha256":
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: key) else { return false }
            return key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: scheme == "rsa-pss-sha256" ? .PSS : .insecurePKCS1v1_5)
        case "ed25519":
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key.suffix(32)) else { return false }
            return key.isValidSignature(signature, for: message)
        case "ml-dsa-65":
            guard let key = try? MLDSA65.PublicKey(rawRepresentation: key.suffix(1952)) else { return false }
            return key.isValidSignature(signature, for: message)
        case "ml-dsa-87":
            guard let key = try? MLDSA87.PublicKey(rawRepresentation: key.suffix(2592)) else { return false }
            return key.isValidSignature(signature, for: message)
        default: return false
        }
    }

    /// Whether each certificate is issued by the next, and the last by itself: names and signatures.
    static func links(_ chain: [[UInt8]]) throws -> Bool {
        let certificates = try chain.map(PlainCertificate.init)
        for (certificate, issuer) in zip(certificates, certificates.dropFirst() + certificates.suffix(1)) {
            guard certificate.issuer == issuer.subject else { return false }
            let key = try issuer.subjectPublicKeyInfo
            guard let scheme = scheme(certificate.algorithm, key),
                holds(certificate.signature, over: certificate.toBeSigned, by: key, scheme: scheme)
            else { return false }
        }
        return true
    }

    private static func scheme(_ algorithm: [UInt8], _ key: [UInt8]) -> String? {
        let curve = key.count < 100 ? "p256" : "p384"
        return switch algorithm {
        case [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]: "ecdsa-\(curve)-sha256"
        case [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 3] where curve == "p384": "ecdsa-p384-sha384"
        case [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11, 5, 0]: "rsa-pkcs1-sha256"
        default: nil
        }
    }
}
