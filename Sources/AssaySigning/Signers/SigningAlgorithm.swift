import AssayCore
import AssayEncoding

/// The keys that a signer may have: a curve, and the hash that goes with it.
package enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// ECDSA on P-256 with SHA-256.
    case p256
    /// Ed25519 (RFC 8032 §5.1). No CA may have such a key.
    case ed25519
    /// ECDSA on P-384 with SHA-384.
    case p384

    /// As people write the curve: `P-256`.
    package var name: String {
        switch self {
        case .p256: "P-256"
        case .ed25519: "Ed25519"
        case .p384: "P-384"
        }
    }

    /// Curves in a sentence: `P-256 or P-384`.
    package static func list(_ algorithms: [SigningAlgorithm]) -> String {
        guard let last = algorithms.last, algorithms.count > 1 else { return algorithms.first?.name ?? "no kind" }
        return algorithms.dropLast().map(\.name).joined(separator: ", ") + " or " + last.name
    }

    /// Octets of a coordinate, and of each half of a signature as JOSE and COSE have it.
    package var width: Int {
        switch self {
        case .p256, .ed25519: 32
        case .p384: 48
        }
    }

    /// The AlgorithmIdentifier (DER) of its signatures: ecdsa-with-SHA256 or ecdsa-with-SHA384 (RFC 5758 §3.2), or id-Ed25519
    /// (RFC 8410 §6), without parameters.
    package var signatureIdentifier: [UInt8] {
        switch self {
        case .p256: Self.ecdsaWithSHA256
        case .ed25519: Self.ed25519Identifier
        case .p384: Self.ecdsaWithSHA384
        }
    }

    private static let ecdsaWithSHA256 = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2")])
    private static let ecdsaWithSHA384 = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.3")])
    private static let ed25519Identifier = DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.112")])

    /// `alg` of JOSE (RFC 7518 §3.4, RFC 8037 §3.1). RFC 9864 has `Ed25519` beside `EdDSA`; most libraries know the older name only.
    package var joseName: String {
        switch self {
        case .p256: "ES256"
        case .ed25519: "EdDSA"
        case .p384: "ES384"
        }
    }

    /// `alg` of COSE (RFC 9053 §2.1 and §2.2). For Ed25519 it is that of EdDSA, as in JOSE.
    package var coseIdentifier: Int64 {
        switch self {
        case .p256: -7
        case .ed25519: -8
        case .p384: -35
        }
    }
}

extension SigningAlgorithm {
    /// A signature as JOSE and COSE have it: r ‖ s, each as wide as the curve's coordinates, or Ed25519's own (RFC 8037 §3.1): 64 or 96 bytes.
    ///
    /// - Parameter signature: as signers give it: an ECDSA-Sig-Value (RFC 3279 §2.2.3), or 64 bytes of Ed25519.
    /// - Returns: `nil` for bytes that are none of this algorithm.
    package func rawSignature(_ signature: [UInt8]) -> [UInt8]? {
        switch self {
        case .ed25519: signature.count == 2 * width ? signature : nil
        case .p256, .p384:
            try? DERReader.parse(signature[...], code: .badSignature) { outer throws(Rejection) in
                try outer.sequence { numbers throws(Rejection) -> [UInt8] in try number(&numbers) + number(&numbers) }
            }
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
