import AssayEncoding
import Crypto

/// The keys that a CA may have: a curve, and the hash that goes with it.
package enum AuthorityAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256.
    case p256
    /// ECDSA on P-384 with SHA-384.
    case p384

    /// As people write the curve: `P-256`.
    package var name: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        }
    }

    /// Octets of a coordinate, and of each number of a signature.
    package var width: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        }
    }

    /// What is signed for a message: 32 or 48 bytes.
    package func digest(of message: [UInt8]) -> [UInt8] {
        switch self {
        case .p256: Array(SHA256.hash(data: message))
        case .p384: Array(SHA384.hash(data: message))
        }
    }

    /// The AlgorithmIdentifier (DER) of its signatures: ecdsa-with-SHA256 or ecdsa-with-SHA384, without parameters (RFC 5758 §3.2).
    package var signatureIdentifier: [UInt8] {
        switch self {
        case .p256: DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2")])
        case .p384: DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.3")])
        }
    }

    /// The ECDSA-Sig-Value (DER, RFC 3279 §2.2.3) of a raw signature; `nil` unless it is r ‖ s, each as wide as the curve's coordinates.
    package func signature(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * width else { return nil }
        return DERWriter.sequence([
            DERWriter.integer(unsigned: raw.prefix(width)), DERWriter.integer(unsigned: raw.suffix(width)),
        ])
    }
}
