import NIOSSL

/// What one side of a connection proves itself with, and whom it believes. Both sides have to have both.
package struct TLSCredentials: Sendable {
    /// Certificates in one input. A bundle of private CAs has a few.
    package static let certificateLimit = 64

    /// A certificate's dates, for warnings: BoringSSL judges them in each handshake.
    package struct Dates: Hashable, Sendable {
        /// Seconds since 1970.
        package let notBefore: Int64
        package let notAfter: Int64
    }

    let chain: [NIOSSLCertificate]
    let privateKey: NIOSSLPrivateKey
    let authorities: [NIOSSLCertificate]

    /// Reads PEM texts: a certificate with the intermediates behind it, its key without a passphrase, and the CAs that the
    /// other side's certificate must come from. Whether key and certificate go together is found when they are put to use.
    package init(certificates: [UInt8], privateKey: [UInt8], authorities: [UInt8]) throws(TLSProblem) {
        chain = try Self.read(certificates, .certificates)
        self.authorities = try Self.read(authorities, .authorities)
        guard !privateKey.isEmpty, let key = try? NIOSSLPrivateKey(bytes: privateKey, format: .pem) else {
            throw TLSProblem(.privateKey, "no private key in PEM, or one with a passphrase")
        }
        self.privateKey = key
    }

    /// Of the certificate itself, without its intermediates.
    package var dates: Dates? { chain.first.map(Dates.init) }
    /// Of each CA.
    package var authorityDates: [Dates] { authorities.map(Dates.init) }

    private static func read(_ pem: [UInt8], _ part: TLSProblem.Part) throws(TLSProblem) -> [NIOSSLCertificate] {
        guard !pem.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else {
            throw TLSProblem(part, "no certificate in PEM")
        }
        guard certificates.count <= certificateLimit else {
            throw TLSProblem(part, "more than \(certificateLimit) certificates")
        }
        return certificates
    }

    /// The context of one side.
    func context(_ side: (TLSCredentials) -> TLSConfiguration) throws(TLSProblem) -> NIOSSLContext {
        var configuration = side(self)
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = [TLSProtocol.name]
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSProblem(.privateKey, "the key is not the certificate's (\(TLSFailure.explain(error)))")
        }
    }
}

extension TLSCredentials.Dates {
    init(_ certificate: NIOSSLCertificate) {
        self.init(notBefore: Int64(certificate.notValidBefore), notAfter: Int64(certificate.notValidAfter))
    }
}
