import AssayCertificates
import AssayCore
import AssayEncoding

/// What a certificate of the section `tls` is made for, as far as clients and BoringSSL ask. A certificate that `Certificate` does not
/// read, such as one of version 1, is not judged: the handshake decides.
package struct TLSCertificateUse {
    private let certificate: Certificate

    package init?(_ der: [UInt8]?) {
        let leniencies: CertificateLeniencies = [
            .generalizedTimeBefore2050, .ecdsaWithNull, .criticalNotDER, .oddSerial, .unreadableDates,
        ]
        guard let der, let certificate = try? Certificate(der: der[...], leniencies: leniencies) else { return nil }
        self.certificate = certificate
    }

    // MARK: The daemon's certificate

    /// Why no client accepts it from a server (RFC 5280 §4.2.1.12); `nil` if some do.
    package var whyNoServer: String? {
        guard let purposes, !purposes.contains(.serverAuth), !purposes.contains(.anyPurpose) else { return nil }
        return "the certificate is not for a server: its extended key usage does not have serverAuth"
            + (purposes.contains(.clientAuth) ? ", but clientAuth; it may be a caller's" : "")
    }

    /// Why some clients do not accept it from a server, though others do.
    package var doubtsAsServer: [String] {
        var doubts: [String] = []
        if certificate.value(of: .subjectAlternativeName) == nil {
            doubts.append(
                "the certificate has no subject alternative name, and clients compare a server's name with nothing else")
        }
        if let purposes, !purposes.contains(.serverAuth), purposes.contains(.anyPurpose) {
            doubts.append(
                "the certificate's extended key usage has anyExtendedKeyUsage in place of serverAuth; OpenSSL and BoringSSL, and "
                    + "with it assay, refuse that")
        }
        // BoringSSL signs with these keys, and does not offer to verify their signatures.
        if let kind = [.ed25519: "Ed25519", .p521: "P-521"][certificate.publicKey.algorithm] {
            doubts.append(
                "the certificate's key is \(kind): the daemon signs with it, but assay and other clients with BoringSSL do not "
                    + "accept its signatures; use P-256, P-384 or RSA")
        }
        return doubts
    }

    private var purposes: [OID]? {
        guard let value = certificate.value(of: .extendedKeyUsage) else { return nil }
        return try? DERReader.parse(value, code: .malformedCertificate) { reader throws(Rejection) in
            try reader.sequence { list throws(Rejection) in
                var purposes: [OID] = []
                while !list.isAtEnd { purposes.append(try list.objectIdentifier()) }
                return purposes
            }
        }
    }

    // MARK: CAs of callers

    /// Why no caller's certificate can come from it (RFC 5280 §4.2.1.9 and §4.2.1.3); `nil` if it is a CA.
    package var whyNoAuthority: String? {
        let subject = "the certificate of \"\(certificate.subject)\""
        do throws(Rejection) {
            guard try certificate.basicConstraints()?.isCA == true else { return "\(subject) is not a CA certificate" }
            guard try certificate.keyUsage()?.contains(.keyCertSign) != false else {
                return "\(subject) is not a CA certificate: its key usage does not have keyCertSign"
            }
        } catch { return nil }
        return nil
    }
}

extension OID {
    fileprivate static let extendedKeyUsage = OID(2, 5, 29, 37)
    fileprivate static let anyPurpose = OID(2, 5, 29, 37, 0)
    fileprivate static let serverAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
    fileprivate static let clientAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 2)
}
