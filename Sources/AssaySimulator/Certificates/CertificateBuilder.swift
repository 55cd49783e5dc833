public import AssayCore
import AssayEncoding

/// An X.509 certificate before it is signed. Everything can be changed, to break it.
///
/// Inconsistent values are written too: a version that does not match the extensions, two extensions of one name, a serial
/// number with wrong octets. For what fields cannot express, change the bytes of `signed(by:)` or of a part.
public struct CertificateBuilder: Sendable {
    /// One extension. `value` is the DER inside the OCTET STRING.
    public struct Extension: Hashable, Sendable {
        public var identifier: String
        public var critical: Bool
        public var value: [UInt8]
        /// The octet of a true "critical". DER requires 0xFF; some devices write 0x01.
        public var criticalOctet: UInt8 = 0xFF

        public init(_ identifier: String, critical: Bool = false, _ value: [UInt8]) {
            (self.identifier, self.critical, self.value) = (identifier, critical, value)
        }

        var der: [UInt8] {
            DERWriter.sequence(
                [DERWriter.objectIdentifier(identifier)] + (critical ? [DERWriter.boolean(octet: criticalOctet)] : [])
                    + [DERWriter.octetString(value)])
        }
    }

    /// A distinguished name: attribute types and UTF-8 texts, one per set, in order.
    public struct Name: Hashable, Sendable {
        public struct Attribute: Hashable, Sendable {
            public var identifier: String
            public var text: String
            public init(_ identifier: String, _ text: String) { (self.identifier, self.text) = (identifier, text) }
        }

        public var attributes: [Attribute]

        public init(commonName: String? = nil, unit: String? = nil, organization: String? = nil, state: String? = nil) {
            attributes = [("2.5.4.3", commonName), ("2.5.4.11", unit), ("2.5.4.10", organization), ("2.5.4.8", state)]
                .compactMap { identifier, text in text.map { Attribute(identifier, $0) } }
        }

        public init(_ attributes: [Attribute]) { self.attributes = attributes }

        public var der: [UInt8] {
            DERWriter.sequence(
                attributes.map {
                    DERWriter.set([
                        DERWriter.sequence([DERWriter.objectIdentifier($0.identifier), DERWriter.utf8String($0.text)])
                    ])
                })
        }
    }

    /// The certificate's algorithm identifier, and the hash of the signature.
    public enum Algorithm: Hashable, Sendable {
        case ecdsaWithSHA256
        case ecdsaWithSHA384
        case rsaWithSHA256
        /// A DER AlgorithmIdentifier, unchanged, over a signature with this hash.
        case named([UInt8], TestSigningKey.Hash)

        public var der: [UInt8] {
            switch self {
            case .ecdsaWithSHA256: DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2")])
            case .ecdsaWithSHA384: DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.3")])
            case .rsaWithSHA256: DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113549.1.1.11"), DERWriter.null])
            case .named(let der, _): der
            }
        }

        var hash: TestSigningKey.Hash {
            switch self {
            case .ecdsaWithSHA256, .rsaWithSHA256: .sha256
            case .ecdsaWithSHA384: .sha384
            case .named(_, let hash): hash
            }
        }
    }

    /// The number in the version field, 2 for v3; `nil` omits the field, which means v1.
    public var version: UInt64? = 2
    /// The number, big-endian and unsigned.
    public var serial: [UInt8]
    public var algorithm: Algorithm
    /// The algorithm outside the signed part, if it should differ from the one inside.
    public var outerAlgorithm: Algorithm?
    public var issuer: Name
    public var notBefore: Timestamp
    public var notAfter: Timestamp
    /// The two times as DER, one after the other, for values that the fields cannot express.
    public var times: [UInt8]?
    public var subject: Name
    public var subjectPublicKeyInfo: [UInt8]
    /// In writing order. Duplicates are written. Without extensions the field is omitted.
    public var extensions: [Extension]

    public init(
        serial: [UInt8], algorithm: Algorithm, issuer: Name, notBefore: Timestamp, notAfter: Timestamp, subject: Name,
        subjectPublicKeyInfo: [UInt8], extensions: [Extension]
    ) {
        self.serial = serial
        self.algorithm = algorithm
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subject = subject
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.extensions = extensions
    }

    /// The first extension with this name. Setting replaces it in place or appends; `nil` removes it.
    public subscript(identifier: String) -> Extension? {
        get { extensions.first { $0.identifier == identifier } }
        set {
            let index = extensions.firstIndex { $0.identifier == identifier }
            switch (index, newValue) {
            case (let index?, let value?): extensions[index] = value
            case (let index?, nil): extensions.remove(at: index)
            case (nil, let value?): extensions.append(value)
            case (nil, nil): break
            }
        }
    }

    /// The part that is signed.
    public var toBeSigned: [UInt8] {
        var parts: [[UInt8]] = []
        if let version { parts.append(DERWriter.context(0, [DERWriter.integer(version)])) }
        parts += [
            DERWriter.integer(unsigned: serial), algorithm.der, issuer.der,
            DERWriter.sequence([times ?? DERWriter.time(notBefore) + DERWriter.time(notAfter)]), subject.der,
            subjectPublicKeyInfo,
        ]
        if !extensions.isEmpty { parts.append(DERWriter.context(3, [DERWriter.sequence(extensions.map(\.der))])) }
        return DERWriter.sequence(parts)
    }

    /// The certificate in DER.
    public func signed(by key: TestSigningKey) throws(SimulatorError) -> [UInt8] { try signed(by: TestKey(key)) }

    /// The certificate in DER, signed by a key of any kind. The algorithm identifier only chooses the hash.
    public func signed(by key: TestKey) throws(SimulatorError) -> [UInt8] {
        let toBeSigned = toBeSigned
        let outer = outerAlgorithm ?? algorithm
        let signature = try key.sign(certificate: toBeSigned, hash: outer.hash)
        return DERWriter.sequence([toBeSigned, outer.der, DERWriter.bitString(signature)])
    }
}
