/// What an attester sent, before anyone has looked inside.
public struct Evidence: Hashable, Sendable {
    public let format: EvidenceFormat
    /// The key that the caller says it is about: a lookup hint until a signature verifies. Empty where the format has none.
    public let keyID: [UInt8]
    /// The bytes as the platform made them.
    public let body: [UInt8]

    public init(format: EvidenceFormat, keyID: [UInt8], body: [UInt8]) {
        (self.format, self.keyID, self.body) = (format, keyID, body)
    }

    /// SHA-256 over a tag, format, key id and body, each with its length: names the evidence in verdict and audit.
    public var digest: [UInt8] {
        var hash = FieldDigest("assay.evidence.v1")
        hash.append(format.rawValue)
        hash.append(keyID)
        hash.append(body)
        return hash.finalize()
    }
}

/// The name of a kind of evidence, as in the vectors: `app-attest.attestation`.
public struct EvidenceFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}
