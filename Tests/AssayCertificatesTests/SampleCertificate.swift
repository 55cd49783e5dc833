import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto
import CryptoExtras

/// Handwritten DER, as much as tests' certificates need.
enum SampleDER {
    static func element(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : (count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)])
        return tag + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element([0x30], parts.flatMap { $0 }) }
    static func integer(_ bytes: [UInt8]) -> [UInt8] { element([0x02], bytes) }
    static func oid(_ oid: OID) -> [UInt8] { element([0x06], Array(oid.content)) }
    static func bitString(_ bytes: [UInt8]) -> [UInt8] { element([0x03], [0] + bytes) }
    static func octetString(_ bytes: [UInt8]) -> [UInt8] { element([0x04], bytes) }
    static func utcTime(_ text: String) -> [UInt8] { element([0x17], Array(text.utf8)) }
    static func name(_ commonName: String) -> [UInt8] {
        sequence(element([0x31], sequence(oid(OID(2, 5, 4, 3)), element([0x0C], Array(commonName.utf8)))))
    }
}

/// A key pair on one of the two curves, or of RSA.
enum TestKey {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    static func rsa(bits: Int) throws -> TestKey {
        .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: bits)))
    }

    static func p256() -> TestKey { .p256(P256.Signing.PrivateKey()) }
    static func p384() -> TestKey { .p384(P384.Signing.PrivateKey()) }

    var info: [UInt8] {
        switch self {
        case .p256(let key): Array(key.publicKey.derRepresentation)
        case .p384(let key): Array(key.publicKey.derRepresentation)
        case .rsa(let key): Array(key.publicKey.derRepresentation)
        }
    }

    /// The algorithm identifier of a signature by `sign`.
    func algorithm(sha384: Bool) -> [UInt8] {
        if case .rsa = self {
            return SampleDER.sequence(SampleDER.oid(OID(1, 2, 840, 113_549, 1, 1, sha384 ? 12 : 11)), [0x05, 0x00])
        }
        return SampleDER.sequence(SampleDER.oid(OID(1, 2, 840, 10045, 4, 3, sha384 ? 3 : 2)))
    }

    func sign(_ message: [UInt8], sha384: Bool) throws -> [UInt8] {
        switch (self, sha384) {
        case (.p256(let key), false): Array(try key.signature(for: SHA256.hash(data: message)).derRepresentation)
        case (.p256(let key), true): Array(try key.signature(for: SHA384.hash(data: message)).derRepresentation)
        case (.p384(let key), false): Array(try key.signature(for: SHA256.hash(data: message)).derRepresentation)
        case (.p384(let key), true): Array(try key.signature(for: SHA384.hash(data: message)).derRepresentation)
        case (.rsa(let key), false):
            Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa(let key), true):
            Array(try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}

/// Makes certificates that are valid unless a test changes them.
struct SampleCertificate {
    var version: [UInt8] = SampleDER.element([0xA0], SampleDER.integer([2]))
    var serial: [UInt8] = [0x01]
    var subject = SampleDER.name("subject")
    var issuer = SampleDER.name("issuer")
    var notBefore = SampleDER.utcTime("250101000000Z")
    var notAfter = SampleDER.utcTime("270101000000Z")
    var info: [UInt8] = []
    var sha384 = false
    var innerAlgorithm: [UInt8]?
    var outerAlgorithm: [UInt8]?
    var extensions: [[UInt8]] = []

    static func ca(_ pathLength: UInt8? = nil) -> [UInt8] {
        let content = [0x01, 0x01, 0xFF] + (pathLength.map { SampleDER.integer([$0]) } ?? [])
        return part(.basicConstraints, SampleDER.element([0x30], content), critical: true)
    }
    static let notCA = part(.basicConstraints, [0x30, 0x00], critical: true)
    static func usage(_ bits: UInt8) -> [UInt8] {
        part(.keyUsage, [0x03, 0x02, UInt8(bits.trailingZeroBitCount), bits], critical: true)
    }
    static func part(_ oid: OID, _ value: [UInt8], critical: Bool = false) -> [UInt8] {
        SampleDER.sequence(SampleDER.oid(oid), critical ? [0x01, 0x01, 0xFF] : [], SampleDER.octetString(value))
    }

    func signed(by key: TestKey) throws -> [UInt8] {
        let algorithm = key.algorithm(sha384: sha384)
        let list = extensions.isEmpty ? [] : SampleDER.element([0xA3], SampleDER.element([0x30], extensions.flatMap { $0 }))
        let tbs = SampleDER.sequence(
            version, SampleDER.integer(serial), innerAlgorithm ?? algorithm, issuer, SampleDER.sequence(notBefore, notAfter),
            subject, info, list)
        return SampleDER.sequence(tbs, outerAlgorithm ?? algorithm, SampleDER.bitString(try key.sign(tbs, sha384: sha384)))
    }
}
