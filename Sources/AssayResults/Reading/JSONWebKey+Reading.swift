import AssayCore
import Crypto

extension JSONWebKey {
    /// Members that a private or a symmetric key has (RFC 7518 §6.2.2, §6.4, RFC 8037 §2): a fault where a public key is due.
    private static let secretMembers = ["d", "k"]

    /// Reads the members of a JWK.
    ///
    /// - Returns: `nil` for a kind of key that is not known here.
    init?(_ fields: ClaimFields) throws(ResultFault) {
        for name in Self.secretMembers where fields.has(name) {
            throw ResultFault(.malformed, fields.place(name), "is of a secret key")
        }
        let (type, name) = (OpaqueText(try fields.text("kty")), OpaqueText(try fields.optionalText("crv") ?? ""))
        guard let curve = Curve.allCases.first(where: { OpaqueText($0.type) == type && OpaqueText($0.name) == name }) else {
            return nil
        }
        var coordinates: [UInt8] = []
        for member in curve == .ed25519 ? ["x"] : ["x", "y"] {
            let bytes = Base64.url.decode(try fields.text(member))
            guard let bytes, bytes.count == curve.width else {
                throw ResultFault(.malformed, fields.place(member), "is not base64url of \(curve.width) bytes")
            }
            coordinates += bytes
        }
        self.init(curve, coordinates: coordinates)
    }

    /// The names in JOSE of the algorithms of such a key. Ed25519 has two (RFC 8037 §3.1, RFC 9864 §2.2).
    var algorithms: [OpaqueText] {
        switch curve {
        case .p256: ["ES256"]
        case .p384: ["ES384"]
        case .ed25519: ["EdDSA", "Ed25519"]
        }
    }

    /// The same in COSE (RFC 9053 §2, RFC 9864 §2.2).
    var algorithmIdentifiers: [Int64] {
        switch curve {
        case .p256: [-7]
        case .p384: [-35]
        case .ed25519: [-8, -19]
        }
    }

    /// Whether a signature as JOSE and COSE have it is one by this key. A point that is not on its curve has none.
    package func isValid(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        switch curve {
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: [4] + coordinates),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case .p384:
            guard let key = try? P384.Signing.PublicKey(x963Representation: [4] + coordinates),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        case .ed25519:
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: coordinates) else { return false }
            return key.isValidSignature(signature, for: bytes)
        }
    }
}
