package import AssayCore
import AssayEncoding
package import Crypto
package import CryptoExtras

/// A public key that verifies signatures on certificates: a point on P-256, P-384 or P-521, or RSA.
package enum PublicKey: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    /// Throws `unsupported_key` unless the key is an uncompressed point on its curve, or RSA of 2048 to 4096 bits.
    ///
    /// - Parameter allowsWeakRSA: also accept RSA from 1024 bits.
    package init(_ info: SubjectPublicKeyInfo, allowsWeakRSA: Bool = false) throws(Rejection) {
        switch info.algorithm {
        case .p256: self = .p256(try Self.point(info, 65) { try P256.Signing.PublicKey(x963Representation: $0) })
        case .p384: self = .p384(try Self.point(info, 97) { try P384.Signing.PublicKey(x963Representation: $0) })
        case .p521: self = .p521(try Self.point(info, 133) { try P521.Signing.PublicKey(x963Representation: $0) })
        case .rsa: self = .rsa(try Self.rsa(info, sizes: allowsWeakRSA ? RSAPublicKey.weakSizes : RSAPublicKey.sizes))
        case .p224, .ed25519, .x25519, .mlDSA65, .mlDSA87, .unsupported:
            throw Rejection(.unsupportedKey, "a public key of kind \(info.algorithm)")
        }
    }

    private static func point<Key>(
        _ info: SubjectPublicKeyInfo, _ length: Int, _ make: ([UInt8]) throws -> Key
    ) throws(Rejection) -> Key {
        guard info.keyBytes.first == 0x04, info.keyBytes.count == length, let key = try? make(Array(info.keyBytes)) else {
            throw Rejection(.unsupportedKey, "not an uncompressed point on the curve")
        }
        return key
    }

    private static func rsa(_ info: SubjectPublicKeyInfo, sizes: ClosedRange<Int>) throws(Rejection) -> _RSA.Signing.PublicKey {
        let size = try RSAPublicKey(info).bits
        guard sizes.contains(size) else { throw Rejection(.unsupportedKey, "an RSA key of \(size) bits") }
        guard let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: Array(info.der)) else {
            throw Rejection(.unsupportedKey, "an RSA key that is none")
        }
        return key
    }

    /// Verifies a signature over a message: DER for ECDSA, the bytes for RSA. The algorithm chooses the hash, the key the
    /// curve. Throws `bad_signature` or `unsupported_algorithm`.
    package func verify(
        _ signature: ArraySlice<UInt8>, by algorithm: SignatureAlgorithm, over message: ArraySlice<UInt8>
    ) throws(Rejection) {
        let holds =
            switch algorithm {
            case .ecdsaWithSHA256: try isECDSA(signature, for: message.withUnsafeBytes { SHA256.hash(bytes: $0) })
            case .ecdsaWithSHA384: try isECDSA(signature, for: message.withUnsafeBytes { SHA384.hash(bytes: $0) })
            case .ecdsaWithSHA512: try isECDSA(signature, for: message.withUnsafeBytes { SHA512.hash(bytes: $0) })
            case .rsaWithSHA256: isRSA(signature, for: message.withUnsafeBytes { SHA256.hash(bytes: $0) })
            case .rsaWithSHA384: isRSA(signature, for: message.withUnsafeBytes { SHA384.hash(bytes: $0) })
            case .rsaWithSHA512: isRSA(signature, for: message.withUnsafeBytes { SHA512.hash(bytes: $0) })
            case .unsupported(let oid): throw Rejection(.unsupportedAlgorithm, "signature algorithm \(oid)")
            }
        guard holds else { throw Rejection(.badSignature, "the signature does not verify") }
    }

    private func isECDSA(_ signature: ArraySlice<UInt8>, for digest: some Digest) throws(Rejection) -> Bool {
        switch self {
        case .p256(let key):
            let raw = try ECDSASignature(der: signature, width: 32).raw
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            let raw = try ECDSASignature(der: signature, width: 48).raw
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p521(let key):
            let raw = try ECDSASignature(der: signature, width: 66).raw
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .rsa: return false
        }
    }

    private func isRSA(_ signature: ArraySlice<UInt8>, for digest: some Digest) -> Bool {
        guard case .rsa(let key) = self else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
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

/// `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }` (RFC 8017 §A.1.1).
package struct RSAPublicKey: Hashable, Sendable {
    /// Accepted sizes of keys, in bits. Shorter keys can be broken, longer ones only cost time.
    package static let sizes = 2048...4096
    /// Sizes accepted below a root whose private key is public (`TrustAnchor.isSoftware`).
    package static let weakSizes = 1024...4096

    /// Bits of the modulus.
    package let bits: Int
    /// Big-endian, without leading zeros.
    package let exponent: ArraySlice<UInt8>

    package init(_ info: SubjectPublicKeyInfo) throws(Rejection) {
        (bits, exponent) = try DERReader.parse(info.keyBytes, code: .unsupportedKey) { outer throws(Rejection) in
            try outer.sequence { numbers throws(Rejection) in
                (Self.bits(try Self.positive(&numbers)), try Self.positive(&numbers))
            }
        }
    }

    private static func bits(_ number: ArraySlice<UInt8>) -> Int {
        number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
    }

    private static func positive(_ numbers: inout DERReader) throws(Rejection) -> ArraySlice<UInt8> {
        let content = try numbers.integer()
        guard let first = content.first, first & 0x80 == 0, content.count > 1 || first != 0 else {
            throw numbers.rejection("a number of an RSA key is not positive")
        }
        return first == 0 ? content.dropFirst() : content
    }
}

/// `ECDSA-Sig-Value ::= SEQUENCE { r INTEGER, s INTEGER }` (RFC 3279 §2.2.3), strict DER, as the raw r ‖ s that the curve's
/// verifier takes. Both are at least 1 and no wider than the curve; the verifier checks that they are below its order.
package struct ECDSASignature: Hashable, Sendable {
    /// r and s, big-endian, each as wide as the curve's coordinates.
    package let raw: [UInt8]

    /// Throws `bad_signature`, with the form of what was sent in place of DER.
    ///
    /// - Parameter width: octets of one coordinate: 32 for P-256, 48 for P-384.
    package init(der: ArraySlice<UInt8>, width: Int) throws(Rejection) {
        do throws(Rejection) {
            raw = try Self.numbers(der, width: width)
        } catch {
            throw Self.otherForm(der, width: width).map { Rejection(.badSignature, $0) } ?? error
        }
    }

    /// The form of bytes that are not DER, if it is one that libraries write; r ‖ s is that of JOSE, COSE and WebCrypto.
    private static func otherForm(_ bytes: ArraySlice<UInt8>, width: Int) -> String? {
        if bytes.isEmpty { return "the signature is empty" }
        if bytes.count == 2 * width { return "\(bytes.count) bytes r ‖ s, want DER (a SEQUENCE of two INTEGERs)" }
        if bytes.count == 32 { return "32 bytes: a hash, not a signature in DER" }
        guard let text = String(validating: bytes, as: UTF8.self), TransportSlip.decode(text) != nil else { return nil }
        return "the signature is text of \(bytes.count) bytes, want the bytes that it stands for"
    }

    private static func numbers(_ der: ArraySlice<UInt8>, width: Int) throws(Rejection) -> [UInt8] {
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * width)
        var outer = DERReader(der, code: .badSignature)
        let element = try outer.element(.sequence)
        try outer.finish("the signature")
        var numbers = DERReader(element.content, code: .badSignature)
        for _ in 0..<2 {
            var number = try numbers.integer()
            guard let first = number.first, first & 0x80 == 0 else {
                throw Rejection(.badSignature, "a negative number in the signature")
            }
            if first == 0 { number = number.dropFirst() }
            guard !number.isEmpty else { throw Rejection(.badSignature, "a zero in the signature") }
            guard number.count <= width else { throw Rejection(.badSignature, "a number in the signature is too wide") }
            for _ in number.count..<width { raw.append(0) }
            raw.append(contentsOf: number)
        }
        try numbers.finish("the signature's numbers")
        return raw
    }
}
