package import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySigning
import SwiftASN1
import X509

/// The certificates of a CA, from its own up to a self-signed root: only a chain that checks out can be made (RFC 5280 §6.1, without the
/// present time, since a CA that has ended is shown too).
package struct AuthorityChain: Sendable {
    /// Certificates of a chain. Two are usual.
    package static let limit = 8

    /// The issuer first.
    package let certificates: [AssayCertificates.Certificate]
    /// The CA's own certificate.
    package let issuer: AssayCertificates.Certificate
    /// When all certificates of the chain are valid.
    package let validity: Validity
    /// Of the CA's key: what certificates below it have as authorityKeyIdentifier.
    package let keyIdentifier: [UInt8]

    /// DER, the issuer first.
    package let encoded: [[UInt8]]

    /// Throws a sentence about the first thing that is wrong.
    package init(_ list: [[UInt8]]) throws(AuthorityChainError) {
        guard let first = list.first, list.count <= Self.limit else {
            throw AuthorityChainError("\(list.count) certificates, want 1 to \(Self.limit)")
        }
        let issuer = try Self.certificate(first)
        var certificates = [issuer]
        for der in list.dropFirst() { certificates.append(try Self.certificate(der)) }
        try Self.checkIssuer(issuer)
        try Self.checkAuthorities(certificates)
        guard let root = certificates.last, root.isSelfIssued else {
            throw AuthorityChainError("the chain does not end with a self-signed root certificate")
        }
        try Self.checkSignature(of: root, by: root)
        (self.certificates, self.issuer, encoded) = (certificates, issuer, list)
        validity = try Self.commonValidity(of: certificates)
        keyIdentifier = try Self.keyIdentifier(of: issuer)
    }

    /// What the certificates of any chain of CAs are, the issuer first, be its top a root or not.
    static func checkAuthorities(_ certificates: [AssayCertificates.Certificate]) throws(AuthorityChainError) {
        for (place, certificate) in certificates.enumerated() { try checkAuthority(certificate, certificates, place) }
        for (below, above) in zip(certificates, certificates.dropFirst()) {
            guard below.issuer == above.subject else {
                throw AuthorityChainError("the issuer of \"\(below.subject)\" is not the next certificate's subject")
            }
            try checkSignature(of: below, by: above)
        }
    }

    /// When all of the certificates are valid.
    static func commonValidity(of certificates: [AssayCertificates.Certificate]) throws(AuthorityChainError) -> Validity {
        let notBefore = certificates.map(\.validity.notBefore).max() ?? .distantPast
        let notAfter = certificates.map(\.validity.notAfter).min() ?? .distantFuture
        guard notBefore < notAfter else { throw AuthorityChainError("the certificates of the chain are at no time all valid") }
        return Validity(notBefore: notBefore, notAfter: notAfter)
    }

    /// Of a CA's key: what certificates below it have as authorityKeyIdentifier.
    static func keyIdentifier(of issuer: AssayCertificates.Certificate) throws(AuthorityChainError) -> [UInt8] {
        try subjectKeyIdentifier(of: issuer) ?? issuer.publicKey.keyIdentifier
    }

    private static func certificate(_ der: [UInt8]) throws(AuthorityChainError) -> AssayCertificates.Certificate {
        do throws(Rejection) { return try AssayCertificates.Certificate(der: der[...]) } catch {
            throw AuthorityChainError("a certificate cannot be read: \(error.detail)")
        }
    }

    /// What the CA itself needs, beside what all CAs need.
    private static func checkIssuer(_ issuer: AssayCertificates.Certificate) throws(AuthorityChainError) {
        guard let usage = try reading(issuer, { certificate throws(Rejection) in try certificate.keyUsage() }),
            usage.isSuperset(of: [.keyCertSign, .cRLSign])
        else { throw AuthorityChainError("\"\(issuer.subject)\" lacks the key usage keyCertSign or cRLSign") }
        guard SigningAlgorithm(issuer.publicKey.algorithm) != nil else {
            throw AuthorityChainError("the key of \"\(issuer.subject)\" is neither P-256 nor P-384")
        }
        // The issuer of a certificate is compared as bytes, so the name must survive being written again.
        guard let name = try? X509.DistinguishedName(derEncoded: DER.parse(issuer.subject.der)), !name.isEmpty else {
            throw AuthorityChainError("its first certificate has no subject that can be read")
        }
        var serializer = DER.Serializer()
        guard (try? name.serialize(into: &serializer)) != nil, serializer.serializedBytes.elementsEqual(issuer.subject.der)
        else {
            throw AuthorityChainError("the subject of \"\(issuer.subject)\" cannot be written as it is")
        }
    }

    private static func checkAuthority(
        _ certificate: AssayCertificates.Certificate, _ chain: [AssayCertificates.Certificate], _ place: Int
    ) throws(AuthorityChainError) {
        let name = "\"\(certificate.subject)\""
        let known: Set<OID> = [.basicConstraints, .keyUsage]
        if let unknown = certificate.extensions.first(where: { $0.isCritical && !known.contains($0.oid) }) {
            throw AuthorityChainError("\(name) has the critical extension \(unknown.oid), which is not understood")
        }
        let constraints = try reading(certificate) { certificate throws(Rejection) in try certificate.basicConstraints() }
        guard let constraints, constraints.isCA else { throw AuthorityChainError("\(name) is not a CA: no CA:TRUE") }
        let below = chain[..<place].count { !$0.isSelfIssued }
        guard constraints.pathLength.map({ below <= $0 }) ?? true else {
            throw AuthorityChainError("\(name) allows fewer CAs below it than the chain has")
        }
        let usage = try reading(certificate) { certificate throws(Rejection) in try certificate.keyUsage() }
        guard usage?.contains(.keyCertSign) ?? (place > 0 && certificate.isSelfIssued) else {
            throw AuthorityChainError("\(name) lacks the key usage keyCertSign")
        }
        guard certificate.validity.notBefore < certificate.validity.notAfter else {
            throw AuthorityChainError("\(name) ends before it begins")
        }
    }

    private static func checkSignature(
        of certificate: AssayCertificates.Certificate, by authority: AssayCertificates.Certificate
    ) throws(AuthorityChainError) {
        if let wanted = try authorityKeyIdentifier(of: certificate), let key = try subjectKeyIdentifier(of: authority),
            wanted != key
        {
            throw AuthorityChainError(
                "the authority key identifier of \"\(certificate.subject)\" is not that of \"\(authority.subject)\"")
        }
        do throws(Rejection) {
            try AssayCertificates.PublicKey(authority.publicKey).verify(
                certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
        } catch {
            throw AuthorityChainError(
                "the signature on \"\(certificate.subject)\" is not that of \"\(authority.subject)\": \(error.detail)")
        }
    }

    private static func subjectKeyIdentifier(
        of certificate: AssayCertificates.Certificate
    ) throws(AuthorityChainError) -> [UInt8]? {
        guard let value = certificate.value(of: OID(2, 5, 29, 14)) else { return nil }
        return try reading(certificate) { _ throws(Rejection) in
            try DERReader.parse(value, code: .malformedCertificate) { reader throws(Rejection) in
                Array(try reader.octetString())
            }
        }
    }

    /// `nil` if the extension, or the key identifier in it, is absent.
    private static func authorityKeyIdentifier(
        of certificate: AssayCertificates.Certificate
    ) throws(AuthorityChainError) -> [UInt8]? {
        guard let value = certificate.value(of: OID(2, 5, 29, 35)) else { return nil }
        return try reading(certificate) { _ throws(Rejection) in
            try DERReader.parse(value, code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { fields throws(Rejection) in
                    let identifier = try fields.optional(.implicit(0)).map { Array($0.content) }
                    while !fields.isAtEnd { _ = try fields.element() }
                    return identifier
                }
            }
        }
    }

    private static func reading<T>(
        _ certificate: AssayCertificates.Certificate, _ read: (AssayCertificates.Certificate) throws(Rejection) -> T
    ) throws(AuthorityChainError) -> T {
        do throws(Rejection) { return try read(certificate) } catch {
            throw AuthorityChainError("an extension of \"\(certificate.subject)\" cannot be read: \(error.detail)")
        }
    }
}

/// Why certificates are no chain of a CA.
package struct AuthorityChainError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
