import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssaySchemes
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Verdict records of the daemon", .timeLimit(.minutes(30)))
struct VerdictRecordSecrecyTests {
    @Test("The file of records has no evidence, challenge, payload, context, subject or idempotency key")
    func nothing() async throws {
        let home = try TestHome()
        try home.folder.write(home.folder.text("assayd.yaml") + "\nverdicts: {record: all}\n", to: "assayd.yaml")
        let configuration = try Configuration.load(home.configuration)
        let records = VerdictRecordPlace(configuration.live.verdicts, logger: .silent)
        let daemon = try await makeDaemon(
            configuration, ledger: MemoryLedger(), vault: SecretVault(key: SecureRandom.bytes(32)), records: records,
            logger: .silent)
        let client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        var phone = home.phone()
        var (secrets, count) = ([[UInt8]](), 0)
        func ask(_ request: VerificationRequest) async throws {
            var request = request
            request.subject = Array("mrs.robinson@example.com".utf8)
            request.idempotencyKey = Array("order of mrs robinson ".utf8) + SecureRandom.bytes(8)
            secrets += [request.subject, request.idempotencyKey, request.challenge, request.context]
            secrets += request.evidence.map(\.body)
            _ = try await client.verify(request)
            count += 1
        }
        let payload = Array("a passport, photographed".utf8)
        secrets.append(payload)
        try await ask(try phone.registration(try await phone.challenge(.register, client)))
        let context = Array("session of mrs robinson".utf8)
        let challenge = try await client.issueChallenge(app: home.app, purpose: .assert, context: context).bytes
        var upload = try phone.upload(challenge, payload)
        upload.context = context
        try await ask(upload)
        upload.context = Array("another session".utf8)
        try await ask(upload)
        upload.challenge = Array("a challenge that a caller made up itself, with 54 byt".utf8) + [0]
        try await ask(upload)
        upload.evidence = [Evidence(format: .appAttestAssertion, keyID: phone.key.keyID, body: Array("no CBOR at all".utf8))]
        try await ask(upload)
        var embedded = upload
        embedded.binding = .embedded(Array("client data of the app".utf8))
        secrets.append(Array("client data of the app".utf8))
        try await ask(embedded)
        #expect(try await client.verdicts().records.count == count)
        await client.close()
        await daemon.server.stop()
        records.store.close()

        var bytes = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: home.folder.path) where name.hasPrefix("verdicts.db") {
            bytes += try Data(contentsOf: URL(fileURLWithPath: home.folder.file(name)))
        }
        #expect(bytes.range(of: Data("challenge_invalid".utf8)) != nil, "the file has what happened")
        for secret in secrets where secret.count > 4 {
            for form in [
                Data(secret), Data(secret.suffix(12)), Data(Hex.encode(secret.suffix(12)).utf8),
                Data(Base64.url.encode(secret.prefix(30)).utf8),
            ] { #expect(bytes.range(of: form) == nil, "\(String(decoding: secret.prefix(60), as: UTF8.self))") }
        }
    }

    @Test("Every key of a platform's table of checks is a key of the platform's page")
    func policyKeys() throws {
        var count = 0
        for scheme in builtInSchemes {
            guard let section = scheme.sectionKey else {
                #expect(scheme.policyKeys.isEmpty)
                continue
            }
            let page = try Package.text("docs/reference/configuration/\(section).md")
            for (check, path) in scheme.policyKeys {
                for key in path.split(separator: ".") {
                    #expect(page.contains("| `\(key)` |"), "\(section): \(check) is decided by \(path)")
                    count += 1
                }
            }
        }
        #expect(count > 60)
    }

    @Test("What is recorded is read from the configuration, and stands in its summary")
    func settings() throws {
        let home = try TestHome()
        func load(_ section: String) throws -> Configuration {
            try Configuration.parse(
                home.folder.text("assayd.yaml") + "\n" + section, file: "assayd.yaml", folder: home.folder.path)
        }
        let usual = try load("")
        #expect(usual.live.verdicts.rule == VerdictRecordRule() && usual.live.verdicts.file == home.folder.file("verdicts.db"))
        #expect(usual.summary.contains("records rejections for 30 days in \(home.folder.file("verdicts.db"))"))
        let all = try load(
            "verdicts: {record: all, file: other.db, keep: 36h, max_records: 5000, max_bytes: 2097152, move_damaged_aside: true, flood: {full_per_minute: 7, then_one_in: 9}}"
        ).live.verdicts
        #expect(all.rule.recorded == .all && all.file == home.folder.file("other.db") && all.movesDamagedAside)
        #expect(all.rule.limits.age == 36 * 3_600_000 && all.rule.limits.rows == 5000 && all.rule.limits.bytes == 2 << 20)
        #expect(all.rule.fullPerMinute == 7 && all.rule.sampledBy == 9)
        for bad in [
            "{record: everything}", "{keep: 1m}", "{max_records: 1}", "{max_bytes: 1}", "{flood: {then_one_in: 0}}",
            "{file: ledger.sqlite}", "{file: ledger.sqlite.key}", "{file: ledger.sqlite-wal}", "{unknown: 1}",
        ] {
            #expect(throws: ConfigurationError.self, "\(bad)") { try load("verdicts: \(bad)") }
        }
    }
}
