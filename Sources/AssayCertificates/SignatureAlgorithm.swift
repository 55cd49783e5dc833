package import AssayCore
package import AssayEncoding

/// The algorithm of a certificate's signature. It chooses the hash; the issuer's key chooses the curve (a P-384 key signs with
/// SHA-256 on every App Attest leaf).
package enum SignatureAlgorithm: Hashable, Sendable {
    case ecdsaWithSHA256
    case ecdsaWithSHA384
    case ecdsaWithSHA512
    /// PKCS #1 v1.5.
    case rsaWithSHA256
    case rsaWithSHA384
    case rsaWithSHA512
    /// A known or unknown algorithm that cannot be verified here; also one with parameters that it must not have.
    case unsupported(OID)

    /// The parameters of an algorithm, as far as they are distinguished.
    private enum Parameters { case absent, null, other }

    /// ECDSA has no parameters (RFC 5758 §3.2). RSA has NULL, and absent ones are accepted (RFC 4055 §5).
    ///
    /// - Parameter used: gains the leniency that was needed.
    package init(_ identifier: AlgorithmIdentifier, leniencies: CertificateLeniencies, used: inout CertificateLeniencies) {
        let parameters: Parameters =
            identifier.parameters.map { $0.tag == .null && $0.content.isEmpty ? .null : .other } ?? .absent
        guard let known = Self.known[identifier.algorithm] else {
            self = .unsupported(identifier.algorithm)
            return
        }
        switch (known.isRSA, parameters) {
        case (true, .null), (true, .absent), (false, .absent): self = known
        case (false, .null) where leniencies.contains(.ecdsaWithNull):
            used.insert(.ecdsaWithNull)
            self = known
        default: self = .unsupported(identifier.algorithm)
        }
    }

    /// Without leniencies.
    init(_ identifier: AlgorithmIdentifier) {
        var used: CertificateLeniencies = []
        self.init(identifier, leniencies: [], used: &used)
    }

    private static let known: [OID: SignatureAlgorithm] = [
        OID(1, 2, 840, 10045, 4, 3, 2): .ecdsaWithSHA256, OID(1, 2, 840, 10045, 4, 3, 3): .ecdsaWithSHA384,
        OID(1, 2, 840, 10045, 4, 3, 4): .ecdsaWithSHA512, OID(1, 2, 840, 113_549, 1, 1, 11): .rsaWithSHA256,
        OID(1, 2, 840, 113_549, 1, 1, 12): .rsaWithSHA384, OID(1, 2, 840, 113_549, 1, 1, 13): .rsaWithSHA512,
    ]

    private var isRSA: Bool {
        switch self {
        case .rsaWithSHA256, .rsaWithSHA384, .rsaWithSHA512: true
        case .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512, .unsupported: false
        }
    }
}

/// `SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }` (RFC 5280 §4.1.1.2).
package struct AlgorithmIdentifier {
    package let algorithm: OID
    let parameters: DERElement?
    /// The whole SEQUENCE, for comparison with another.
    let der: ArraySlice<UInt8>

    package init(from reader: inout DERReader) throws(Rejection) {
        let element = try reader.element(.sequence)
        der = element.encoded
        var fields = DERReader(element.content, code: reader.code)
        algorithm = try fields.objectIdentifier()
        parameters = fields.isAtEnd ? nil : try fields.element()
        try fields.finish("an algorithm")
    }

    /// Whether both are the same algorithm; NULL counts as absent parameters.
    func hasSameMeaning(as other: AlgorithmIdentifier) -> Bool {
        algorithm == other.algorithm && (parameters?.tag ?? .null) == .null && (other.parameters?.tag ?? .null) == .null
    }
}
