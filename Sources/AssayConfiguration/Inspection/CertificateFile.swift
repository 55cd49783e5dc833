package import AssayCore
import AssayEncoding

/// A file of certificates: PEM blocks or DER certificates, one after the other.
package enum CertificateFile {
    /// The DER of each certificate, in order, not parsed.
    package static func read(_ bytes: [UInt8]) throws(Rejection) -> [[UInt8]] {
        if bytes.starts(with: "-----BEGIN".utf8) { return try PEM.decode(String(decoding: bytes, as: UTF8.self)) }
        var reader = DERReader(bytes[...], code: .malformedCertificate)
        var certificates: [[UInt8]] = []
        while !reader.isAtEnd {
            guard certificates.count < PEM.blockLimit else {
                throw reader.rejection("more than \(PEM.blockLimit) certificates")
            }
            certificates.append(Array(try reader.element(.sequence).encoded))
        }
        return certificates
    }
}
