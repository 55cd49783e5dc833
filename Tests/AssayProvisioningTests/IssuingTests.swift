import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssayTesting
import Crypto
import Testing

@Suite("Certificates of devices")
struct IssuingTests {
    private static let now = TestCA.now

    private static let fleet = FleetStatement(
        serial: "SN 00/17", manufacturer: "Birthmark", validationEndpoint: "https://validate.example",
        sealedSecret: [UInt8](0..<60), table: 2499, keyIndex: 258, family: "Pi Camera")

    @Test(
        "OpenSSL verifies a certificate under its root, for CAs of both curves and keys of both",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: AuthorityCurve.allCases,
        AuthorityCurve.allCases)
    func verified(_ authority: AuthorityCurve, _ device: AuthorityCurve) async throws {
        let openSSL = try OpenSSLFolder()
        let ca = try await TestCA(authority)
        try ca.write(to: openSSL)
        let key = SigningKey.random(device.algorithm).publicKey
        let issued = try await ca.set.issue(try order(publicKey: key), at: Self.now)
        try openSSL.write("leaf.pem", PEM.encode(issued.certificate.der))
        let result = try openSSL.attempt(TestCA.verification("leaf.pem", ["-purpose", "sslclient"]))
        #expect(result.succeeded, "\(result.text)")
        #expect(issued.chain == ca.issuing.chain.encoded)
        let stranger = try await TestCA(authority)
        try stranger.write(to: openSSL)
        #expect(try !openSSL.attempt(TestCA.verification("leaf.pem")).succeeded)
    }

    @Test(
        "OpenSSL shows the names, uses and extensions that the order and the profile ask for",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func shown() async throws {
        let openSSL = try OpenSSLFolder()
        var profile = CertificateProfile()
        profile.commonName = "{family} {serial}"
        (profile.organization, profile.organizationalUnit) = ("Camera Makers", "{app}")
        profile.serialNumber = "{serial}_1"
        profile.alternativeNames = ["assay://{app}/{device}", "urn:serial:{serial}"]
        profile.revocationListURL = "http://crl.example/{ca}.crl"
        let issued = try await TestCA().set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile, fleet: Self.fleet), at: Self.now)
        try openSSL.write("leaf.pem", PEM.encode(issued.certificate.der))
        let text = try openSSL.run("x509 -in leaf.pem -noout -text -nameopt oneline,utf8")
        for part in [
            "Version: 3 (0x2)", "Issuer: O = Assay Tests, CN = Test Issuing CA 1",
            "Subject: O = Camera Makers, OU = photos, CN = Pi Camera SN 00/17, serialNumber = SN 00/17_1",
            "X509v3 Basic Constraints: critical\n                CA:FALSE",
            "X509v3 Key Usage: critical\n                Digital Signature\n",
            "X509v3 Extended Key Usage: \n                TLS Web Client Authentication\n",
            "URI:assay://photos/dev_" + String(repeating: "a5", count: 16) + ", URI:urn:serial:SN%2000%2F17",
            "X509v3 Authority Key Identifier", "X509v3 Subject Key Identifier", "URI:http://crl.example/issuing-1.crl",
            "\(ExtensionArc.statement).1", "\(ExtensionArc.fleet).1", "\(ExtensionArc.fleet).6",
            "Signature Algorithm: ecdsa-with-SHA256",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test(
        "The purposes of the profile are those of the certificate, and OpenSSL reads them",
        .enabled(if: OpenSSLFolder.isAvailable, "no openssl"))
    func purposes() async throws {
        let openSSL = try OpenSSLFolder()
        var profile = CertificateProfile()
        profile.keyPurposes = try [
            KeyPurpose("documentSigning"), KeyPurpose("emailProtection"), KeyPurpose("clientAuth"),
            KeyPurpose("1.3.6.1.4.1.62558.2.1"),
        ]
        let issued = try await TestCA().set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile), at: Self.now)
        try openSSL.write("leaf.pem", PEM.encode(issued.certificate.der))
        let text = try openSSL.run("x509 -in leaf.pem -noout -ext extendedKeyUsage")
        #expect(
            text.split(separator: "\n").last?.trimmingPrefix(while: { $0 == " " })
                == "1.3.6.1.5.5.7.3.36, E-mail Protection, TLS Web Client Authentication, 1.3.6.1.4.1.62558.2.1", "\(text)")
    }

    @Test("A certificate says nothing that neither the order nor the profile has")
    func least() async throws {
        var profile = CertificateProfile()
        (profile.alternativeNames, profile.keyPurposes) = ([], [])
        let issued = try await TestCA().set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile, requestID: []), at: Self.now)
        let certificate = try Certificate(der: issued.certificate.der[...])
        #expect(
            certificate.extensions.map { "\($0.oid)" } == [
                "2.5.29.19", "2.5.29.15", "2.5.29.14", "2.5.29.35", "\(ExtensionArc.statement).1",
            ])
        #expect(certificate.extensions.filter(\.isCritical).map { "\($0.oid)" } == ["2.5.29.19", "2.5.29.15"])
        #expect("\(certificate.subject)" == "CN=dev_" + String(repeating: "a5", count: 16))
        #expect(try certificate.keyUsage() == .digitalSignature)
        #expect(try certificate.basicConstraints()?.isCA == false)
    }

    @Test("Profiles that one CA issues under in turn keep their purposes and arcs, more of them than it remembers too")
    func profilesInTurn() async throws {
        let ca = try await TestCA()
        let profiles = try (0..<20).map { number in
            var profile = CertificateProfile()
            profile.keyPurposes = number.isMultiple(of: 2) ? [] : [try KeyPurpose("1.3.6.1.4.1.62558.2.\(number)")]
            profile.extensionArc = try #require(ExtensionArc("1.3.6.1.4.1.62558.3.\(number / 3)"))
            return profile
        }
        for profile in profiles + profiles.reversed() {
            let issued = try await ca.set.issue(
                try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile), at: Self.now)
            let certificate = try Certificate(der: issued.certificate.der[...])
            let statement = try #require(OID(dotted: "\(profile.extensionArc).1"))
            #expect(certificate.value(of: statement) != nil)
            let purposes = try #require(OID(dotted: "2.5.29.37"))
            let wanted = profile.keyPurposes.map { DERWriter.objectIdentifier($0.identifier) }
            #expect(certificate.value(of: purposes).map(Array.init) == (wanted.isEmpty ? nil : DERWriter.sequence(wanted)))
        }
    }

    @Test("Assay's extension states version, assurance, protection, platform, policy and request, and simulated only if it is")
    func statement() async throws {
        let ca = try await TestCA()
        for simulated in [false, true] {
            let issued = try await ca.set.issue(
                try order(publicKey: SigningKey.random(.p256).publicKey, simulated: simulated), at: Self.now)
            let statement = try #require(OID(dotted: "\(ExtensionArc.statement).1"))
            let value = try #require(try Certificate(der: issued.certificate.der[...]).value(of: statement))
            try DERReader.parse(value, code: .malformedCertificate) { outer throws(Rejection) in
                try outer.sequence { fields throws(Rejection) in
                    #expect(try fields.smallInteger() == 1)
                    for text in ["hardware", "attested", "key-attestation.chain"] {
                        #expect(try fields.element(DERTag(form: 0, number: 12)).content.elementsEqual(text.utf8))
                    }
                    #expect(try Array(fields.octetString()) == [UInt8](repeating: 0x33, count: 32))
                    #expect(try Array(fields.octetString()) == [UInt8](1...16))
                    #expect(try fields.booleanDefaultFalse() == simulated)
                }
            }
        }
    }

    @Test("A fleet's six extensions are raw bytes under the arc of the order")
    func fleetExtensions() async throws {
        var statement = Self.fleet
        statement.arc = try #require(ExtensionArc("2.999.7"))
        let issued = try await TestCA().set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey, fleet: statement), at: Self.now)
        let certificate = try Certificate(der: issued.certificate.der[...])
        let expected: [[UInt8]] = [
            Array("Birthmark".utf8), Array("https://validate.example".utf8), [UInt8](0..<60), [0x09, 0xC3], [0x01, 0x02],
            Array("Pi Camera".utf8),
        ]
        for (index, value) in expected.enumerated() {
            let found = certificate.extensions.first { "\($0.oid)" == "2.999.7.\(index + 1)" }
            #expect(found.map { Array($0.value) } == value)
            #expect(found?.isCritical == false)
        }
    }

    @Test(
        "OpenSSL verifies a certificate whose names have 255 characters, and shows an underscore and an umlaut in a serial number",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func longNames() async throws {
        let openSSL = try OpenSSLFolder()
        let ca = try await TestCA()
        try ca.write(to: openSSL)
        var statement = Self.fleet
        var profile = CertificateProfile()
        (profile.commonName, profile.serialNumber, profile.alternativeNames) = ("{serial}", "{serial}", ["urn:x:{serial}"])
        for serial in [String(repeating: "x", count: 255), "a_ü#7"] {
            statement.serial = serial
            let issued = try await ca.set.issue(
                try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile, fleet: statement), at: Self.now)
            try openSSL.write("leaf.pem", PEM.encode(issued.certificate.der))
            let result = try openSSL.attempt(TestCA.verification("leaf.pem"))
            #expect(result.succeeded, "\(result.text)")
            let subject = try openSSL.run("x509 -in leaf.pem -noout -subject -nameopt oneline,utf8,-esc_msb")
            #expect(subject.contains("CN = \(serial), serialNumber = \(serial)"), "\(subject)")
        }
    }

    @Test("The record repeats what the certificate says: serial number, key, validity, issuer")
    func record() async throws {
        let ca = try await TestCA()
        let key = SigningKey.random(.p384).publicKey
        let instant = Self.now.adding(milliseconds: 789)
        let issued = try await ca.set.issue(try order(publicKey: key), at: instant)
        let certificate = try Certificate(der: issued.certificate.der[...])
        #expect(certificate.serial == issued.certificate.name.serial)
        #expect(issued.certificate.name.issuer == Array(SHA256.hash(data: ca.issuing.signer.publicKey)))
        #expect(issued.certificate.keyID == Array(SHA256.hash(data: key)))
        #expect(Array(certificate.publicKey.der) == key)
        #expect(certificate.validity.notBefore == issued.certificate.notBefore)
        #expect(certificate.validity.notAfter == issued.certificate.notAfter)
        #expect(issued.certificate.issuedAt == instant)
        // Not before the CA, which began at this second.
        #expect(issued.certificate.notBefore == Self.now)
        #expect(issued.certificate.notAfter == Self.now.adding(milliseconds: 365 * TestCA.day))
        let later = Self.now.adding(milliseconds: TestCA.day)
        let next = try await ca.set.issue(try order(publicKey: SigningKey.random(.p256).publicKey), at: later)
        #expect(next.certificate.notBefore == later.adding(milliseconds: -IssuingAuthority.backdating))
    }

    @Test("A certificate ends with its CA at the latest")
    func bounded() async throws {
        let ca = try await TestCA(validity: 100 * TestCA.day)
        let issued = try await ca.set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey), at: Self.now.adding(milliseconds: 60 * TestCA.day))
        #expect(issued.certificate.notAfter == ca.issuing.chain.validity.notAfter)
        #expect(issued.certificate.notAfter == Self.now.adding(milliseconds: 100 * TestCA.day))
    }

    @Test("Serial numbers are 16 bytes with a clear top bit and a first byte that is not zero, and all differ")
    func serials() {
        let serials = (0..<2000).map { _ in CertificateDraft.randomSerial() }
        #expect(serials.allSatisfy { $0.count == 16 && (0x01...0x7F).contains($0[0]) })
        #expect(Set(serials).count == 2000)
    }

    @Test(
        "An order that cannot be met is refused with a sentence, and nothing is signed",
        arguments: [
            "{serial}", String(repeating: "x", count: 256), "a\u{7}", "",
        ])
    func impossibleName(_ commonName: String) async throws {
        var profile = CertificateProfile()
        profile.commonName = try NameTemplate(commonName)
        let ordered = try order(publicKey: SigningKey.random(.p256).publicKey, profile: profile)
        let set = try await TestCA().set
        let error = await #expect(throws: AuthorityError.self) { try await set.issue(ordered, at: Self.now) }
        guard case .impossible = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Names, URIs, arcs, validities and keys that have no encoding are refused")
    func impossible() async throws {
        let set = try await TestCA().set
        let key = SigningKey.random(.p256).publicKey
        var changes: [(inout CertificateProfile) -> Void] = [
            { $0.alternativeNames = ["no uri"] }, { $0.alternativeNames = ["{device}"] }, { $0.alternativeNames = ["x:ü"] },
            { $0.revocationListURL = "crl.example" }, { $0.validity = 0 }, { $0.validity = -1 },
            { $0.organization = "" },
            { $0.alternativeNames = [NameTemplate(stringLiteral: "x:" + String(repeating: "a", count: 3000))] },
        ]
        changes.append { $0.organizationalUnit = "{family}" }
        for (index, change) in changes.enumerated() {
            var profile = CertificateProfile()
            change(&profile)
            let ordered = try order(publicKey: key, profile: profile)
            let error = await #expect(throws: AuthorityError.self, "change \(index)") {
                try await set.issue(ordered, at: Self.now)
            }
            guard case .impossible = error else {
                Issue.record("change \(index): \(String(describing: error))")
                continue
            }
        }
        let garbage = try order(publicKey: [1, 2, 3])
        await #expect(throws: AuthorityError.self) { try await set.issue(garbage, at: Self.now) }
        var huge = Self.fleet
        huge.manufacturer = String(repeating: "x", count: 20_000)
        let large = try order(publicKey: key, fleet: huge)
        await #expect(throws: AuthorityError.self) { try await set.issue(large, at: Self.now) }
        var same = Self.fleet
        same.arc = .statement
        let clash = try order(publicKey: key, fleet: same)
        await #expect(throws: AuthorityError.impossible("two of its extensions have one object identifier")) {
            try await set.issue(clash, at: Self.now)
        }
    }

    @Test("A signer that fails, or answers with garbage, makes issuing unavailable")
    func unavailable() async throws {
        let ca = try await TestCA()
        for failing in [FailingSigner.Failure.throwing, .garbage] {
            let signer = FailingSigner(publicKey: ca.issuing.signer.publicKey, failure: failing)
            let authority = try IssuingAuthority(name: "a", chain: ca.issuing.chain, signer: signer)
            let set = try AuthoritySet([authority])
            let ordered = try order(publicKey: SigningKey.random(.p256).publicKey)
            let error = await #expect(throws: AuthorityError.self) { try await set.issue(ordered, at: Self.now) }
            guard case .unavailable(let why) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // The signer's own sentence.
            #expect((why == "the token is gone") == (failing == .throwing), "\(why)")
            #expect(set.authorities(at: Self.now).map(\.problem) == ["the token is gone"])
        }
    }
}

/// A signer whose key is gone.
struct FailingSigner: Signer {
    enum Failure: Sendable { case throwing, garbage }

    let publicKey: [UInt8]
    let failure: Failure
    var algorithm: SigningAlgorithm { .p256 }
    var problem: String? { "the token is gone" }

    func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        switch failure {
        case .throwing: throw SigningError("the token is gone")
        case .garbage: return [1, 2, 3]
        }
    }
}
