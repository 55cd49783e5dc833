import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto
import Testing

@Suite("Certificate")
struct CertificateTests {
    static let key = TestKey.p256()
    static var sample: SampleCertificate {
        var sample = SampleCertificate()
        sample.info = key.info
        sample.extensions = [SampleCertificate.notCA, SampleCertificate.usage(0x80)]
        return sample
    }

    static func refuses(_ der: [UInt8], _ why: Comment, leniencies: CertificateLeniencies = []) {
        #expect(throws: Rejection(.malformedCertificate, ""), why) { try Certificate(der: der[...], leniencies: leniencies) }
    }

    @Test("Every key usage has the standard's name")
    func keyUsages() throws {
        let all = try KeyUsage([0x03, 0x03, 0x07, 0xFF, 0x80])
        #expect(
            all.names == [
                "digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
                "cRLSign", "encipherOnly", "decipherOnly",
            ])
        var sample = Self.sample
        sample.extensions = [SampleCertificate.usage(0xA8)]
        let explanation = Certificate.explain(try sample.signed(by: Self.key)[...])
        #expect(
            explanation.fields.contains {
                $0.name == "key_usage" && $0.value == .text("digitalSignature, keyEncipherment, keyAgreement")
            })
    }

    @Test("A certificate is read to its last field")
    func reads() throws {
        let der = try Self.sample.signed(by: Self.key)
        let certificate = try Certificate(der: der[...])
        #expect(certificate.serial == [1])
        #expect(certificate.signatureAlgorithm == .ecdsaWithSHA256)
        #expect(certificate.subject.values(of: OID(2, 5, 4, 3)).map { Array($0) } == [Array("subject".utf8)])
        #expect(certificate.validity.notBefore.description == "2025-01-01T00:00:00Z")
        #expect(certificate.publicKey.algorithm == .p256 && certificate.publicKey.keyBytes.count == 65)
        #expect(try certificate.basicConstraints() == BasicConstraints([0x30, 0x00]))
        #expect(try certificate.keyUsage() == .digitalSignature)
        #expect(certificate.digest == Array(SHA256.hash(data: der)))
        #expect(certificate.signedPart.startIndex == 4 || certificate.signedPart.startIndex == 3)
        let publicKey = try PublicKey(certificate.publicKey)
        try publicKey.verify(certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
    }

    @Test("Strict prefixes and trailing bytes of a certificate are refused, and no bit flip traps")
    func mutations() throws {
        let der = try Self.sample.signed(by: Self.key)
        for length in der.indices { Self.refuses(Array(der.prefix(length)), "prefix of \(length)") }
        Self.refuses(der + [0], "trailing byte")
        for index in der.indices {
            for bit in 0..<8 {
                var bytes = der
                bytes[index] ^= 1 << UInt8(bit)
                _ = try? Certificate(der: bytes[...])
            }
        }
    }

    @Test("Other versions, serial numbers and algorithms are refused")
    func fields() throws {
        var sample = Self.sample
        sample.version = []
        Self.refuses(try sample.signed(by: Self.key), "version 1")
        sample.version = SampleDER.element([0xA0], SampleDER.integer([1]))
        Self.refuses(try sample.signed(by: Self.key), "version 2")
        sample = Self.sample
        sample.serial = [UInt8](repeating: 1, count: 22)
        Self.refuses(try sample.signed(by: Self.key), "long serial number")
        sample.serial = [0, 1]
        Self.refuses(try sample.signed(by: Self.key), "serial number with a leading zero")
        sample.serial = [0x80]
        Self.refuses(try sample.signed(by: Self.key), "negative serial number")
        sample.serial = [UInt8](repeating: 0x7F, count: 21)
        Self.refuses(try sample.signed(by: Self.key), "serial number of 21 octets")
        sample.serial = [0] + [UInt8](repeating: 0xFF, count: 20)
        #expect(try Certificate(der: try sample.signed(by: Self.key)[...]).serial.count == 20)
        sample.serial = [0]
        #expect(try Certificate(der: try sample.signed(by: Self.key)[...]).serial == [0])
        sample.serial = [0, 0x80]
        #expect(try Certificate(der: try sample.signed(by: Self.key)[...]).serial == [0x80])
        sample.outerAlgorithm = SampleDER.sequence(SampleDER.oid(OID(1, 2, 840, 10045, 4, 3, 3)))
        Self.refuses(try sample.signed(by: Self.key), "algorithms differ")
    }

    @Test("A repeated extension, too many extensions and an explicit FALSE are refused")
    func extensions() throws {
        var sample = Self.sample
        sample.extensions.append(SampleCertificate.notCA)
        Self.refuses(try sample.signed(by: Self.key), "twice")
        sample.extensions = (0...UInt64(Certificate.extensionLimit)).map { SampleCertificate.part(OID(1, 3, $0), []) }
        Self.refuses(try sample.signed(by: Self.key), "too many")
        sample.extensions.removeLast()
        #expect(try Certificate(der: try sample.signed(by: Self.key)[...]).extensions.count == Certificate.extensionLimit)
        sample.extensions = [SampleDER.sequence(SampleDER.oid(.keyUsage), [0x01, 0x01, 0x00], SampleDER.octetString([]))]
        Self.refuses(try sample.signed(by: Self.key), "critical FALSE")
        #expect(throws: Rejection(.malformedCertificate, "")) { try BasicConstraints([0x30, 0x03, 0x01, 0x01, 0x00]) }
        #expect(throws: Rejection(.malformedCertificate, "")) { try BasicConstraints([0x30, 0x03, 0x02, 0x01, 0xFF]) }
        #expect(try BasicConstraints([0x30, 0x06, 0x01, 0x01, 0xFF, 0x02, 0x01, 0x03]).pathLength == 3)
    }

    @Test(
        "Times are read by RFC 5280",
        arguments: [
            ("700101000000Z", false, "1970-01-01T00:00:00Z"), ("491231235959Z", false, "2049-12-31T23:59:59Z"),
            ("500101000000Z", false, "1950-01-01T00:00:00Z"), ("240229120000Z", false, "2024-02-29T12:00:00Z"),
            ("20500101000000Z", true, "2050-01-01T00:00:00Z"), ("99991231235959Z", true, "9999-12-31T23:59:59Z"),
        ])
    func times(_ text: String, _ isGeneralized: Bool, _ expected: String) throws {
        var sample = Self.sample
        sample.notBefore = SampleDER.element([isGeneralized ? 0x18 : 0x17], Array(text.utf8))
        #expect(try Certificate(der: try sample.signed(by: Self.key)[...]).validity.notBefore.description == expected)
    }

    @Test(
        "Invalid dates and time formats are refused",
        arguments: [
            ("250229000000Z", false), ("251301000000Z", false), ("250100000000Z", false), ("250101240000Z", false),
            ("250101006000Z", false), ("250101000060Z", false), ("2501010000Z", false), ("250101000000", false),
            ("250101000000+0000", false), ("25010100000aZ", false), ("20491231235959Z", true), ("20500101000000.1Z", true),
            ("20500101000000Z", false), ("500101000000Z", true), ("", false), ("Z", true),
        ])
    func refusesTimes(_ text: String, _ isGeneralized: Bool) throws {
        var sample = Self.sample
        sample.notAfter = SampleDER.element([isGeneralized ? 0x18 : 0x17], Array(text.utf8))
        Self.refuses(try sample.signed(by: Self.key), "\(text)")
    }

    @Test("GeneralizedTime before 2050 is read only with its leniency")
    func leniency() throws {
        var sample = Self.sample
        sample.notAfter = SampleDER.element([0x18], Array("20480101000000Z".utf8))
        let der = try sample.signed(by: Self.key)
        Self.refuses(der, "without")
        let certificate = try Certificate(der: der[...], leniencies: .generalizedTimeBefore2050)
        #expect(certificate.validity.notAfter.description == "2048-01-01T00:00:00Z")
    }

    @Test("Names are shown without control and format characters")
    func printableNames() throws {
        #expect(try DistinguishedName(der: SampleDER.name("Ünïcode CA 1")[...]).description == "CN=Ünïcode CA 1")
        for text in ["\u{1B}[2J", "a\nb", "\u{7F}", "\u{9B}2J", "a\u{202E}b", "a\u{200B}b"] {
            let name = try DistinguishedName(der: SampleDER.name(text)[...])
            #expect(name.description == "CN=#" + Hex.encode(Array(text.utf8)))
        }
    }

    @Test("The parts of a name are limited")
    func names() throws {
        let part = SampleDER.element([0x31], SampleDER.sequence(SampleDER.oid(OID(2, 5, 4, 3)), SampleDER.octetString([1])))
        func name(_ count: Int) -> [UInt8] { SampleDER.element([0x30], (0..<count).flatMap { _ in part }) }
        #expect(try DistinguishedName(der: name(DistinguishedName.partLimit)[...]).values(of: OID(2, 5, 4, 3)).count == 16)
        #expect(throws: Rejection(.malformedCertificate, "")) {
            try DistinguishedName(der: name(DistinguishedName.partLimit + 1)[...])
        }
        #expect(throws: Rejection(.malformedCertificate, "")) { try DistinguishedName(der: [0x30, 0x02, 0x31, 0x00]) }
        #expect(try DistinguishedName(der: [0x30, 0x00]).values(of: OID(2, 5, 4, 3)).isEmpty)
    }
}
