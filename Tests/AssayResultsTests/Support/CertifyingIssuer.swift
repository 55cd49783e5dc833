import AssayCore
import AssayEncoding
import AssaySigning
import AssaySimulator

@testable import AssayResults

/// An issuer whose published key certifies keys in memory, and what can be wrong with what it certifies.
struct CertifyingIssuer {
    static let name = CertificateBuilder.Name(commonName: "Results of an issuer")

    let authority: TestSigningKey
    /// That of `authority`.
    let certificate: [UInt8]
    /// The published key.
    let key: ResultKey

    init(curve: TestSigningKey.Curve = .p256, _ change: (inout CertificateBuilder) -> Void = { _ in }) throws {
        authority = TestSigningKey(curve)
        let identifier =
            switch curve {
            case .p256: "1.2.840.10045.3.1.7"
            case .p384: "1.3.132.0.34"
            }
        var builder = Self.certificate(of: authority.subjectPublicKeyInfo, named: Self.name)
        builder.extensions = [.basicConstraints(ca: true, pathLength: 0), .keyUsage([.keyCertSign, .digitalSignature])]
        change(&builder)
        certificate = try builder.signed(by: authority)
        let signer = FileSigner(
            try SigningKey(
                sec1: DERWriter.sequence([
                    DERWriter.integer(1), DERWriter.octetString(authority.scalar),
                    DERWriter.context(0, [DERWriter.objectIdentifier(identifier)]),
                ])))
        // Tests make the certificates themselves.
        let certification = ResultKeyCertification(lifetime: 86_400_000) { (_, _) throws(SigningError) in
            throw SigningError("nothing is certified")
        }
        key = try found(
            ResultKey(
                signer, issuer: ResultIssuer(.devices, address: Sample.issuer), certificates: [certificate],
                certification: certification), "a key that has a JWK")
    }

    /// A key in memory, with a certificate that is as it has to be but for what is changed.
    ///
    /// - Parameter other: signs the certificate in place of the published key.
    func shortLived(
        _ algorithm: SigningAlgorithm = .p256, by other: TestSigningKey? = nil,
        _ change: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> ResultKey {
        let signer = FileSigner(SigningKey.random(algorithm))
        var builder = Self.certificate(of: signer.publicKey, named: CertificateBuilder.Name(commonName: Sample.issuer))
        builder.extensions = [.basicConstraints(ca: false), .keyUsage(.digitalSignature)]
        change(&builder)
        let certificate = ShortLivedCertificate(
            der: try builder.signed(by: other ?? authority), issuedAt: Sample.now,
            notBefore: Sample.now.adding(milliseconds: -300_000), notAfter: Sample.now.adding(milliseconds: 86_400_000))
        return try found(ResultKey(signer, of: key, by: certificate), "a key that has a JWK")
    }

    private static func certificate(of publicKey: [UInt8], named subject: CertificateBuilder.Name) -> CertificateBuilder {
        CertificateBuilder(
            serial: [1, 2, 3], algorithm: .ecdsaWithSHA256, issuer: name,
            notBefore: Sample.now.adding(milliseconds: -300_000), notAfter: Sample.now.adding(milliseconds: 86_400_000),
            subject: subject, subjectPublicKeyInfo: publicKey, extensions: [])
    }

    /// The published key set.
    ///
    /// - Parameter chain: `x5c` of the key; that of its certificate by default.
    func keySet(_ chain: [[UInt8]]? = nil) throws -> JSONWebKeySet {
        let published = PublishedResultKey(key.published, publishedAt: Sample.decidedAt, signsFrom: Sample.decidedAt)
        let set = ResultKeySet([published], of: .devices, ResultKeyRule())
        return try JSONWebKeySet(
            parsing: set.webKeySet(at: Sample.now, certificates: [key.identifier: chain ?? [certificate]]))
    }
}
