import AssayCertificates
import AssayCore
import AssayEncoding

/// The certificates in a token's header: `x5c` (RFC 7515 §4.1.6), in COSE `x5chain` (RFC 9360 §2). What stands behind the first is not read: the key
/// set decides which keys are believed.
struct HeaderCertificates {
    /// Those of a key of the configuration, and that of a key in memory.
    private static let limit = 9

    private let first: [UInt8]
    /// `header.x5c` or `header.x5chain`.
    private let place: String

    init(_ header: ClaimFields) throws(ResultFault) {
        place = header.place("x5c")
        guard header.has("x5c") else { throw ResultFault(.wrongType, place, "is missing") }
        let list = try header.list("x5c")
        guard list.count <= Self.limit else {
            throw ResultFault(.tooLarge, place, "\(list.count) certificates, limit \(Self.limit)")
        }
        guard case .string(let text)? = list.first, let der = Base64.standard.decode(utf8: text) else {
            throw ResultFault(.malformed, place, "is not a list of certificates in Base64")
        }
        first = der
    }

    /// Of a list, as tokens have it: there are always those of the certifying key too.
    init(_ header: ProtectedHeader) throws(ResultFault) {
        let place = "header.x5chain"
        guard let item = header[COSELabel.certificates] else { throw ResultFault(.wrongType, place, "is missing") }
        let list = try ResultFault.wrapping(place) { () throws(Rejection) in
            var list: [[UInt8]] = []
            try item.elements("it") { element throws(Rejection) in list.append(Array(try element.bytes("a certificate"))) }
            return list
        }
        guard list.count <= Self.limit else {
            throw ResultFault(.tooLarge, place, "\(list.count) certificates, limit \(Self.limit)")
        }
        guard let der = list.first, list.count > 1 else {
            throw ResultFault(.malformed, place, "is not a list of at least two certificates")
        }
        (first, self.place) = (der, place)
    }

    /// The key of the first certificate where it is in the key set; of the certificate nothing else is read.
    func publishedKey(in keys: JSONWebKeySet) throws(ResultFault) -> JSONWebKey? {
        let key = try ResultFault.wrapping(place) { () throws(Rejection) in try CertifiedKey.read(first) }
        return keys.contains(key) ? key : nil
    }

    /// The key of the first certificate, which a key of the set signed and nothing stands between: a key in the memory of the issuer that is expected.
    func certifiedKey(
        by keys: JSONWebKeySet, _ expected: ResultExpectation
    ) throws(ResultFault) -> (key: JSONWebKey, certifiedBy: JSONWebKey) {
        guard !keys.authorities.isEmpty else { throw ResultFault(.unknownKey, place, "certifies no key of the key set") }
        let certificate = try ResultFault.wrapping(place) { () throws(Rejection) in try Certificate(der: first[...]) }
        let authority = keys.authorities.first { authority in
            authority.certificate.subject == certificate.issuer && Self.signed(certificate, authority.certificate)
        }
        guard let authority else {
            throw ResultFault(.unknownKey, place, "is signed by no key of the key set that certifies others")
        }
        try checkUse(of: certificate, for: expected.issuer)
        try checkValidity(of: certificate, at: expected.now, tolerance: expected.tolerance)
        guard let key = JSONWebKey(subjectPublicKeyInfo: Array(certificate.publicKey.der)) else {
            throw ResultFault(.wrongCertificate, place, "has a key of a kind that signs no results")
        }
        return (key, authority.key)
    }

    private static func signed(_ certificate: Certificate, _ authority: Certificate) -> Bool {
        let signed: Void? = try? PublicKey(authority.publicKey).verify(
            certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
        return signed != nil
    }

    /// For digital signatures and no other certificates (RFC 5280 §4.2.1.3, §4.2.1.9), in the name of the issuer, for no other purpose, and critical in
    /// nothing else. A CA may certify more than keys in memory, such as servers and devices: theirs sign no results.
    private func checkUse(of certificate: Certificate, for issuer: String) throws(ResultFault) {
        if let unknown = certificate.unknownCriticalExtension {
            throw ResultFault(.wrongCertificate, place, "has the critical extension \(unknown), which is not understood")
        }
        let (constraints, usage) = try ResultFault.wrapping(place) { () throws(Rejection) in
            (try certificate.basicConstraints(), try certificate.keyUsage())
        }
        guard constraints?.isCA != true else { throw ResultFault(.wrongCertificate, place, "is that of a CA") }
        guard let usage, usage.contains(.digitalSignature), !usage.contains(.keyCertSign) else {
            throw ResultFault(.wrongCertificate, place, "is not for digital signatures alone")
        }
        let names = certificate.subject.values(of: .commonName)
        guard names.count == 1, let name = names.first, name.elementsEqual(issuer.utf8) else {
            throw ResultFault(.wrongCertificate, place, "is not in the name of \(issuer)")
        }
        guard certificate.value(of: .extendedKeyUsage) == nil else {
            throw ResultFault(.wrongCertificate, place, "is for another purpose (extended key usage)")
        }
    }

    private func checkValidity(
        of certificate: Certificate, at now: Timestamp, tolerance: Int64
    ) throws(ResultFault) {
        do throws(Rejection) { try certificate.validity.requireStarted(at: now, skew: tolerance) } catch {
            throw ResultFault(.notYetValid, place, error.detail)
        }
        do throws(Rejection) { try certificate.validity.requireNotEnded(at: now, skew: tolerance) } catch {
            throw ResultFault(.expired, place, error.detail)
        }
    }
}

extension Certificate {
    /// The first critical extension beside the basic constraints and the key usage.
    var unknownCriticalExtension: OID? {
        extensions.first { $0.isCritical && $0.oid != .basicConstraints && $0.oid != .keyUsage }?.oid
    }
}

extension OID {
    fileprivate static let commonName = OID(2, 5, 4, 3)
    fileprivate static let extendedKeyUsage = OID(2, 5, 29, 37)
}
