import AssayCertificates
import AssayCore
import AssayEncoding
import Testing

@Suite("Leniencies")
struct LeniencyTests {
    static let null: [UInt8] = [0x05, 0x00]
    static let sha256 = SampleDER.oid(OID(1, 2, 840, 10045, 4, 3, 2))

    /// A certificate's error, and the one leniency that accepts it.
    struct Oddity: Sendable, CustomTestStringConvertible {
        let name: String
        let leniency: CertificateLeniencies
        let change: @Sendable (inout SampleCertificate) -> Void
        var testDescription: String { name }
    }

    static func critical(_ octet: UInt8) -> [UInt8] {
        SampleDER.sequence(SampleDER.oid(OID(1, 2, 3)), [0x01, 0x01, octet], SampleDER.octetString([]))
    }

    static let oddities: [Oddity] = [
        Oddity(name: "NULL outside", leniency: .ecdsaWithNull) { $0.outerAlgorithm = SampleDER.sequence(sha256, null) },
        Oddity(name: "NULL inside", leniency: .ecdsaWithNull) {
            $0.innerAlgorithm = SampleDER.sequence(sha256, null)
            $0.outerAlgorithm = SampleDER.sequence(sha256)
        },
        Oddity(name: "critical 01", leniency: .criticalNotDER) { $0.extensions.append(critical(0x01)) },
        Oddity(name: "critical FALSE", leniency: .criticalNotDER) { $0.extensions.append(critical(0x00)) },
        Oddity(name: "negative serial number", leniency: .oddSerial) { $0.serial = [0x80, 0x01] },
        Oddity(name: "padded serial number", leniency: .oddSerial) { $0.serial = [0x00, 0x01] },
        Oddity(name: "long serial number", leniency: .oddSerial) { $0.serial = [UInt8](repeating: 0x11, count: 24) },
        Oddity(name: "no such day", leniency: .unreadableDates) { $0.notBefore = SampleDER.utcTime("250230000000Z") },
        Oddity(name: "one date", leniency: .unreadableDates) { $0.notAfter = [] },
    ]

    @Test("Each leniency accepts its own error, and no other leniency does", arguments: oddities)
    func named(_ oddity: Oddity) throws {
        var sample = CertificateTests.sample
        oddity.change(&sample)
        let der = try sample.signed(by: CertificateTests.key)
        let others = CertificateLeniencies(rawValue: .max).subtracting(oddity.leniency)
        CertificateTests.refuses(der, "without", leniencies: [])
        CertificateTests.refuses(der, "by another leniency", leniencies: others)
        let certificate = try Certificate(der: der[...], leniencies: oddity.leniency)
        #expect(certificate.usedLeniencies == oddity.leniency)
        #expect(certificate.usedLeniencies.names.count == 1)
    }

    @Test("An unneeded leniency is not noted")
    func unused() throws {
        let der = try CertificateTests.sample.signed(by: CertificateTests.key)
        let certificate = try Certificate(der: der[...], leniencies: CertificateLeniencies(rawValue: .max))
        #expect(certificate.usedLeniencies.isEmpty && certificate.usedLeniencies.names.isEmpty)
    }

    @Test("Leniencies have limits")
    func limits() throws {
        let all = CertificateLeniencies(rawValue: .max)
        var sample = CertificateTests.sample
        sample.serial = [UInt8](repeating: 0x11, count: 33)
        CertificateTests.refuses(try sample.signed(by: CertificateTests.key), "serial number of 33 octets", leniencies: all)
        sample.serial = []
        CertificateTests.refuses(try sample.signed(by: CertificateTests.key), "serial number without octets", leniencies: all)
        sample = CertificateTests.sample
        sample.extensions = [SampleDER.sequence(SampleDER.oid(OID(1, 2, 3)), [0x01, 0x02, 1, 1], SampleDER.octetString([]))]
        CertificateTests.refuses(try sample.signed(by: CertificateTests.key), "critical of two octets", leniencies: all)
        sample = CertificateTests.sample
        sample.outerAlgorithm = SampleDER.sequence(SampleDER.oid(OID(1, 2, 840, 10045, 4, 3, 3)))
        CertificateTests.refuses(try sample.signed(by: CertificateTests.key), "another algorithm outside", leniencies: all)
        sample.outerAlgorithm = SampleDER.sequence(Self.sha256, SampleDER.octetString([]))
        CertificateTests.refuses(try sample.signed(by: CertificateTests.key), "other parameters outside", leniencies: all)
    }

    @Test("A certificate with unreadable dates is never valid")
    func neverValid() throws {
        var sample = CertificateTests.sample
        sample.notBefore = []
        let der = try sample.signed(by: CertificateTests.key)
        let certificate = try Certificate(der: der[...], leniencies: .unreadableDates)
        for time in [Timestamp.distantPast, Timestamp(unixSeconds: 1_767_225_600)] {
            #expect(throws: Rejection(.notYetValid, "")) { try certificate.validity.requireStarted(at: time, skew: 300_000) }
        }
        #expect(throws: Rejection(.expired, "")) {
            try certificate.validity.requireNotEnded(at: Timestamp(unixSeconds: 1_767_225_600), skew: 300_000)
        }
    }
}
