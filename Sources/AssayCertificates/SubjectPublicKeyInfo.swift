package import AssayCore
package import AssayEncoding
import Crypto

/// The public key of a certificate as it stands there (RFC 5280 §4.1.2.7). What kind of key it is has been read; whether
/// it is a point on its curve is found out by `PublicKey`.
package struct SubjectPublicKeyInfo: Hashable, Sendable {
    package enum Algorithm: Hashable, Sendable {
        case p256
        case p384
        /// RSA, P-521 and all others; by the curve where there is one, else by the algorithm.
        case unsupported(OID)
    }

    package let der: ArraySlice<UInt8>
    package let algorithm: Algorithm
    /// The content of the BIT STRING: for the curves an X9.62 point.
    package let keyBytes: ArraySlice<UInt8>

    private static let ecPublicKey = OID(1, 2, 840, 10045, 2, 1)
    private static let curveP256 = OID(1, 2, 840, 10045, 3, 1, 7)
    private static let curveP384 = OID(1, 3, 132, 0, 34)

    /// From bytes that are exactly one SubjectPublicKeyInfo.
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
    package var sha256: [UInt8] { Array(der.withUnsafeBytes { SHA256.hash(bytes: $0) }) }

    private static func algorithm(_ identifier: AlgorithmIdentifier, code: ReasonCode) throws(Rejection) -> Algorithm {
        guard identifier.algorithm == ecPublicKey, let parameters = identifier.parameters else {
            return .unsupported(identifier.algorithm)
        }
        // A curve by its name; parameters written out (RFC 5480 §2.1.1 forbids them) are no curve that is known here.
        guard parameters.tag == .objectIdentifier else { return .unsupported(ecPublicKey) }
        guard let curve = OID(content: parameters.content) else { throw Rejection(code, "a malformed curve name") }
        switch curve {
        case curveP256: return .p256
        case curveP384: return .p384
        default: return .unsupported(curve)
        }
    }
}
