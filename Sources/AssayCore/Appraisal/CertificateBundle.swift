/// A bundle that a camera signed with the key of its device certificate, in the form in which it was submitted: not parsed.
///
/// Evidence of the format `certificate-bundle` has these parts: the number of the form, one byte, and the members of the form in the
/// order of their declaration here. Numbers are those of `assay.v1.CertificateBundle`.
public enum CertificateBundle: Hashable, Sendable {
    /// 1: the JSON that the camera sent.
    case json([UInt8])
    /// 2
    case fields(Fields)
    /// 3
    case digest(Digest)

    /// The longest JSON, in bytes.
    public static let jsonLimit = 64 << 10

    /// The members of a bundle.
    public struct Fields: Hashable, Sendable {
        /// 32 bytes.
        public var imageHash: [UInt8]
        /// The UTF-8 of the text as it was submitted: Base64 of the DER or of a PEM file.
        public var certificate: [UInt8]
        /// Seconds since 1970. As a part: 8 bytes, big-endian, two's complement.
        public var timestamp: Int64
        /// 32 bytes; empty: none.
        public var locationHash: [UInt8]
        /// 64 bytes (r, s), or DER.
        public var signature: [UInt8]

        public init(
            imageHash: [UInt8], certificate: [UInt8], timestamp: Int64, locationHash: [UInt8] = [], signature: [UInt8]
        ) {
            (self.imageHash, self.certificate, self.timestamp) = (imageHash, certificate, timestamp)
            (self.locationHash, self.signature) = (locationHash, signature)
        }
    }

    /// A bundle of which the caller shows only the digest of what was signed.
    public struct Digest: Hashable, Sendable {
        /// SHA-256 of the signed bytes, 32 bytes.
        public var signedSHA256: [UInt8]
        /// As in ``Fields``.
        public var certificate: [UInt8]
        public var signature: [UInt8]

        public init(signedSHA256: [UInt8], certificate: [UInt8], signature: [UInt8]) {
            (self.signedSHA256, self.certificate, self.signature) = (signedSHA256, certificate, signature)
        }
    }

    public var evidence: Evidence {
        let parts: [[UInt8]] =
            switch self {
            case .json(let json): [[1], json]
            case .fields(let fields):
                [
                    [2], fields.imageHash, fields.certificate,
                    Swift.withUnsafeBytes(of: fields.timestamp.bigEndian) { Array($0) },
                    fields.locationHash, fields.signature,
                ]
            case .digest(let digest): [[3], digest.signedSHA256, digest.certificate, digest.signature]
            }
        return Evidence(format: .certificateBundle, keyID: [], parts: parts.map { $0[...] })
    }

    /// The JSON of the first form, where it lies; `nil` for parts of another form.
    package static func json(in parts: [ArraySlice<UInt8>]) -> ArraySlice<UInt8>? {
        guard parts.count == 2, let number = parts.first, number.count == 1, number.first == 1 else { return nil }
        return parts.last
    }

    /// `nil` unless ``evidence`` made the parts.
    public init?(parts: [ArraySlice<UInt8>]) {
        guard let number = parts.first, number.count == 1 else { return nil }
        switch (number.first, parts.count) {
        case (1, 2): self = .json(Array(parts[1]))
        case (2, 6):
            guard parts[3].count == 8 else { return nil }
            let timestamp = parts[3].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self = .fields(
                Fields(
                    imageHash: Array(parts[1]), certificate: Array(parts[2]), timestamp: Int64(bitPattern: timestamp),
                    locationHash: Array(parts[4]), signature: Array(parts[5])))
        case (3, 4):
            self = .digest(
                Digest(signedSHA256: Array(parts[1]), certificate: Array(parts[2]), signature: Array(parts[3])))
        default: return nil
        }
    }
}
