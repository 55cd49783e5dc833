/// Evidence as received, not parsed.
public struct Evidence: Hashable, Sendable {
    public let format: EvidenceFormat
    /// The key that the caller says it belongs to: unauthenticated until a signature is verified. Empty for formats without
    /// one.
    public let keyID: [UInt8]
    /// The bytes that the platform made.
    public let body: [UInt8]

    public init(format: EvidenceFormat, keyID: [UInt8], body: [UInt8]) {
        (self.format, self.keyID, self.body) = (format, keyID, body)
    }

    /// SHA-256 over a tag, format, key id and body, each with its length: identifies the evidence in verdict and audit log.
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
