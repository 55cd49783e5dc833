import AssayCertificates
package import AssayCore
import AssayEncoding
import SwiftASN1
import X509

/// A certification request (PKCS#10, RFC 2986) whose signature proves possession of the private key. Nothing but its key is used: names,
/// attributes and extensions that it asks for are ignored.
package struct CertificateRequest: Sendable {
    /// The longest request that is read, in bytes.
    package static let sizeLimit = 16 * 1024

    /// SubjectPublicKeyInfo (DER) of a P-256 or P-384 key.
    package let publicKey: [UInt8]

    /// Reads exactly one request in DER. Throws `malformed_csr`, `unsupported_key` or `possession_not_proven`.
    package init(der: [UInt8]) throws(Rejection) {
        guard der.count <= Self.sizeLimit else {
            throw Rejection(.malformedCSR, "a request of \(der.count) bytes, at most \(Self.sizeLimit) are read")
        }
        let parts = try RequestParts(der)
        let key = try CertifiableKey(parts.publicKey, code: .malformedCSR)
        let request: CertificateSigningRequest
        do {
            request = try CertificateSigningRequest(derEncoded: der)
        } catch let error as CertificateError where error.code == .unsupportedSignatureAlgorithm {
            throw Rejection(.possessionNotProven, "the request's signature algorithm is not supported")
        } catch {
            throw Rejection(.malformedCSR, "not a certification request of RFC 2986")
        }
        // Two readers must see one key.
        guard request.publicKey.subjectPublicKeyInfoBytes.elementsEqual(key.point) else {
            throw Rejection(.malformedCSR, "not a certification request of RFC 2986")
        }
        // Over the bytes as they came.
        guard request.publicKey.isValidSignature(request.signature, for: request) else {
            throw Rejection(.possessionNotProven, "the request is not signed by the key in it")
        }
        publicKey = key.der
    }
}

/// A key that may stand in a certificate: an uncompressed point on P-256 or P-384.
struct CertifiableKey {
    /// SubjectPublicKeyInfo.
    let der: [UInt8]
    /// The X9.62 point.
    let point: ArraySlice<UInt8>

    /// - Parameter code: for bytes that are no SubjectPublicKeyInfo. Other keys throw `unsupported_key`.
    init(_ der: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) {
        let info = try SubjectPublicKeyInfo(der: der, code: code)
        guard AuthorityAlgorithm(info.algorithm) != nil else {
            throw Rejection(.unsupportedKey, "a public key of kind \(info.algorithm); want P-256 or P-384")
        }
        _ = try AssayCertificates.PublicKey(info)
        (self.der, point) = (Array(info.der), info.keyBytes)
    }
}

/// The structure of a request, read as strict DER (RFC 2986 §4).
private struct RequestParts {
    let publicKey: ArraySlice<UInt8>

    init(_ der: [UInt8]) throws(Rejection) {
        publicKey = try DERReader.parse(der[...], code: .malformedCSR) { outer throws(Rejection) in
            try outer.sequence { request throws(Rejection) in
                let key = try request.sequence { info throws(Rejection) in
                    guard try info.smallInteger() == 0 else { throw info.rejection("a request of another version than 1") }
                    _ = try info.element(.sequence)
                    let key = try info.element(.sequence).encoded
                    _ = try info.element(.context(0))
                    return key
                }
                _ = try request.element(.sequence)
                _ = try request.bitString()
                return key
            }
        }
    }
}
