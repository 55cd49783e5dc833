import AssayCore
import Crypto

/// A bundle, read: what was signed, by which certificate, and when.
struct BundleContent {
    /// SHA-256 of the signed bytes, 32 bytes.
    let signedSHA256: [UInt8]
    /// The number of signed bytes; `nil` if the caller shows only their digest.
    let signedLength: Int?
    /// `nil` if the caller shows only the digest.
    let time: BundleTime?
    /// SHA-256 of the image, 32 bytes; `nil` if the caller shows only the digest.
    let imageHash: [UInt8]?
    /// The text as it was submitted.
    let certificate: [UInt8]
    let signature: [UInt8]

    /// Whether the caller shows only the digest of what was signed.
    var isSplit: Bool { time == nil }

    /// Throws `malformed`, or `wrong_format` for the members of the older token format.
    init(_ evidence: BoundedEvidence) throws(Rejection) {
        let parts = evidence.parts ?? []
        if let json = CertificateBundle.json(in: parts) {
            self.init(try BundleJSON.read(json))
            return
        }
        guard let bundle = CertificateBundle(parts: parts) else {
            throw Rejection(.malformed, "not the parts of a certificate bundle")
        }
        switch bundle {
        case .json(let json): self.init(try BundleJSON.read(json[...]))
        case .fields(let fields):
            guard fields.imageHash.count == 32, fields.locationHash.isEmpty || fields.locationHash.count == 32 else {
                throw Rejection(.malformed, "a hash of another length than 32 bytes")
            }
            self.init(fields)
        case .digest(let digest):
            guard digest.signedSHA256.count == 32 else {
                throw Rejection(.malformed, "a digest of \(digest.signedSHA256.count) bytes, want 32")
            }
            self.init(digest)
        }
    }

    private init(_ digest: CertificateBundle.Digest) {
        (signedSHA256, signedLength, time, imageHash) = (digest.signedSHA256, nil, nil, nil)
        (certificate, signature) = (digest.certificate, digest.signature)
    }

    private init(_ fields: CertificateBundle.Fields) {
        let signed = Self.signedBytes(fields)
        (signedSHA256, signedLength) = (SHA256.bytes(of: signed), signed.count)
        (time, imageHash) = (BundleTime(seconds: fields.timestamp), fields.imageHash)
        (certificate, signature) = (fields.certificate, fields.signature)
    }

    /// Four lines, each ended by LF: the image's hash in lower-case hexadecimal, the certificate's text as submitted, the time in decimal,
    /// the location's hash or nothing.
    private static func signedBytes(_ fields: CertificateBundle.Fields) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * fields.imageHash.count + fields.certificate.count + 2 * fields.locationHash.count + 24)
        fields.imageHash.withUnsafeBytes { Hex.append($0, to: &bytes) }
        bytes.append(newline)
        bytes += fields.certificate
        bytes.append(newline)
        bytes += String(fields.timestamp).utf8
        bytes.append(newline)
        fields.locationHash.withUnsafeBytes { Hex.append($0, to: &bytes) }
        bytes.append(newline)
        return bytes
    }
}

/// The time in a bundle, in whole seconds.
struct BundleTime: Hashable {
    /// Since 1970.
    let seconds: Int64
    var timestamp: Timestamp { Timestamp(unixSeconds: seconds) }
}
