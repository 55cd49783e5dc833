import AssayCore
import AssayEncoding
import Crypto

/// The keys that a signer may have: a curve, and the hash that goes with it.
package enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable {
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

    /// `alg` of JOSE (RFC 7518 §3.4).
    package var joseName: String {
        switch self {
        case .p256: "ES256"
        case .p384: "ES384"
        }
    }

    /// `alg` of COSE (RFC 9053 §2.1).
    package var coseIdentifier: Int64 {
        switch self {
        case .p256: -7
        case .p384: -35
        }
    }
}

extension SigningAlgorithm {
    /// A signature as JOSE and COSE have it: r ‖ s, each as wide as the curve's coordinates, so 64 or 96 bytes.
    ///
    /// - Parameter der: an ECDSA-Sig-Value (RFC 3279 §2.2.3), as signers give it.
    /// - Returns: `nil` for bytes that are none of this curve.
    package func rawSignature(_ der: [UInt8]) -> [UInt8]? {
        try? DERReader.parse(der[...], code: .badSignature) { outer throws(Rejection) in
            try outer.sequence { numbers throws(Rejection) -> [UInt8] in try number(&numbers) + number(&numbers) }
        }
    }

    /// The next INTEGER, unsigned and big-endian.
    private func number(_ numbers: inout DERReader) throws(Rejection) -> [UInt8] {
        let content = try numbers.integer()
        guard let first = content.first, first & 0x80 == 0 else { throw numbers.rejection("a negative number") }
        let digits = content.drop { $0 == 0 }
        guard digits.count <= width else { throw numbers.rejection("a number wider than the curve's") }
        return [UInt8](repeating: 0, count: width - digits.count) + digits
    }
}
