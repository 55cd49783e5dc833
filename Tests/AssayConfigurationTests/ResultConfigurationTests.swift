import AssayCertificates
import AssayCore
import AssayEncoding
import AssayResults
import AssaySchemes
import AssaySigning
import AssaySimulator
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// What the configuration says of signed results, and what is said of it.
@Suite("The configuration of signed results", .timeLimit(.minutes(30)))
struct ResultConfigurationTests {
    private static let now = SystemClock().now()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["run", "data"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        for (name, algorithm) in [("one", SigningAlgorithm.p256), ("two", .ed25519), ("test", .p384)] {
            try make(name, SigningKey.random(algorithm))
        }
        try folder.write(TestAuthority().rootPEM, to: "root.pem")
    }

    private func make(_ name: String, _ key: SigningKey) throws {
        _ = try NewKeyFiles(key: folder.file("\(name).key"), passphrase: folder.file("\(name).passphrase"))
            .write(key, iterations: 1000)
    }

    private static func key(_ name: String, _ more: String = "") -> String {
        "{file: \(name).key, passphrase_file: \(name).passphrase\(more)}"
    }

    /// A certificate, and what is said of the keys that it lets a key certify.
    private static func section(_ members: String) -> String { ", certificate: own.pem, certifies: {\(members)}" }

    private static let both = "issuer: https://assay.example.com, keys: [\(key("one")), \(key("two"))]"
    private static let rule = "shapes: [ear-jwt, session], audiences: [https://uploads.example.com]"

    private func check(
        results: String? = both, rule: String? = rule, app: String = "",
        listen: String = "{tcp: 127.0.0.1:8080, protocol: http}",
        at now: Timestamp = now
    ) throws -> ConfigurationCheck {
        try folder.write(
            """
            listen: [{unix: run/a.sock}, \(listen)]
            store: {path: data/ledger.db}
            callers: {loopback_demo: true, known: [{name: handler, unix_user: 0, roles: [verify], apps: all}]}
            trust: {test_roots: [root.pem]}
            apps:
              photos:
                app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}
                \(rule.map { "results: {\($0)}" } ?? "")
                \(app)
            \(results.map { "results: {\($0)}" } ?? "")
            """, to: "assayd.yaml")
        return ConfigurationCheck(folder.file("assayd.yaml"), at: now)
    }

    private func settings(_ results: String = both) throws -> ResultSettings {
        let check = try check(results: results)
        return try #require(check.configuration?.live.results, "\(check.problems)")
    }

    private func rule(_ text: String) throws -> ResultRule {
        let check = try check(rule: text)
        return try #require(check.configuration?.live.apps.first?.results, "\(check.problems)")
    }

    /// The codes that bear on results.
    private func codes(_ check: ConfigurationCheck) -> [String] {
        check.findings.map(\.code.rawValue).filter { $0.hasPrefix("result") }
    }

    // MARK: What is read

    @Test("The section names an issuer, its keys in their order, and how they follow each other")
    func read() throws {
        let usual = try settings()
        #expect(usual.devices.address == "https://assay.example.com" && usual.simulated == nil)
        #expect(
            usual.devices.keys
                == ["one", "two"].map {
                    ResultSettings.Key(.file(folder.file("\($0).key"), passphraseFile: folder.file("\($0).passphrase")))
                })
        #expect(usual.rule == ResultKeyRule())
        let more = try settings(
            Self.both
                + ", key_lifetime: 30d, publish_ahead: 48h, simulated: {issuer: https://assay.example.com/simulated, keys: [\(Self.key("test"))]}"
        )
        #expect(more.rule.lifetime == 30 * 86_400_000 && more.rule.publishAhead == 2 * 86_400_000)
        #expect(more.simulated?.address == "https://assay.example.com/simulated" && more.simulated?.keys.count == 1)
        #expect(more.issuers.map(\.kind) == [.devices, .simulatedDevices])
        #expect(
            try check().configuration?.summary.contains { $0.contains("signs results as https://assay.example.com") } == true)
    }

    @Test("Keys of both issuers are opened in order, each of its own kind")
    func opened() throws {
        let settings = try settings(
            Self.both + ", simulated: {issuer: http://127.0.0.1:8080/simulated, keys: [\(Self.key("test"))]}")
        let keys = try settings.open { (_, _) throws(CredentialFileError) in throw CredentialFileError("", "no token") }
        #expect(keys.map(\.signer.algorithm) == [.p256, .ed25519, .p384])
        #expect(keys.map(\.issuer.kind) == [.devices, .devices, .simulatedDevices])
        #expect(keys.last?.issuer.address == "http://127.0.0.1:8080/simulated")
        let identifiers = Set(keys.map(\.identifier))
        #expect(identifiers.count == 3)
    }

    @Test("An app's section is the rule of its results, with safe defaults")
    func appRule() throws {
        let usual = try rule(Self.rule)
        #expect(usual.shapes == [.earJWT, .session] && usual.audiences == ["https://uploads.example.com"])
        #expect(usual.deviceNaming == .pairwise && usual.lifetime == 300_000 && !usual.status)
        #expect(usual.session.lifetime == 3_600_000 && usual.session.minimumAssurance == .hardware)
        #expect(usual.session.perDevice == nil && usual.clientID == nil && usual.wallet == nil)
        let all = try rule(
            """
            shapes: [ear-jwt, ear-cwt, session, client-attestation, wallet-instance, key-attestation, plain-jws, plain-cose], \
            audiences: [a, b], device_id: none, lifetime: 23h, status: true, client_id: photos-app, \
            session: {lifetime: 10m, minimum_assurance: secure_element, per_device: 3}, \
            wallet: {name: W, version: "1.0", certification: https://c.example, link: https://w.example}
            """)
        #expect(all.shapes == Set(ResultShape.allCases) && all.audiences == ["a", "b"])
        #expect(all.deviceNaming == .none && all.lifetime == 82_800_000 && all.status)
        #expect(all.session.lifetime == 600_000 && all.session.minimumAssurance == .secureElement)
        #expect(all.session.perDevice == 3 && all.clientID == "photos-app")
        #expect(
            all.wallet == .init(name: "W", version: "1.0", certification: "https://c.example", link: "https://w.example"))
    }

    @Test("The policy of an app is the same whatever its results are")
    func policy() throws {
        func digest(_ rule: String?) throws -> [UInt8] {
            let live = try #require(try check(rule: rule).configuration?.live)
            return live.policy(of: try #require(live.apps.first)).digest
        }
        let without = try digest(nil)
        #expect(try digest(Self.rule) == without)
        #expect(try digest("shapes: [plain-jws], audiences: [x], device_id: global, lifetime: 1h") == without)
    }

    // MARK: What is refused

    @Test(
        "What contradicts itself is refused with a sentence and its line",
        arguments: [
            ("issuer: https://a.example.com, keys: []", "nothing could be signed"),
            ("keys: [\(key("one"))]", "\"issuer\" is missing"),
            ("issuer: https://a.example.com", "\"keys\" is missing"),
            ("issuer: http://a.example.com, keys: [\(key("one"))]", "want https://host/path"),
            ("issuer: https://a.example.com/, keys: [\(key("one"))]", "a slash at its end"),
            ("issuer: 'https://a.example.com/?a=b', keys: [\(key("one"))]", "without a query"),
            ("issuer: 'https://a.example.com#x', keys: [\(key("one"))]", "a fragment"),
            ("issuer: ftp://a.example.com, keys: [\(key("one"))]", "want https://host/path"),
            ("issuer: https://a.example.com, keys: [\(key("one")), \(key("one"))]", "the key stands twice"),
            ("issuer: https://a.example.com, keys: [{}]", "want either \"file\" or \"pkcs11\""),
            ("issuer: https://a.example.com, keys: [\(key("one", ", public_key: x.pem"))]", "has the public key too"),
            (
                "issuer: https://a.example.com, keys: [{pkcs11: {module: /m.so, token: t, key: k, pin_file: pin}}]",
                "\"public_key\" is missing"
            ),
            (
                "issuer: https://a.example.com, keys: [{public_key: p.pem, passphrase_file: x, pkcs11: {module: /m.so, token: t, key: k, pin_file: pin}}]",
                "has a \"pin_file\""
            ),
            (both + ", key_lifetime: 6d", "from 7d to 1096d"),
            (both + ", publish_ahead: 23h", "from 1d to 30d"),
            (both + ", key_lifetime: 10d, publish_ahead: 6d", "at most half of \"key_lifetime\""),
            (
                both + ", simulated: {issuer: https://assay.example.com, keys: [\(key("test"))]}",
                "want an issuer of their own"
            ),
            (both + ", simulated: {issuer: https://b.example.com, keys: [\(key("one"))]}", "the key stands twice"),
            (both + ", simulated: {issuer: https://b.example.com}", "\"keys\" is missing"),
            (both + ", rotate: 5d", "unknown key \"rotate\""),
            (
                "issuer: https://a.example.com, keys: [\(key("one", ", certifies: {}"))]",
                "\"certificate\" is missing: the key certifies"
            ),
            ("issuer: https://a.example.com, keys: [\(key("one", section("lifetime: 59m")))]", "from 1h to 7d"),
            ("issuer: https://a.example.com, keys: [\(key("one", section("lifetime: 8d")))]", "from 1h to 7d"),
            ("issuer: https://a.example.com, keys: [\(key("one", section("life: 1d")))]", "unknown key \"life\""),
            ("issuer: https://a.example.com, keys: [\(key("one", section("lifetime: 2h")))]", "want at least 130m"),
            (
                both + ", simulated: {issuer: https://b.example.com, keys: [\(key("test", section("lifetime: 2h")))]}",
                "want at least 130m"
            ),
        ])
    func refused(_ results: String, _ words: String) throws {
        let problems = try check(results: results).problems
        #expect(problems.contains { $0.message.contains(words) && $0.line != nil }, "\(problems)")
    }

    @Test(
        "A rule that cannot be met is refused with a sentence",
        arguments: [
            ("shapes: [], audiences: [a]", "an empty list allows no results"),
            ("shapes: [ear-jwt], audiences: []", "no result can be asked for"),
            ("audiences: [a]", "\"shapes\" is missing"),
            ("shapes: [ear-jwt]", "\"audiences\" is missing"),
            ("shapes: [ear-jwtt], audiences: [a]", "did you mean \"ear-jwt\""),
            ("shapes: [ear-jwt, ear-jwt], audiences: [a]", "stands twice"),
            ("shapes: [ear-jwt], audiences: [a, a]", "the audience stands twice"),
            ("shapes: [ear-jwt], audiences: ['']", "an audience of 1 to 256 bytes"),
            ("shapes: [ear-jwt], audiences: ['\(String(repeating: "é", count: 129))']", "an audience of 1 to 256 bytes"),
            ("shapes: [ear-jwt], audiences: [a], lifetime: 25h", "from 10s to 1d"),
            ("shapes: [session], audiences: [a], session: {lifetime: 2h}", "from 1m to 1h"),
            ("shapes: [session], audiences: [a], session: {minimum_assurance: none}", "want one of software"),
            ("shapes: [session], audiences: [a], session: {per_device: 0}", "from 1 to 100"),
            ("shapes: [ear-jwt], audiences: [a], session: {lifetime: 5m}", "has no session"),
            ("shapes: [client-attestation], audiences: [a]", "\"client_id\" is missing: client-attestation"),
            ("shapes: [wallet-instance], audiences: [a], client_id: x", "\"wallet\" is missing: wallet-instance"),
            ("shapes: [key-attestation], audiences: [a]", "\"wallet\" is missing: key-attestation"),
            (
                "shapes: [wallet-instance], audiences: [a], client_id: x, lifetime: 24h, wallet: {name: a, version: b, certification: c}",
                "less than 24 hours"
            ),
            ("shapes: [key-attestation], audiences: [a], wallet: {name: a}", "\"version\" is missing"),
        ])
    func refusedRule(_ rule: String, _ words: String) throws {
        let problems = try check(rule: rule).problems
        #expect(problems.contains { $0.message.contains(words) && $0.path.hasPrefix("apps.photos.results") }, "\(problems)")
    }

    @Test("An app's results want someone who signs")
    func unsigned() throws {
        let problems = try check(results: nil).problems
        #expect(
            problems.map(\.path) == ["apps.photos.results"]
                && problems.first?.message.contains("want someone who signs") == true)
    }

    // MARK: What is found

    @Test("Two keys, a listener over HTTP and an app with results have no findings")
    func none() async throws {
        var check = try check()
        await check.openResultKeys()
        #expect(codes(check).isEmpty, "\(check.findings)")
    }

    @Test("What works and may surprise is told")
    func surprises() throws {
        #expect(codes(try check(rule: nil)) == ["results_unused"])
        #expect(codes(try check(listen: "{tcp: 127.0.0.1:8080}")) == ["results_unserved"])
        #expect(codes(try check(results: "issuer: https://a.example.com, keys: [\(Self.key("one"))]")) == ["result_key_alone"])
        let plain = "issuer: http://127.0.0.1:8080, keys: [\(Self.key("one")), \(Self.key("two"))]"
        #expect(codes(try check(results: plain)) == ["result_issuer_plain"])
        #expect(codes(try check(app: "accept_simulated: true")) == ["results_simulated_missing"])
        let simulated = Self.both + ", simulated: {issuer: https://b.example.com, keys: [\(Self.key("test"))]}"
        #expect(codes(try check(results: simulated, app: "accept_simulated: true")) == ["result_key_alone"])
        let wallet = "shapes: [key-attestation], audiences: [a], wallet: {name: a, version: b, certification: c}"
        let found = codes(try check(rule: wallet))
        #expect(found == ["result_certificate_missing"])
    }

    @Test("A key that cannot be opened is found where its file is named, and the daemon does not start with it")
    func unopened() async throws {
        func expectFailure(_ place: String, _ words: String, _ results: String = Self.both) async throws {
            var check = try check(results: results)
            await check.openResultKeys()
            let found = check.findings.filter { $0.code == .resultKey }
            #expect(found.map(\.path) == [place] && found.first?.severity == .failure, "\(check.findings)")
            #expect(found.first?.message.contains(words) == true, "\(found)")
            let settings = try #require(check.configuration?.live.results)
            #expect(throws: CredentialFileError.self) {
                try settings.open { (_, _) throws(CredentialFileError) in throw CredentialFileError("/m.so", "no token") }
            }
        }
        try await expectFailure(
            "results.keys[0].file", "cannot be decrypted",
            "issuer: https://a.example.com, keys: [{file: one.key, passphrase_file: two.passphrase}, \(Self.key("two"))]")
        try await expectFailure(
            "results.keys[1].passphrase_file", "is missing",
            "issuer: https://a.example.com, keys: [\(Self.key("one")), {file: two.key, passphrase_file: none.passphrase}]")
        try await expectFailure(
            "results.keys[0].file", "is encrypted, and no file with its passphrase is given",
            "issuer: https://a.example.com, keys: [{file: one.key}, \(Self.key("two"))]")
        // One key under two names.
        for ending in ["key", "passphrase"] {
            try FileManager.default.copyItem(atPath: folder.file("one.\(ending)"), toPath: folder.file("copy.\(ending)"))
        }
        try await expectFailure(
            "results.keys[1]", "it is the key of results.keys[0]",
            "issuer: https://a.example.com, keys: [\(Self.key("one")), \(Self.key("copy"))]")
        try await expectFailure(
            "results.simulated.keys[0]", "it is the key of results.keys[0]",
            Self.both + ", simulated: {issuer: https://b.example.com, keys: [\(Self.key("copy"))]}")
    }

    @Test("A certificate is that of its key, and its end is told before it comes")
    func certificates() async throws {
        // Below the order of the curve.
        let scalar = [0x7F] + SecureRandom.bytes(31)
        let key = try TestSigningKey(.p256, scalar: scalar)
        let certificate = try Self.certificate(of: key.subjectPublicKeyInfo, by: key)
        try folder.write(PEM.encode(certificate), to: "own.pem")
        let own = try SigningKey(sec1: Self.ecPrivateKey(scalar))
        try make("own", own)
        let results =
            "issuer: https://a.example.com, keys: [\(Self.key("own", ", certificate: own.pem")), \(Self.key("two"))]"
        let opened = try settings(results).open { (_, _) throws(CredentialFileError) in throw CredentialFileError("", "") }
        #expect(opened.first?.certificates == [certificate] && opened.last?.certificates == [])

        var later = try check(results: results, at: Self.now.adding(milliseconds: 31 * 86_400_000))
        await later.openResultKeys(at: Self.now.adding(milliseconds: 31 * 86_400_000))
        #expect(later.findings.filter { $0.code == .resultCertificateEnds }.map(\.path) == ["results.keys[0].certificate"])
        var foreign = try check(
            results: "issuer: https://a.example.com, keys: [\(Self.key("one", ", certificate: own.pem")), \(Self.key("two"))]")
        await foreign.openResultKeys()
        let found = foreign.findings.filter { $0.code == .resultKey }
        #expect(found.map(\.path) == ["results.keys[0].certificate"])
        #expect(found.first?.message.contains("is not the certificate of the key") == true)
        try folder.write("nonsense", to: "own.pem")
        var broken = try check(results: results)
        await broken.openResultKeys()
        #expect(broken.findings.contains { $0.code == .resultKey && $0.message.contains("cannot be read") })
    }

    // MARK: Keys that certify others

    @Test("A key certifies keys in memory for a day, or for as long as its section says")
    func certifies() throws {
        let keys = "\(Self.key("one", Self.section("lifetime: 48h"))), \(Self.key("two", Self.section("")))"
        let settings = try settings("issuer: https://a.example.com, keys: [\(keys), \(Self.key("test"))]")
        #expect(settings.devices.keys.map(\.certifiedLifetime) == [172_800_000, 86_400_000, nil])
        // Results of a day want certificates that are good for two.
        let rule = "shapes: [ear-jwt], audiences: [a], lifetime: 24h"
        func problems(_ lifetime: String) throws -> [String] {
            try check(
                results:
                    "issuer: https://a.example.com, keys: [\(Self.key("one", Self.section("lifetime: \(lifetime)"))), \(Self.key("two"))]",
                rule: rule
            ).problems.map { "\($0.path): \($0.message)" }
        }
        let found = try problems("48h")
        #expect(found.count == 1 && found.first?.hasPrefix("results.keys[0].certifies.lifetime: want at least ") == true)
        #expect(try problems("49h").isEmpty)
    }

    @Test("What a key certifies is signed by it, under the name of the issuer")
    func certified() async throws {
        let authority = try makeAuthority()
        let keys = try settings(Self.certifying).open { (_, _) throws(CredentialFileError) in throw CredentialFileError("", "")
        }
        let key = try #require(keys.first)
        #expect(key.certification?.lifetime == 86_400_000 && keys.last?.certification == nil)
        #expect(try await keys.last?.shortLived(at: Self.now) == nil)
        let shortLived = try #require(try await key.shortLived(at: Self.now))
        #expect(shortLived.certificates.count == 2 && shortLived.certificates.last == authority)
        #expect(shortLived.signer.algorithm == .p256 && shortLived.identifier != key.identifier)
        let (own, above) = (
            try Certificate(der: shortLived.certificates[0][...]), try Certificate(der: authority[...])
        )
        #expect("\(own.subject)" == "CN=https://a.example.com" && own.issuer == above.subject)
        try PublicKey(above.publicKey).verify(own.signature, by: own.signatureAlgorithm, over: own.signedPart)
        var check = try check(results: Self.certifying)
        await check.openResultKeys()
        #expect(codes(check).isEmpty, "\(check.findings)")
        #expect(check.configuration?.summary.contains { $0.contains("certifies keys in memory for 1d") } == true)
    }

    @Test("A key whose certificate does not make a CA of it certifies nothing, and the daemon does not start with it")
    func uncertifying() async throws {
        func expectFailure(_ words: String, _ change: (inout CertificateBuilder) -> Void) async throws {
            try makeAuthority(change)
            var check = try check(results: Self.certifying)
            await check.openResultKeys()
            let found = check.findings.filter { $0.code == .resultKey }
            #expect(found.map(\.path) == ["results.keys[0].certificate"], "\(check.findings)")
            #expect(found.first?.message.contains("lets the key certify no others") == true, "\(found)")
            #expect(found.first?.message.contains(words) == true, "\(found)")
        }
        try await expectFailure("is not a CA: no CA:TRUE") { $0[ExtensionName.basicConstraints] = nil }
        try await expectFailure("is not a CA: no CA:TRUE") {
            $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false)
        }
        try await expectFailure("lacks the key usage keyCertSign") {
            $0[ExtensionName.keyUsage] = .keyUsage(.digitalSignature)
        }
        try await expectFailure("lacks the key usage keyCertSign") { $0[ExtensionName.keyUsage] = nil }
        try await expectFailure("has no subject") { $0.subject = .init() }
        try await expectFailure("which is not understood") {
            $0.extensions.append(.init("1.3.6.1.4.1.99999.1", critical: true, [5, 0]))
        }
    }

    @Test("A key of Ed25519 certifies nothing")
    func edwards() async throws {
        let passphrase = try Passphrase.read(folder.file("two.passphrase"))
        let key = try SigningKeyFile.read(folder.file("two.key"), passphrase: passphrase)
        try folder.write(PEM.encode(try Self.certificate(of: key.publicKey, by: TestSigningKey(.p256))), to: "own.pem")
        var check = try check(
            results: "issuer: https://a.example.com, keys: [\(Self.key("one")), \(Self.key("two", Self.section("")))]")
        await check.openResultKeys()
        let found = check.findings.filter { $0.code == .resultKey }
        #expect(found.map(\.path) == ["results.keys[1].certificate"])
        #expect(found.first?.message.contains("is neither P-256 nor P-384") == true, "\(found)")
    }

    /// Two keys, of which the first certifies.
    private static let certifying =
        "issuer: https://a.example.com, keys: [\(key("own", section(""))), \(key("two"))]"

    /// Writes a key and its certificate, which is that of a CA but for what is changed.
    @discardableResult
    private func makeAuthority(_ change: (inout CertificateBuilder) -> Void = { _ in }) throws -> [UInt8] {
        for ending in ["key", "passphrase"] { try? FileManager.default.removeItem(atPath: folder.file("own.\(ending)")) }
        let scalar = [0x7F] + SecureRandom.bytes(31)
        try make("own", SigningKey(sec1: Self.ecPrivateKey(scalar)))
        let key = try TestSigningKey(.p256, scalar: scalar)
        let name = CertificateBuilder.Name(commonName: "results")
        var builder = CertificateBuilder(
            serial: [1], algorithm: .ecdsaWithSHA256, issuer: name, notBefore: Self.now.adding(milliseconds: -86_400_000),
            notAfter: Self.now.adding(milliseconds: 60 * 86_400_000), subject: name,
            subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [.basicConstraints(ca: true, pathLength: 0), .keyUsage([.keyCertSign, .digitalSignature])])
        change(&builder)
        let certificate = try builder.signed(by: key)
        try folder.write(PEM.encode(certificate), to: "own.pem")
        return certificate
    }

    @Test("A certified key of Ed25519 is told where wallets' attestations are given out, which it cannot sign")
    func unfit() async throws {
        let passphrase = try Passphrase.read(folder.file("two.passphrase"))
        let edwards = try SigningKeyFile.read(folder.file("two.key"), passphrase: passphrase)
        try folder.write(
            PEM.encode(try Self.certificate(of: edwards.publicKey, by: TestSigningKey(.p256))), to: "two.pem")
        let results =
            "issuer: https://a.example.com, keys: [\(Self.key("one")), \(Self.key("two", ", certificate: two.pem"))]"
        let wallet = "shapes: [key-attestation], audiences: [a], wallet: {name: a, version: b, certification: c}"
        for (rule, isTold) in [(wallet, true), (Self.rule, false)] {
            var check = try check(results: results, rule: rule)
            await check.openResultKeys()
            let found = check.findings.filter { $0.code == .resultKeyUnfit }
            #expect(found.map(\.path) == (isTold ? ["results.keys[1]"] : []), "\(check.findings)")
        }
    }

    /// A certificate that is valid from yesterday on, for 61 days.
    private static func certificate(of publicKey: [UInt8], by key: TestSigningKey) throws -> [UInt8] {
        try CertificateBuilder(
            serial: [1], algorithm: .ecdsaWithSHA256, issuer: .init(commonName: "results"),
            notBefore: now.adding(milliseconds: -86_400_000), notAfter: now.adding(milliseconds: 60 * 86_400_000),
            subject: .init(commonName: "results"), subjectPublicKeyInfo: publicKey,
            extensions: [.subjectKeyIdentifier(key)]
        ).signed(by: key)
    }

    /// ECPrivateKey (RFC 5915 §3).
    private static func ecPrivateKey(_ scalar: [UInt8]) -> [UInt8] {
        DERWriter.sequence([
            DERWriter.integer(1), DERWriter.octetString(scalar),
            DERWriter.context(0, [DERWriter.objectIdentifier("1.2.840.10045.3.1.7")]),
        ])
    }
}
