package import AssayCore
package import AssayEncoding
import Crypto

/// The public key of a certificate as encoded (RFC 5280 §4.1.2.7). The kind of key is known; `PublicKey` checks whether it is a
/// point on its curve.
package struct SubjectPublicKeyInfo: Hashable, Sendable {
    package enum Algorithm: Hashable, Sendable {
        case p256
        case p384
        case p521
        case rsa
        // Kinds that a device may attest, and that cannot verify a certificate here.
        case p224
        case ed25519
        case x25519
        case mlDSA65
        case mlDSA87
        /// All others: by the curve if there is one, otherwise by the algorithm.
        case unsupported(OID)
    }

    package let der: ArraySlice<UInt8>
    package let algorithm: Algorithm
    /// The content of the BIT STRING: for the curves an X9.62 point.
    package let keyBytes: ArraySlice<UInt8>

    private static let ecPublicKey = OID(1, 2, 840, 10045, 2, 1)
    private static let curves: [OID: Algorithm] = [
        OID(1, 2, 840, 10045, 3, 1, 7): .p256, OID(1, 3, 132, 0, 34): .p384, OID(1, 3, 132, 0, 35): .p521,
        OID(1, 3, 132, 0, 33): .p224,
    ]
    /// Algorithms without a curve parameter.
    private static let others: [OID: Algorithm] = [
        OID(1, 2, 840, 113_549, 1, 1, 1): .rsa, OID(1, 3, 101, 112): .ed25519, OID(1, 3, 101, 110): .x25519,
        OID(2, 16, 840, 1, 101, 3, 4, 3, 18): .mlDSA65, OID(2, 16, 840, 1, 101, 3, 4, 3, 19): .mlDSA87,
    ]

    package static func == (a: SubjectPublicKeyInfo, b: SubjectPublicKeyInfo) -> Bool { a.der.equals(b.der) }

    package func hash(into hasher: inout Hasher) { der.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// Reads exactly one SubjectPublicKeyInfo.
    package init(der: ArraySlice<UInt8>, code: ReasonCode = .malformedCertificate) throws(Rejection) {
        self = try DERReader.parse(der, code: code) { reader throws(Rejection) in try Self(from: &reader) }
    }

    init(from reader: inout DERReader) throws(Rejection) {
        let element = try reader.element(.sequence)
        var fields = DERReader(element.content, code: reader.code)
        let identifier = try AlgorithmIdentifier(from: &fields)
        der = element.encoded
        algorithm = try Self.algorithm(identifier, code: reader.code)
        keyBytes = try fields.bitString()
        try fields.finish("a public key")
    }

    /// SHA-256 of the DER.
    package var sha256: [UInt8] { SHA256.bytes(of: der) }

    private static func algorithm(_ identifier: AlgorithmIdentifier, code: ReasonCode) throws(Rejection) -> Algorithm {
        guard identifier.algorithm == ecPublicKey, let parameters = identifier.parameters else {
            return others[identifier.algorithm] ?? .unsupported(identifier.algorithm)
        }
        // A named curve; explicit parameters (RFC 5480 §2.1.1 forbids them) are not a known curve.
        guard parameters.tag == .objectIdentifier else { return .unsupported(ecPublicKey) }
        guard let curve = OID(content: parameters.content) else { throw Rejection(code, "a malformed curve name") }
        return curves[curve] ?? .unsupported(curve)
    }
}
