import AssayCertificates
package import AssayCore
import AssayEncoding
package import AssaySigning
import Foundation

/// A CA for TLS between a daemon and its callers, where an installation has none: it certifies the daemon, and may certify callers. Other than a
/// CA of devices it is one certificate, with nothing above it.
package struct TransportAuthority: Sendable {
    package let key: SigningKey
    /// DER, self-signed.
    package let certificate: [UInt8]

    /// In milliseconds.
    package static let validity: Int64 = 10 * 365 * 86_400_000
    /// Of the daemon's certificate, in milliseconds: clients of Apple's platforms take no longer ones.
    package static let serverValidity: Int64 = 397 * 86_400_000

    /// One that was made before.
    package init(certificate: [UInt8], key: SigningKey) { (self.certificate, self.key) = (certificate, key) }

    /// Makes one with a new key.
    package init(name: String, at now: Timestamp) async throws(AuthorityError) {
        key = SigningKey.random(.p256)
        let signer = FileSigner(key)
        let subject = try SubjectName(commonName: name)
        let own = try SubjectPublicKeyInfo(certifying: signer.publicKey)
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: own, notBefore: now.wholeSecond,
            notAfter: now.wholeSecond.adding(milliseconds: Self.validity), subject: subject,
            extensions: CertificateExtensions(ofAuthority: own, pathLength: 0))
        certificate = try await draft.signed(by: CertificateSigner(signer, name: subject.der))
    }

    /// The certificate (DER) of a daemon that clients call by these names, and its new key.
    ///
    /// - Parameter names: DNS names and IP addresses. The first is its common name.
    package func server(
        _ names: [TransportName], at now: Timestamp
    ) async throws(AuthorityError) -> (certificate: [UInt8], key: SigningKey) {
        guard let first = names.first else { throw .impossible("it would have no name") }
        let authority: AssayCertificates.Certificate
        do throws(Rejection) { authority = try AssayCertificates.Certificate(der: certificate[...]) } catch {
            throw .impossible("its CA cannot be read: \(error.detail)")
        }
        let notAfter = min(now.wholeSecond.adding(milliseconds: Self.serverValidity), authority.validity.notAfter)
        guard now < notAfter else { throw .impossible("its CA ended at \(authority.validity.notAfter)") }
        let new = SigningKey.random(.p256)
        let served = try SubjectPublicKeyInfo(certifying: new.publicKey)
        var extensions = CertificateExtensions()
        extensions.addEndEntity()
        extensions.addKeyUsage(.digitalSignature)
        extensions.add(.extendedKeyUsage) { $0.sequence { $0.objectIdentifier(OID(1, 3, 6, 1, 5, 5, 7, 3, 1)) } }
        extensions.addSubjectKey(served.keyIdentifier)
        extensions.addAuthorityKey(try SubjectPublicKeyInfo(certifying: key.publicKey).keyIdentifier)
        extensions.add(.subjectAlternativeName) { $0.sequence { for name in names { name.write(to: &$0) } } }
        let draft = CertificateDraft(
            serial: CertificateDraft.randomSerial(), key: served, notBefore: now.wholeSecond, notAfter: notAfter,
            subject: try SubjectName(commonName: first.text), extensions: extensions)
        let signer = CertificateSigner(FileSigner(key), name: Array(authority.subject.der))
        return (try await draft.signed(by: signer), new)
    }
}

/// A name under which a daemon is called (RFC 5280 §4.2.1.6).
package struct TransportName: Hashable, Sendable {
    package let text: String
    /// 4 or 16 bytes; `nil`: a DNS name.
    private let address: [UInt8]?

    /// `nil` for what is neither an IP address nor a DNS name of visible ASCII.
    package init?(_ text: String) {
        self.text = text
        address = Self.address(text)
        guard address == nil else { return }
        let isName = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
        guard isName, (1...253).contains(text.utf8.count), !text.hasPrefix("."), !text.hasPrefix("-") else { return nil }
    }

    /// As inet_pton(3) reads it.
    private static func address(_ text: String) -> [UInt8]? {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        return inet_pton(AF_INET6, text, &six) == 1 ? withUnsafeBytes(of: &six) { Array($0) } : nil
    }

    /// As it stands in a subjectAltName.
    fileprivate func write(to buffer: inout DERBuffer) {
        if let address { buffer.implicit(7, address) } else { buffer.implicit(2, text) }
    }
}
