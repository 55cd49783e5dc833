package import NIOSSL

/// The certificate and key of one side of a connection, and the CAs that it trusts. Each side needs all of them.
package struct TLSCredentials: Sendable {
    /// The number of certificates in one input. A bundle of private CAs has a few.
    package static let certificateLimit = 64

    /// A certificate's dates, for warnings: BoringSSL judges them in each handshake.
    package struct Dates: Hashable, Sendable {
        /// Seconds since 1970.
        package let notBefore: Int64
        package let notAfter: Int64
    }

    package let chain: [NIOSSLCertificate]
    package let privateKey: NIOSSLPrivateKey
    package let authorities: [NIOSSLCertificate]

    /// Reads PEM texts: a certificate followed by its intermediates, its key without a passphrase, and the CAs that the other side's
    /// certificate must come from. ``check()`` finds out whether key and certificate belong together.
    package init(certificates: [UInt8], privateKey: [UInt8], authorities: [UInt8]) throws(TLSError) {
        chain = try Self.read(certificates, .certificates)
        self.authorities = try Self.read(authorities, .authorities)
        guard !privateKey.isEmpty, let key = try? NIOSSLPrivateKey(bytes: privateKey, format: .pem) else {
            throw TLSError.noPrivateKey(in: privateKey)
        }
        self.privateKey = key
    }

    /// Of the certificate, without its intermediates.
    package var dates: Dates? { chain.first.map(Dates.init) }
    /// Of each CA.
    package var authorityDates: [Dates] { authorities.map(Dates.init) }
    /// The DER of the certificate, without its intermediates.
    package var certificate: [UInt8]? { chain.first.flatMap { try? $0.toDERBytes() } }
    /// The DER of each CA.
    package var authorityCertificates: [[UInt8]] { authorities.compactMap { try? $0.toDERBytes() } }

    /// Reads the certificates of one input.
    package static func read(_ pem: [UInt8], _ part: TLSError.Part) throws(TLSError) -> [NIOSSLCertificate] {
        guard !pem.isEmpty, let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else {
            throw TLSError.noCertificate(in: pem, part)
        }
        guard certificates.count <= certificateLimit else {
            throw TLSError(part, "more than \(certificateLimit) certificates")
        }
        return certificates
    }

    /// The context of one side.
    ///
    /// - Parameter names: the application protocols (ALPN, RFC 7301).
    package func context(
        for names: [String], _ side: (TLSCredentials) -> TLSConfiguration
    ) throws(TLSError) -> NIOSSLContext {
        var configuration = side(self)
        configuration.minimumTLSVersion = .tlsv13
        configuration.applicationProtocols = names
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw TLSError(.privateKey, "the key is not the certificate's (\(TLSFailure.explain(error)))")
        }
    }
}

extension TLSCredentials.Dates {
    package init(_ certificate: NIOSSLCertificate) {
        self.init(notBefore: Int64(certificate.notValidBefore), notAfter: Int64(certificate.notValidAfter))
    }
}

extension TLSError {
    /// Of an input that should have a private key.
    package static func noPrivateKey(in pem: [UInt8]) -> TLSError {
        let text = String(decoding: pem, as: UTF8.self)
        let problem =
            if text.contains("ENCRYPTED") {
                "the private key has a passphrase, which nothing asks for: openssl pkey -in FILE -out NEW writes it without one"
            } else if text.contains("-----BEGIN CERTIFICATE-----") {
                "no private key in PEM, but a certificate"
            } else {
                "no private key in PEM"
            }
        return TLSError(.privateKey, problem)
    }

    /// Of an input that should have certificates.
    static func noCertificate(in pem: [UInt8], _ part: Part) -> TLSError {
        let isKey = String(decoding: pem, as: UTF8.self).contains("PRIVATE KEY-----")
        return TLSError(part, isKey ? "no certificate in PEM, but a private key" : "no certificate in PEM")
    }
}

/// Why certificates or a key cannot be used.
package struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the three inputs is at fault.
    package enum Part: Hashable, Sendable { case certificates, privateKey, authorities }

    package let part: Part
    package let description: String

    package init(_ part: Part, _ description: String) { (self.part, self.description) = (part, description) }
}

/// Explains a TLS error in a few words.
package enum TLSFailure {
    private static let limit = 200

    /// BoringSSL's words if the error has some, such as `certificate_verify_failed`.
    package static func explain(_ error: any Error) -> String {
        let text = "\(error)"
        let words = text.components(after: "OPENSSL_internal:").map { $0.prefix { $0 != " " && $0 != "]" }.lowercased() }
        return words.isEmpty ? String(text.prefix(limit)) : words.joined(separator: ", ")
    }
}

extension String {
    /// The text after each occurrence of `marker`.
    fileprivate func components(after marker: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: marker) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
