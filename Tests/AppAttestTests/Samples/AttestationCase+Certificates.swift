import AssayCore
import AssayEncoding
import AssaySimulator

extension AttestationCase {
    /// Rows 18 to 20: the content of certificates.
    static let certificates: [AttestationCase] = [
        .init(
            18, "a leaf with an unknown critical extension", .malformedCertificate,
            .genuine.leaf { $0["1.3.6.1.4.1.99999.1"] = .init("1.3.6.1.4.1.99999.1", critical: true, [0x05, 0]) }),
        .init(
            18, "an intermediate with an unknown critical extension", .malformedCertificate,
            .genuine.intermediate { $0["1.3.6.1.4.1.99999.1"] = .init("1.3.6.1.4.1.99999.1", critical: true, [0x05, 0]) }),
        .init(
            18, "a leaf with an unknown extension that is not critical", nil,
            .genuine.leaf { $0["1.3.6.1.4.1.99999.1"] = .init("1.3.6.1.4.1.99999.1", [0x05, 0]) }),
        .init(
            18, "a leaf with two key usages", .malformedCertificate,
            .genuine.leaf { $0.extensions.append(.keyUsage([.digitalSignature])) }),
        .init(
            18, "basic constraints with bytes behind them", .malformedCertificate,
            .genuine.leaf { $0[ExtensionName.basicConstraints]?.value.append(0) }),
        .init(18, "extensions in another order", nil, .genuine.leaf { $0.extensions.reverse() }),
        .init(18, "a leaf of version 1 with extensions", .malformedCertificate, .genuine.leaf { $0.version = nil }),
        .init(18, "a leaf of version 2", .malformedCertificate, .genuine.leaf { $0.version = 1 }),
        .init(18, "an intermediate of version 4", .malformedCertificate, .genuine.intermediate { $0.version = 3 }),
        .init(18, "no extensions", .keyUsage, .genuine.leaf { $0.extensions = [] }),
        .init(19, "a key on P-384", .unsupportedKey, .genuine.leafKey(TestSigningKey(.p384).subjectPublicKeyInfo)),
        .init(19, "an RSA key", .unsupportedKey, .genuine.leafKey(OddKeys.rsa)),
        .init(
            19, "a compressed point", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: TestSigningKey(.p256).compressedPoint))),
        .init(
            19, "a hybrid point", .unsupportedKey,
            .genuine.leafKey(
                TestSigningKey.subjectPublicKeyInfo(.p256, point: [0x06] + Array(TestSigningKey(.p256).publicPoint.dropFirst()))
            )),
        .init(
            19, "the point at infinity", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: [0x00]))),
        .init(
            19, "a point at zero", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: [0x04] + [UInt8](repeating: 0, count: 64)))),
        .init(
            19, "a point that is not on the curve", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: OddKeys.offCurve))),
        .init(
            19, "coordinates beyond the field", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: [0x04] + [UInt8](repeating: 0xFF, count: 64)))),
        .init(
            19, "a point of P-384 under the name of P-256", .unsupportedKey,
            .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: TestSigningKey(.p384).publicPoint))),
        .init(
            19, "no point", .unsupportedKey, .genuine.leafKey(TestSigningKey.subjectPublicKeyInfo(.p256, point: []))),
        .init(19, "bytes behind the key", .malformedCertificate, .genuine.leafKey(OddKeys.trailing)),
        .init(19, "a key of seven bits", .malformedCertificate, .genuine.leafKey(OddKeys.unusedBits)),
        .init(19, "a curve written out", .unsupportedKey, .genuine.leafKey(OddKeys.explicitCurve)),
        .init(19, "a key without a curve", .unsupportedKey, .genuine.leafKey(OddKeys.noCurve)),
        .init(
            19, "an intermediate with a point that is not on its curve", .unsupportedKey,
            .genuine.intermediate {
                $0.subjectPublicKeyInfo = TestSigningKey.subjectPublicKeyInfo(
                    .p384, point: [0x04] + [UInt8](repeating: 1, count: 96))
            }),
        .init(
            19, "an intermediate on P-256", nil,
            .genuine.intermediate { $0.subjectPublicKeyInfo = Forger.key.subjectPublicKeyInfo }.leafSigner(Forger.key)),
        .init(
            19, "a signature algorithm with SHA-512", .unsupportedAlgorithm,
            .genuine.leaf { $0.algorithm = .named(OddKeys.algorithm("1.2.840.10045.4.3.4"), .sha256) }),
        .init(
            19, "a signature algorithm with SHA-1", .unsupportedAlgorithm,
            .genuine.leaf { $0.algorithm = .named(OddKeys.algorithm("1.2.840.10045.4.1"), .sha256) }),
        .init(
            19, "the signature algorithm of RSA", .unsupportedAlgorithm,
            .genuine.leaf { $0.algorithm = .named(OddKeys.algorithm("1.2.840.113549.1.1.11"), .sha256) }),
        .init(
            19, "a signature algorithm with NULL for parameters", .unsupportedAlgorithm,
            .genuine.leaf { $0.algorithm = .named(OddKeys.algorithm("1.2.840.10045.4.3.2", [0x05, 0x00]), .sha256) }),
        .init(
            19, "another algorithm outside than inside", .malformedCertificate,
            .genuine.leaf { $0.outerAlgorithm = .ecdsaWithSHA384 }),
        .init(19, "a leaf signed with SHA-384", nil, .genuine.leaf { $0.algorithm = .ecdsaWithSHA384 }),
        .init(20, "a byte behind the leaf", .malformedCertificate, .genuine.leafBytes { $0.append(0) }),
        .init(20, "a leaf that is cut", .malformedCertificate, .genuine.leafBytes { $0.removeLast() }),
        .init(20, "a leaf that is empty", .malformedCertificate, .genuine.leafBytes { $0 = [] }),
        .init(
            20, "a leaf of BER", .malformedCertificate, .genuine.leafBytes { $0 = [0x30, 0x80] + $0.dropFirst(4) + [0, 0] }),
        .init(
            20, "a length with an octet too many", .malformedCertificate,
            .genuine.leafBytes { $0 = [0x30, 0x83, 0x00] + $0.dropFirst(2) }),
        .init(20, "a byte behind the intermediate", .malformedCertificate, .genuine.chain { $0[1].append(0) }),
        .init(
            20, "a serial number of 21 octets", .malformedCertificate,
            .genuine.leaf { $0.serial = [UInt8](repeating: 1, count: 21) }),
        .init(20, "a serial number of 20 octets", nil, .genuine.leaf { $0.serial = [UInt8](repeating: 0xFF, count: 20) }),
        .init(20, "a signature's bit flipped", .badSignature, .genuine.leafBytes { $0[$0.count - 1] ^= 1 }),
    ]
}

extension AttestationChanges {
    /// Another SubjectPublicKeyInfo in the leaf.
    func leafKey(_ info: [UInt8]) -> Self { leaf { $0.subjectPublicKeyInfo = info } }
}

/// SubjectPublicKeyInfo and AlgorithmIdentifier of structures that a leaf must not have.
enum OddKeys {
    private static let (ec, p256) = ("1.2.840.10045.2.1", "1.2.840.10045.3.1.7")
    private static let point = TestSigningKey(.p256).publicPoint

    static let offCurve = Array(point.dropLast()) + [(point.last ?? 0) ^ 1]

    static func algorithm(_ name: String, _ parameters: [UInt8] = []) -> [UInt8] {
        DERWriter.sequence([DERWriter.objectIdentifier(name), parameters])
    }

    private static func key(_ algorithm: [UInt8], _ bits: [UInt8]) -> [UInt8] { DERWriter.sequence([algorithm, bits]) }

    static let rsa = key(
        algorithm("1.2.840.113549.1.1.1", [0x05, 0x00]),
        DERWriter.bitString(
            DERWriter.sequence([DERWriter.integer(unsigned: [UInt8](repeating: 0xC5, count: 256)), DERWriter.integer(65_537)])))
    static let trailing = key(
        algorithm(ec, DERWriter.objectIdentifier(p256)), DERWriter.bitString(point) + DERWriter.boolean(true))
    static let unusedBits = key(
        algorithm(ec, DERWriter.objectIdentifier(p256)), DERWriter.bitString(point, unusedBits: 1))
    static let explicitCurve = key(algorithm(ec, DERWriter.sequence([DERWriter.integer(1)])), DERWriter.bitString(point))
    static let noCurve = key(algorithm(ec), DERWriter.bitString(point))
}
