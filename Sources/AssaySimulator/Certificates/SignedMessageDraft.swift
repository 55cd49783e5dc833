public import AssayEncoding
import Crypto

/// A CMS message with its content (RFC 5652 §5) before encoding, in the form of Apple's receipts: indefinite lengths, the
/// content in pieces of 1000 bytes. Everything can be changed, to break it.
public struct SignedMessageDraft: Sendable {
    /// The content as sent. The signature was made before, over the content at that time.
    public var content: [UInt8]
    /// The length of the content's pieces, in bytes; `nil` writes it whole.
    public var pieceLength: Int? = 1000
    /// The encoding of the outer elements' lengths.
    public var length = DERWriter.Length.indefinite
    public var certificates: [[UInt8]]
    /// DER of the issuer's name, which identifies the signer.
    public var issuer: [UInt8]
    /// The signer's serial number, big-endian and unsigned.
    public var serial: [UInt8]
    /// The signed attributes as a DER SET; `nil` if the content itself is signed.
    public var signedAttributes: [UInt8]?
    public var digestAlgorithm = DERWriter.sequence([DERWriter.objectIdentifier(Name.sha256), [0x05, 0x00]])
    public var signatureAlgorithm = CertificateBuilder.Algorithm.ecdsaWithSHA256.der
    public var signature: [UInt8]
    /// The number of written signers, all equal.
    public var signers = 1

    /// Object identifiers in such messages.
    enum Name {
        static let signedData = "1.2.840.113549.1.7.2"
        static let data = "1.2.840.113549.1.7.1"
        static let contentType = "1.2.840.113549.1.9.3"
        static let messageDigest = "1.2.840.113549.1.9.4"
        static let sha256 = "2.16.840.1.101.3.4.2.1"
    }

    /// A message whose content `key` signs.
    init(
        content: [UInt8], certificates: [[UInt8]], issuer: [UInt8], serial: [UInt8], key: TestSigningKey
    ) throws(SimulatorError) {
        self.content = content
        self.certificates = certificates
        self.issuer = issuer
        self.serial = serial
        signature = try key.sign(content, hash: .sha256).der
    }

    /// Adds the signed attributes that describe the content, and signs them in its place.
    mutating func signAttributes(by key: TestSigningKey) throws(SimulatorError) {
        let attributes = Self.attributes(of: content)
        signedAttributes = attributes
        signature = try key.sign(attributes, hash: .sha256).der
    }

    /// The attributes that describe a content: its type and its digest, as a DER SET.
    public static func attributes(of content: [UInt8]) -> [UInt8] {
        DERWriter.set([
            attribute(Name.contentType, DERWriter.objectIdentifier(Name.data)),
            attribute(Name.messageDigest, DERWriter.octetString(Array(SHA256.hash(data: content)))),
        ])
    }

    private static func attribute(_ name: String, _ value: [UInt8]) -> [UInt8] {
        DERWriter.sequence([DERWriter.objectIdentifier(name), DERWriter.set([value])])
    }

    public var bytes: [UInt8] {
        let encapsulated = DERWriter.sequence(
            [DERWriter.objectIdentifier(Name.data), DERWriter.context(0, [contentString], length: length)], length: length)
        let signedData = DERWriter.sequence(
            [
                DERWriter.integer(1), DERWriter.set([digestAlgorithm]), encapsulated,
                DERWriter.context(0, certificates, length: length),
                DERWriter.set([[UInt8]](repeating: signerInfo, count: signers)),
            ], length: length)
        return DERWriter.sequence(
            [DERWriter.objectIdentifier(Name.signedData), DERWriter.context(0, [signedData], length: length)],
            length: length)
    }

    private var contentString: [UInt8] {
        guard let pieceLength, pieceLength > 0 else { return DERWriter.octetString(content) }
        let pieces = stride(from: 0, to: content.count, by: pieceLength).map {
            DERWriter.octetString(Array(content[$0..<min($0 + pieceLength, content.count)]))
        }
        return DERWriter.element([0x24], pieces.concatenated, length: length)
    }

    private var signerInfo: [UInt8] {
        // The attributes have the tag [0] in place of their SET's own tag.
        let attributes = signedAttributes.map { [[0xA0] + $0.dropFirst()] } ?? []
        return DERWriter.sequence(
            [DERWriter.integer(1), DERWriter.sequence([issuer, DERWriter.integer(unsigned: serial)]), digestAlgorithm]
                + attributes + [signatureAlgorithm, DERWriter.octetString(signature)])
    }
}
