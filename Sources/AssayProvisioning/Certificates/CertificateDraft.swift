import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySigning

/// A certificate of version 3 before it is signed (RFC 5280 §4.1).
package struct CertificateDraft: Sendable {
    /// Big-endian and unsigned.
    var serial: [UInt8]
    /// The key to be certified.
    var key: SubjectPublicKeyInfo
    var notBefore: Timestamp
    var notAfter: Timestamp
    var subject: SubjectName
    var extensions: CertificateExtensions

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
        // What is certified must be a key.
        guard (try? AssayCertificates.PublicKey(key)) != nil else { throw .impossible("the public key cannot be read") }
        let body = encoded(for: signer)
        let signature: [UInt8]
        do throws(SigningError) { signature = try await signer.signer.sign(body) } catch { throw AuthorityError(error) }
        do throws(Rejection) {
            _ = try DERReader.parse(signature[...], code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { parts throws(Rejection) in (try parts.integer(), try parts.integer()) }
            }
        } catch { throw .unavailable("the key's answer is no signature") }
        var certificate = DERBuffer(capacity: body.count + signature.count + 32)
        certificate.sequence {
            $0.append(body)
            $0.append(signer.algorithm)
            $0.bitString(signature)
        }
        guard certificate.octets.count <= AssayCertificates.Certificate.sizeLimit else {
            throw .impossible(
                "it would have \(certificate.octets.count) bytes, more than \(AssayCertificates.Certificate.sizeLimit)")
        }
        return certificate.octets
    }

    /// The TBSCertificate (DER).
    private func encoded(for signer: CertificateSigner) -> [UInt8] {
        var body = DERBuffer(capacity: 1024)
        body.sequence {
            $0.append(Self.version)
            $0.integer(unsigned: serial[...])
            $0.append(signer.algorithm)
            $0.append(signer.name)
            $0.sequence {
                $0.time(notBefore)
                $0.time(notAfter)
            }
            subject.write(to: &$0)
            $0.append(key.der)
            $0.context(3) { $0.sequence { $0.append(extensions.encoded.octets) } }
        }
        return body.octets
    }

    /// v3, which is the number 2.
    private static let version = DERWriter.context(0, [DERWriter.integer(2)])
}

/// The key and the name of an issuer, as they stand in each of its certificates.
struct CertificateSigner: Sendable {
    let signer: any Signer
    /// The AlgorithmIdentifier of its signatures (DER).
    let algorithm: [UInt8]
    /// The issuer's subject (DER).
    let name: [UInt8]

    init(_ signer: any Signer, name: [UInt8]) {
        (self.signer, algorithm, self.name) = (signer, signer.algorithm.signatureIdentifier, name)
    }
}

extension SubjectPublicKeyInfo {
    /// A key to be certified (DER). Throws `.impossible` for bytes that are none.
    init(certifying der: [UInt8]) throws(AuthorityError) {
        do throws(Rejection) { try self.init(der: der[...]) } catch { throw .impossible("the public key cannot be read") }
    }
}
