import AssayCore
import AssayEncoding
import Crypto

/// The signer of a CMS message and its signature (RFC 5652 §5.3). Issuer and serial number name the signer.
package struct SignerInfo: Sendable {
    /// DER of the issuer's name, compared as bytes.
    let issuer: ArraySlice<UInt8>
    /// The content of the INTEGER.
    let serialNumber: ArraySlice<UInt8>
    let digestAlgorithm: OID
    let signatureAlgorithm: SignatureAlgorithm
    let signedAttributes: SignedAttributes?
    let signature: ArraySlice<UInt8>

    private static let sha256 = OID(2, 16, 840, 1, 101, 3, 4, 2, 1)

    init(from reader: inout BERReader) throws(Rejection) {
        self = try reader.sequence { fields throws(Rejection) in try Self(fields: &fields) }
    }

    private init(fields: inout BERReader) throws(Rejection) {
        guard try fields.smallInteger() == 1 else { throw fields.rejection("a signer that is not named by its issuer") }
        (issuer, serialNumber) = try fields.sequence { name throws(Rejection) in
            let issuer = try name.element(.sequence).encoded
            return (issuer, try name.der(.integer) { reader throws(Rejection) in try reader.integer() })
        }
        let digest = try fields.der(.sequence) { reader throws(Rejection) in try AlgorithmIdentifier(from: &reader) }
        // RFC 5754 §2: parameters are absent or NULL.
        guard digest.algorithm == Self.sha256, digest.parameters.map({ $0.tag == .null }) ?? true else {
            throw Rejection(.unsupportedAlgorithm, "a digest other than SHA-256")
        }
        digestAlgorithm = digest.algorithm
        signedAttributes = try fields.optional(.context(0)).map { element throws(Rejection) in
            try SignedAttributes(element.encoded)
        }
        let algorithm = try fields.der(.sequence) { reader throws(Rejection) in try AlgorithmIdentifier(from: &reader) }
        signatureAlgorithm = SignatureAlgorithm(algorithm)
        signature = try fields.octetString()
        // Unsigned attributes are ignored.
        _ = try fields.optional(.context(1))
    }

    /// Whether this is the signer's certificate.
    package func names(_ certificate: Certificate) -> Bool {
        certificate.issuer.der.equals(issuer) && certificate.serialNumber.equals(serialNumber)
    }

    func verify(_ content: ArraySlice<UInt8>, by key: PublicKey) throws(Rejection) {
        guard signatureAlgorithm == .ecdsaWithSHA256 else {
            throw Rejection(.unsupportedAlgorithm, "signature algorithm \(signatureAlgorithm)")
        }
        guard let signedAttributes else { return try key.verify(signature, by: signatureAlgorithm, over: content) }
        guard content.withUnsafeBytes({ SHA256.hash(bytes: $0) }).elementsEqual(signedAttributes.messageDigest) else {
            throw Rejection(.badSignature, "the signed attributes are about other content")
        }
        try key.verify(signature, by: signatureAlgorithm, over: signedAttributes.signedBytes)
    }
}

/// The attributes that a signer signs in place of the content, among them the content's type and digest (RFC 5652 §5.3, §11).
struct SignedAttributes: Sendable {
    /// Attributes of one signer. Four were seen.
    static let limit = 16

    /// The attributes with the tag SET OF: only the first octet differs from the message (§5.4).
    let signedBytes: ArraySlice<UInt8>
    let messageDigest: ArraySlice<UInt8>

    private static let contentType = OID(1, 2, 840, 113_549, 1, 9, 3)
    private static let messageDigest = OID(1, 2, 840, 113_549, 1, 9, 4)

    /// - Parameter encoded: the element `[0]`, in DER, as the standard requires even inside BER.
    init(_ encoded: ArraySlice<UInt8>) throws(Rejection) {
        var type: OID?
        var digest: ArraySlice<UInt8>?
        try DERReader.parse(encoded, code: .malformedCMS) { outer throws(Rejection) in
            try outer.scope(.context(0)) { list throws(Rejection) in
                var count = 0
                while !list.isAtEnd {
                    count += 1
                    guard count <= Self.limit else { throw list.rejection("more than \(Self.limit) signed attributes") }
                    try list.sequence { attribute throws(Rejection) in
                        let name = try attribute.objectIdentifier()
                        let values = try attribute.element(.set).content
                        if name == Self.contentType {
                            guard type == nil else { throw attribute.rejection("two content types") }
                            type = try DERReader.parse(values, code: .malformedCMS) { value throws(Rejection) in
                                try value.objectIdentifier()
                            }
                        } else if name == Self.messageDigest {
                            guard digest == nil else { throw attribute.rejection("two digests") }
                            digest = try DERReader.parse(values, code: .malformedCMS) { value throws(Rejection) in
                                try value.octetString()
                            }
                        }
                    }
                }
            }
        }
        guard type == SignedData.data, let digest else {
            throw Rejection(.malformedCMS, "signed attributes without the content's type or digest")
        }
        messageDigest = digest
        signedBytes = ([0x31] + encoded.dropFirst())[...]
    }
}
