import AssayCertificates
package import AssayCore
package import AssayEncoding
import AssaySigning

/// A certificate of version 3 before it is signed (RFC 5280 §4.1).
package struct CertificateDraft: Sendable {
    /// Big-endian and unsigned.
    package var serial: [UInt8]
    /// SubjectPublicKeyInfo (DER).
    package var publicKey: [UInt8]
    package var notBefore: Timestamp
    package var notAfter: Timestamp
    package var subject: SubjectName
    package var extensions: [ExtensionDraft]

    /// 16 random bytes, the top bit clear and the first byte not zero, so that a serial number is positive and has always 16 octets.
    package static func randomSerial() -> [UInt8] {
        while true {
            var bytes = SecureRandom.bytes(16)
            bytes[0] &= 0x7F
            if bytes[0] != 0 { return bytes }
        }
    }

    /// The certificate (DER). Throws `.unavailable` if the key cannot sign, `.impossible` if the fields cannot be encoded.
    func signed(by signer: CertificateSigner) async throws(AuthorityError) -> [UInt8] {
        // Another reader than the one of requests: what is certified must be a key.
        guard let key = try? SubjectPublicKeyInfo(der: publicKey[...]), (try? AssayCertificates.PublicKey(key)) != nil else {
            throw .impossible("the public key cannot be read")
        }
        let body = DERWriter.sequence([
            DERWriter.context(0, [DERWriter.integer(2)]), DERWriter.integer(unsigned: serial),
            signer.signer.algorithm.signatureIdentifier, signer.name,
            DERWriter.sequence([DERWriter.time(notBefore), DERWriter.time(notAfter)]), subject.der, publicKey,
            DERWriter.context(3, [DERWriter.sequence(extensions.map(\.der))]),
        ])
        let signature: [UInt8]
        do throws(SigningError) { signature = try await signer.signer.sign(body) } catch { throw AuthorityError(error) }
        do throws(Rejection) {
            _ = try DERReader.parse(signature[...], code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { parts throws(Rejection) in (try parts.integer(), try parts.integer()) }
            }
        } catch { throw .unavailable("the key's answer is no signature") }
        let der = DERWriter.sequence([body, signer.signer.algorithm.signatureIdentifier, DERWriter.bitString(signature)])
        guard der.count <= AssayCertificates.Certificate.sizeLimit else {
            throw .impossible("it would have \(der.count) bytes, more than \(AssayCertificates.Certificate.sizeLimit)")
        }
        return der
    }
}

/// An extension, its value in DER unless its specification has other bytes.
package struct ExtensionDraft: Sendable {
    package let identifier: OID
    package let isCritical: Bool
    /// The content of extnValue.
    package let content: [UInt8]

    package init(_ identifier: OID, isCritical: Bool = false, _ content: [UInt8]) {
        (self.identifier, self.isCritical, self.content) = (identifier, isCritical, content)
    }

    fileprivate var der: [UInt8] {
        // DER leaves out what is FALSE by default.
        DERWriter.sequence(
            [DERWriter.objectIdentifier(identifier)] + (isCritical ? [DERWriter.boolean(true)] : [])
                + [DERWriter.octetString(content)])
    }
}

/// The key and the name of an issuer.
struct CertificateSigner: Sendable {
    let signer: any Signer
    /// The issuer's subject (DER).
    let name: [UInt8]

    init(_ signer: any Signer, name: [UInt8]) { (self.signer, self.name) = (signer, name) }
}
