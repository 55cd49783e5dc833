import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayEncoding
import AssaySchemes

extension FuzzTarget {
    /// One certificate in DER, PEM text, and a chain in any order.
    static func certificates(_ bytes: [UInt8]) {
        if let certificate = try? Certificate(der: bytes[...]) {
            _ = "\(certificate.subject) \(certificate.issuer)"
            _ = try? PublicKey(certificate.publicKey)
            _ = try? certificate.keyUsage()
            _ = try? certificate.basicConstraints()
        }
        if let list = try? CertificateRevocationList(file: bytes) { _ = list.snapshot(named: "fuzz") }
        // The names in callers' certificates are read.
        _ = try? SubjectAlternativeNames(bytes[...])
        _ = Inspection(InspectionInput(bytes: bytes, now: now))
        _ = Inspection(InspectionInput(bytes: Array("-----BEGIN CERTIFICATE-----\n".utf8) + bytes, now: now))
        var reader = DERReader(bytes[...], code: .malformedCertificate)
        while (try? reader.element()) != nil {}
    }

    static let now = Timestamp(unixMilliseconds: 1_780_000_000_000)
}
