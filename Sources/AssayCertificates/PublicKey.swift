package import AssayCore
package import Crypto

/// A public key that verifies: a point on P-256 or P-384.
package enum PublicKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)

    /// Throws `unsupported_key` unless it is an uncompressed point on one of the two curves.
    package init(_ info: SubjectPublicKeyInfo) throws(Rejection) {
        guard info.keyBytes.first == 0x04 else { throw Self.unsupported }
        switch info.algorithm {
        case .p256: self = .p256(try Self.p256(x963: Array(info.keyBytes)))
        case .p384:
            guard info.keyBytes.count == 97, let key = try? P384.Signing.PublicKey(x963Representation: info.keyBytes) else {
                throw Self.unsupported
            }
            self = .p384(key)
        case .unsupported(let oid): throw Rejection(.unsupportedKey, "a public key of kind \(oid)")
        }
    }

    /// A P-256 key from its uncompressed point, 65 bytes.
    private static func p256(x963 point: [UInt8]) throws(Rejection) -> P256.Signing.PublicKey {
        guard point.count == 65, point.first == 0x04, let key = try? P256.Signing.PublicKey(x963Representation: point) else {
            throw unsupported
        }
        return key
    }

    private static var unsupported: Rejection { Rejection(.unsupportedKey, "not an uncompressed point on the curve") }

    /// Verifies a DER signature over a message. The hash is the algorithm's, the curve is the key's. Throws
    /// `bad_signature` or `unsupported_algorithm`.
    package func verify(
        _ signature: ArraySlice<UInt8>, by algorithm: SignatureAlgorithm, over message: ArraySlice<UInt8>
    ) throws(Rejection) {
        let holds =
            switch algorithm {
            case .ecdsaWithSHA256: try isValid(signature, for: message.withUnsafeBytes { SHA256.hash(bytes: $0) })
            case .ecdsaWithSHA384: try isValid(signature, for: message.withUnsafeBytes { SHA384.hash(bytes: $0) })
            case .ecdsaWithSHA512: try isValid(signature, for: message.withUnsafeBytes { SHA512.hash(bytes: $0) })
            case .unsupported(let oid): throw Rejection(.unsupportedAlgorithm, "signature algorithm \(oid)")
            }
        guard holds else { throw Rejection(.badSignature, "the signature does not verify") }
    }

    private func isValid(_ signature: ArraySlice<UInt8>, for digest: some Digest) throws(Rejection) -> Bool {
        switch self {
        case .p256(let key):
            let raw = try ECDSASignature(der: signature, width: 32).raw
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            let raw = try ECDSASignature(der: signature, width: 48).raw
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }
}

extension HashFunction {
    /// The digest of bytes in memory, without a copy.
    package static func hash(bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = Self()
        hash.update(bufferPointer: bytes)
        return hash.finalize()
    }
}
