import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssayTesting
import Foundation
import Testing

@Suite("Revocation lists")
struct RevocationListTests {
    private static let now = TestCA.now

    private static func content(
        _ revoked: [RevokedCertificate], number: Int64 = 7, at time: Timestamp = now
    ) -> RevocationListContent {
        RevocationListContent(
            number: number, thisUpdate: time, nextUpdate: time.adding(milliseconds: 7 * TestCA.day), revoked: revoked)
    }

    @Test(
        "OpenSSL verifies a list, and refuses the certificates on it and no others",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: AuthorityCurve.allCases)
    func verified(_ curve: AuthorityCurve) async throws {
        let openSSL = try OpenSSLFolder()
        let ca = try await TestCA(curve)
        try ca.write(to: openSSL)
        let set = try ca.set
        let good = try await set.issue(try order(publicKey: SigningKey.random(.p256).publicKey), at: Self.now)
        let bad = try await set.issue(try order(publicKey: SigningKey.random(.p256).publicKey), at: Self.now)
        try openSSL.write("good.pem", PEM.encode(good.certificate.der))
        try openSSL.write("bad.pem", PEM.encode(bad.certificate.der))
        let revoked = RevokedCertificate(
            serial: bad.certificate.name.serial, revocation: CertificateRevocation(.privilegeWithdrawn, at: Self.now))
        for (name, entries) in [("empty", []), ("one", [revoked])] {
            let der = try await set.sign(Self.content(entries), issuer: ca.issuing.issuer)
            try openSSL.write(name + ".crl", PEM.encode(der, label: "X509 CRL"))
            let text = try openSSL.run("crl -in \(name).crl -CAfile issuing.pem -noout")
            #expect(text.contains("verify OK"))
        }
        func check(_ certificate: String, _ list: String) throws -> (succeeded: Bool, text: String) {
            try openSSL.attempt(
                TestCA.verification(certificate, at: Self.now.adding(milliseconds: 1000), ["-crl_check", "-CRLfile", list]))
        }
        #expect(try check("good.pem", "empty.crl").succeeded)
        #expect(try check("bad.pem", "empty.crl").succeeded)
        #expect(try check("good.pem", "one.crl").succeeded)
        let refused = try check("bad.pem", "one.crl")
        #expect(!refused.succeeded && refused.text.contains("certificate revoked"), "\(refused.text)")
        // Past its next update.
        let old = try openSSL.attempt(
            TestCA.verification(
                "good.pem", at: Self.now.adding(milliseconds: 8 * TestCA.day), ["-crl_check", "-CRLfile", "one.crl"]))
        #expect(!old.succeeded && old.text.contains("CRL has expired"), "\(old.text)")
        let stranger = try await TestCA(curve)
        try openSSL.write("stranger.pem", PEM.encode(stranger.issuing.chain.encoded[0]))
        #expect(
            try !openSSL.attempt(["crl", "-in", "one.crl", "-CAfile", "stranger.pem", "-noout"]).text.contains("verify OK"))
    }

    @Test(
        "OpenSSL shows number, times, key identifier, serial numbers and reasons; unspecified has no reason",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func shown() async throws {
        let openSSL = try OpenSSLFolder()
        let ca = try await TestCA()
        let revoked = RevocationReason.allCases.enumerated().map { index, reason in
            RevokedCertificate(
                serial: [UInt8(index) + 0x7A] + [UInt8](repeating: 0, count: index),
                revocation: CertificateRevocation(reason, at: Self.now))
        }
        let der = try await ca.set.sign(Self.content(revoked, number: 0x80_0000_0001), issuer: ca.issuing.issuer)
        try openSSL.write("list.crl", PEM.encode(der, label: "X509 CRL"))
        let text = try openSSL.run("crl -in list.crl -noout -text -nameopt oneline")
        for part in [
            "Version 2 (0x1)", "Issuer: O = Assay Tests, CN = Test Issuing CA 1",
            "X509v3 CRL Number: \n                549755813889",
            "X509v3 Authority Key Identifier", "Serial Number: 7A\n", "Serial Number: 80000000000000\n", "Last Update: Nov",
            "Next Update: Nov",
            "Key Compromise", "CA Compromise", "Affiliation Changed", "Superseded", "Cessation Of Operation",
            "Privilege Withdrawn",
            "AA Compromise",
        ] { #expect(text.contains(part), "\(part)\n\(text)") }
        #expect(!text.contains("Unspecified"))
        #expect(text.components(separatedBy: "X509v3 CRL Reason Code").count - 1 == RevocationReason.allCases.count - 1)
    }

    @Test("An empty list has no revokedCertificates, and times from 2050 on are GeneralizedTime")
    func structure() async throws {
        let late = try #require(Timestamp(rfc3339: "2050-01-01T00:00:00Z"))
        for (time, tag) in [(Self.now, DERTag.utcTime), (late, .generalizedTime)] {
            let ca = try await TestCA(at: time)
            let der = try await ca.set.sign(Self.content([], at: time), issuer: ca.issuing.issuer)
            try DERReader.parse(der[...], code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { list throws(Rejection) in
                    try list.sequence { body throws(Rejection) in
                        #expect(try body.smallInteger() == 1)
                        _ = try body.element(.sequence)
                        #expect(try body.element(.sequence).encoded == ca.issuing.chain.issuer.subject.der)
                        _ = try body.element(tag)
                        _ = try body.element(tag)
                        _ = try body.element(.context(0))
                    }
                    _ = try list.element(.sequence)
                    _ = try list.bitString()
                }
            }
        }
    }

    @Test("CAs sign lists before they sign certificates and until they end; foreign CAs and contents without order are refused")
    func authorities() async throws {
        let ca = try await TestCA()
        let set = try ca.set
        for days in [-10, 4 * 365] as [Int64] {
            let time = Self.now.adding(milliseconds: days * TestCA.day)
            #expect(try await !set.sign(Self.content([], at: time), issuer: ca.issuing.issuer).isEmpty)
        }
        await #expect(throws: AuthorityError.self) { try await set.sign(Self.content([]), issuer: ca.root.issuer) }
        let bad = [
            RevocationListContent(number: -1, thisUpdate: Self.now, nextUpdate: .distantFuture, revoked: []),
            RevocationListContent(number: 1, thisUpdate: Self.now, nextUpdate: Self.now, revoked: []),
            Self.content([], at: Self.now.adding(milliseconds: 6 * 365 * TestCA.day)),
            Self.content([RevokedCertificate(serial: [], revocation: CertificateRevocation(.superseded, at: Self.now))]),
            RevocationListContent(number: 1, thisUpdate: Self.now, nextUpdate: .distantFuture, revoked: []),
        ]
        for content in bad {
            let error = await #expect(throws: AuthorityError.self) { try await set.sign(content, issuer: ca.issuing.issuer) }
            guard case .impossible = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        let failing = FailingSigner(publicKey: ca.issuing.signer.publicKey, failure: .throwing)
        let gone = try AuthoritySet([try IssuingAuthority(name: "a", chain: ca.issuing.chain, signer: failing)])
        await #expect(throws: AuthorityError.unavailable("the token is gone")) {
            try await gone.sign(Self.content([]), issuer: ca.issuing.issuer)
        }
    }

    @Test("A list of 20,000 entries is signed, and has them all")
    func large() async throws {
        let ca = try await TestCA()
        let revocation = CertificateRevocation(.superseded, at: Self.now)
        var revoked: [RevokedCertificate] = []
        for index in 0..<20_000 {
            let serial: [UInt8] = [1, UInt8(truncatingIfNeeded: index >> 8), UInt8(truncatingIfNeeded: index)]
            revoked.append(RevokedCertificate(serial: serial, revocation: revocation))
        }
        let der = try await ca.set.sign(Self.content(revoked), issuer: ca.issuing.issuer)
        var list = DERReader(der[...], code: .malformedCertificate)
        var body = DERReader(try list.element(.sequence).content, code: .malformedCertificate)
        var fields = DERReader(try body.element(.sequence).content, code: .malformedCertificate)
        for _ in 0..<5 { _ = try fields.element() }
        var entries = DERReader(try fields.element(.sequence).content, code: .malformedCertificate)
        var count = 0
        while !entries.isAtEnd {
            _ = try entries.element(.sequence)
            count += 1
        }
        #expect(count == 20_000)
    }
}
