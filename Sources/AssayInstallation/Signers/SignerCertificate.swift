import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto

/// A certificate with which an app is signed. Android compares its bytes and trusts no issuer, so that all of its fields but its form are for
/// people; old ones are of version 1, which `Certificate` does not read.
package struct SignerCertificate: Hashable, Sendable {
    /// In bytes.
    static let sizeLimit = 64 << 10

    package let der: [UInt8]
    /// For people.
    package let subject: String

    /// SHA-256 of the certificate: what devices attest, and configurations name.
    package var digest: [UInt8] { SHA256.bytes(of: der) }

    /// Whether it is the one that Android's build tools make on each developer's machine.
    package var isOfDebugBuilds: Bool { subject.contains("CN=Android Debug") }

    package init(der: [UInt8]) throws(SignerFileError) {
        guard der.count <= Self.sizeLimit else { throw .malformed("a certificate of \(der.count) bytes") }
        subject = try Self.naming(der).subject.description
        self.der = der
    }

    /// The subject, and issuer and serial number as CMS names a signer by them (RFC 5652 §10.2.4).
    static func naming(_ der: [UInt8]) throws(SignerFileError) -> (subject: DistinguishedName, signer: [UInt8]) {
        do throws(Rejection) {
            return try DERReader.parse(der[...], code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { certificate throws(Rejection) in
                    var fields = DERReader(try certificate.content(.sequence), code: .malformedCertificate)
                    _ = try certificate.element(.sequence)
                    _ = try certificate.element(.bitString)
                    _ = try fields.optional(.context(0))
                    let number = try fields.element(.integer).encoded
                    _ = try fields.element(.sequence)
                    let issuer = try fields.element(.sequence).encoded
                    _ = try fields.element(.sequence)
                    let subject = try DistinguishedName(der: try fields.element(.sequence).encoded)
                    _ = try fields.element(.sequence)
                    return (subject, Array(issuer + number))
                }
            }
        } catch {
            throw .malformed("its certificate: \(error.detail)")
        }
    }
}
