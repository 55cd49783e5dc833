package import AssayCore
import AssayEncoding

/// A CMS message with one signer (RFC 5652 §5), parsed and not yet verified. The message is BER; certificates and signed
/// attributes are DER.
///
///     ContentInfo { signedData, [0] SignedData {
///         version, digestAlgorithms, { data, [0] OCTET STRING }, [0] certificates, [1] crls OPTIONAL, { SignerInfo } } }
package struct SignedData: Sendable {
    /// Certificates in the message. Receipts have three.
    package static let certificateLimit = 8
    private static let usualCertificates = 3
    /// Digest algorithms that the message names before its content. Receipts name one.
    private static let digestLimit = 8

    /// The signed content: plain data (id-data), the octets of the OCTET STRING with its pieces joined.
    package let content: ArraySlice<UInt8>
    /// The only signer.
    package let signer: SignerInfo
    /// In the order of the message, which has no meaning.
    package let certificates: [Certificate]

    private static let signedData = OID(1, 2, 840, 113_549, 1, 7, 2)
    static let data = OID(1, 2, 840, 113_549, 1, 7, 1)

    /// Reads exactly one message with its content, its certificates and one signer. Throws `malformed_cms`, or
    /// `malformed_certificate` for a certificate that cannot be read.
    ///
    /// - Parameter links: the certificates that it has are not read again.
    package init(parsing bytes: ArraySlice<UInt8>, links: LinkCache? = nil) throws(Rejection) {
        do throws(Rejection) { try self.init(whole: bytes, links) } catch { throw error.locating(in: bytes, "the message") }
    }

    private init(whole bytes: ArraySlice<UInt8>, _ links: LinkCache?) throws(Rejection) {
        self = try BERReader.parse(bytes, code: .malformedCMS) { outer throws(Rejection) in
            try outer.sequence { message throws(Rejection) in
                guard try message.objectIdentifier() == Self.signedData else {
                    throw message.rejection("the message is not signed data")
                }
                return try message.scope(.context(0)) { wrapper throws(Rejection) in
                    try wrapper.sequence { fields throws(Rejection) in try Self(from: &fields, links) }
                }
            }
        }
    }

    private init(from fields: inout BERReader, _ links: LinkCache?) throws(Rejection) {
        // §5.1: version 1 for plain data and signers named by issuer and number, 3 for signers named by key identifier.
        let version = try fields.field("version") { field throws(Rejection) in try field.smallInteger() }
        guard [1, 3].contains(version) else { throw fields.rejection("signed data of version \(version), want 1 or 3") }
        let digests = try fields.field("digestAlgorithms") { field throws(Rejection) in
            try field.scope(.set) { digests throws(Rejection) in try Self.digestAlgorithms(&digests) }
        }
        content = try fields.field("encapContentInfo") { field throws(Rejection) in
            try field.sequence { encapsulated throws(Rejection) in
                guard try encapsulated.objectIdentifier() == Self.data else {
                    throw encapsulated.rejection("the content is not plain data")
                }
                return try encapsulated.scope(.context(0)) { wrapper throws(Rejection) in try wrapper.octetString() }
            }
        }
        guard let bag = try fields.optional(.context(0)) else { throw fields.rejection("no certificates") }
        certificates = try Self.certificates(bag.content, links)
        // Revocation lists in the message come from its sender and are never used.
        _ = try fields.optional(.context(1))
        signer = try fields.field("signerInfos") { field throws(Rejection) in
            try field.scope(.set) { signers throws(Rejection) in
                let signer = try SignerInfo(from: &signers)
                guard signers.isAtEnd else { throw signers.rejection("more than one signer") }
                return signer
            }
        }
        // §5.1: this list is not signed, and a verifier may refuse a signer whose digest is not in it.
        guard digests.contains(signer.digestAlgorithm) else {
            throw fields.rejection("the signer's digest is none of those that the message names")
        }
    }

    private static func digestAlgorithms(_ reader: inout BERReader) throws(Rejection) -> [OID] {
        var algorithms: [OID] = []
        while !reader.isAtEnd {
            guard algorithms.count < digestLimit else { throw reader.rejection("more than \(digestLimit) digest algorithms") }
            let algorithm = try reader.der(.sequence) { reader throws(Rejection) in try AlgorithmIdentifier(from: &reader) }
            algorithms.append(algorithm.algorithm)
        }
        return algorithms
    }

    private static func certificates(
        _ bag: ArraySlice<UInt8>, _ links: LinkCache?
    ) throws(Rejection) -> [Certificate] {
        var reader = BERReader(bag, code: .malformedCMS)
        var certificates: [Certificate] = []
        certificates.reserveCapacity(usualCertificates)
        while !reader.isAtEnd {
            guard certificates.count < certificateLimit else {
                throw reader.rejection("more than \(certificateLimit) certificates")
            }
            let index = certificates.count
            let certificate = try reader.field("certificate \(index)") { field throws(Rejection) in
                let der = try field.element(.sequence).encoded
                if let known = links?.certificate(der) { return known }
                return try Certificate(der: der)
            }
            certificates.append(certificate)
        }
        return certificates
    }
}

extension SignedData {
    /// The signer's certificate and those above it, by their names, including the root if the message has it. The certificates
    /// are not trusted; `ChainValidator` checks the list.
    ///
    /// - Parameter limit: the most certificates in the chain.
    package func signerChain(limit: Int) throws(Rejection) -> UnverifiedChain {
        guard var top = certificates.first(where: { signer.names($0) }) else {
            throw Rejection(.malformedCMS, "the signer's certificate is missing")
        }
        let leaf = top
        var authorities: [Certificate] = []
        while !top.isSelfIssued, authorities.count + 1 < limit,
            let issuer = certificates.first(where: { $0.subject == top.issuer })
        {
            authorities.append(issuer)
            top = issuer
        }
        return UnverifiedChain(leaf: leaf, authorities: authorities)
    }

    /// Verifies the signature over the content, or over the signed attributes if there are any: these then name the content's
    /// type and digest (§5.4). Throws `bad_signature` or `unsupported_algorithm`.
    package func verify(by key: PublicKey) throws(Rejection) { try signer.verify(content, by: key) }
}

extension BERReader {
    /// Elements that have the same encoding in BER and DER.
    mutating func der<T>(
        _ tag: DERTag, _ body: (inout DERReader) throws(Rejection) -> T
    ) throws(Rejection) -> T {
        try DERReader.parse(try element(tag).encoded, code: code, body)
    }

    mutating func objectIdentifier() throws(Rejection) -> OID {
        try der(.objectIdentifier) { reader throws(Rejection) in try reader.objectIdentifier() }
    }

    mutating func smallInteger() throws(Rejection) -> Int {
        try der(.integer) { reader throws(Rejection) in try reader.smallInteger() }
    }
}
