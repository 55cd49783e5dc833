import AssayCertificates
package import AssayCore
import AssayEncoding
import Foundation
import SwiftASN1
import X509

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
        let der: [UInt8]
        do {
            let certificate = try await X509.Certificate(
                version: .v3, serialNumber: .init(bytes: serial),
                publicKey: X509.Certificate.PublicKey(derEncoded: publicKey),
                notValidBefore: Date(wholeSecondOf: notBefore), notValidAfter: Date(wholeSecondOf: notAfter),
                issuer: signer.name, subject: try subject.name,
                signatureAlgorithm: signer.key.defaultSignatureAlgorithm,
                extensions: X509.Certificate.Extensions(try extensions.map { try $0.value }),
                issuerAsyncPrivateKey: .init(signer.key))
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            der = serializer.serializedBytes
        } catch let error as AuthorityError {
            throw error
        } catch {
            throw .impossible("a field has no encoding")
        }
        guard der.count <= AssayCertificates.Certificate.sizeLimit else {
            throw .impossible("it would have \(der.count) bytes, more than \(AssayCertificates.Certificate.sizeLimit)")
        }
        return der
    }
}

/// An extension, its value in DER unless its specification has other bytes.
package struct ExtensionDraft: Sendable {
    /// Dotted.
    package let identifier: ObjectIdentifier
    package let isCritical: Bool
    /// The content of extnValue.
    package let content: [UInt8]

    package init(_ identifier: ObjectIdentifier, isCritical: Bool = false, _ content: [UInt8]) {
        (self.identifier, self.isCritical, self.content) = (identifier, isCritical, content)
    }

    fileprivate var value: X509.Certificate.Extension {
        get throws {
            X509.Certificate.Extension(
                oid: try ASN1ObjectIdentifier(elements: identifier.arcs), critical: isCritical, value: content[...])
        }
    }
}

extension Date {
    /// Milliseconds are cut off.
    fileprivate init(wholeSecondOf time: Timestamp) {
        self.init(timeIntervalSince1970: (Double(time.unixMilliseconds) / 1000).rounded(.down))
    }
}

/// The key and the name of an issuer, parsed once for all its certificates.
struct CertificateSigner: Sendable {
    let key: SignerKey
    let name: X509.DistinguishedName

    /// - Parameter name: the issuer's subject (DER).
    init(_ signer: any AuthoritySigner, name: [UInt8]) throws(AuthorityError) {
        do {
            key = try SignerKey(signer)
            self.name = try X509.DistinguishedName(derEncoded: DER.parse(name))
        } catch {
            throw .impossible("the issuer's key or name cannot be read")
        }
    }
}

/// A signer as swift-certificates takes keys.
struct SignerKey: CustomPrivateKey {
    private let signer: any AuthoritySigner
    let publicKey: X509.Certificate.PublicKey

    init(_ signer: any AuthoritySigner) throws {
        self.signer = signer
        publicKey = try X509.Certificate.PublicKey(derEncoded: signer.publicKey)
    }

    var defaultSignatureAlgorithm: X509.Certificate.SignatureAlgorithm { signer.algorithm.certificateAlgorithm }
    var supportedSignatureAlgorithms: [X509.Certificate.SignatureAlgorithm] { [defaultSignatureAlgorithm] }

    func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: X509.Certificate.SignatureAlgorithm
    ) throws -> X509.Certificate.Signature {
        throw AuthorityError.unavailable("the key signs asynchronously only")
    }

    func signAsynchronously(
        bytes: some DataProtocol & Sendable, signatureAlgorithm: X509.Certificate.SignatureAlgorithm
    ) async throws -> X509.Certificate.Signature {
        let signature = try await signer.sign(Array(bytes))
        do {
            return try X509.Certificate.Signature(
                signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature[...]))
        } catch {
            throw AuthorityError.unavailable("the key's answer is no signature")
        }
    }

    // A private key in a token cannot be written, so none is.
    static var defaultPEMDiscriminator: String { "PRIVATE KEY" }
    func serialize(into coder: inout DER.Serializer) throws {
        throw AuthorityError.unavailable("the key does not leave its signer")
    }

    static func == (a: SignerKey, b: SignerKey) -> Bool { a.publicKey == b.publicKey }
    func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}

extension AuthorityAlgorithm {
    var certificateAlgorithm: X509.Certificate.SignatureAlgorithm {
        switch self {
        case .p256: .ecdsaWithSHA256
        case .p384: .ecdsaWithSHA384
        }
    }
}
