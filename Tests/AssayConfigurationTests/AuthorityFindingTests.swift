import AssayCertificates
import AssayCore
import AssayProvisioning
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// CAs that cannot sign: `check-config` says so, and the daemon does not start with them.
@Suite("Findings about the CAs of device certificates", .timeLimit(.minutes(30)))
struct AuthorityFindingTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        for name in ["run", "data"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        let authorities = AuthorityFolder(folder.file("ca"))
        try authorities.make()
        let root = authorities.files(of: AuthorityFolder.rootName)
        _ = try await authorities.initialize(
            AuthorityPlan(), root: root, issuing: authorities.files(of: "issuing-1"), at: SystemClock().now(), iterations: 1000)
        _ = try await authorities.next(
            AuthorityPlan(), root: root, issuing: authorities.files(of: "issuing-2"), at: SystemClock().now(), iterations: 1000)
        try folder.write(Self.text(["issuing-1", "issuing-2"]), to: "assayd.yaml")
    }

    private static func text(_ names: [String]) -> String {
        let authorities = names.map {
            """
                - name: \($0)
                  certificate: ca/\($0).pem
                  key: ca/\($0).key
                  passphrase_file: ca/\($0).passphrase
            """
        }
        return """
            listen: [{unix: run/a.sock}]
            store: {path: data/ledger.db}
            callers: {known: [{name: handler, unix_user: 0, roles: [verify, provision], apps: all}]}
            apps:
              photos:
                provisioning: {}
                app_attest:
                  identities: [{app_id: TEAMID1234.com.example.photos}]
            provisioning:
              authorities:
            \(authorities.joined(separator: "\n"))
            """
    }

    private func findings(as account: UnixAccount = .current) async -> [ConfigurationFinding] {
        var check = ConfigurationCheck(folder.file("assayd.yaml"), as: account)
        #expect(check.problems.isEmpty, "\(check.problems)")
        await check.openAuthorities(as: account)
        #expect(check.isGood == check.findings.isEmpty)
        return check.findings
    }

    /// check-config and the daemon's start say that a CA cannot be used, where, and why.
    private func expectFailure(
        _ place: String, _ line: Int?, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = await findings()
        #expect(
            found.map(\.code) == [.issuingKey] && found.first?.severity == .failure, "\(found)", sourceLocation: sourceLocation)
        #expect(found.first?.path == place && found.first?.line == line, "\(found)", sourceLocation: sourceLocation)
        #expect(found.first?.message.contains(words) == true, "\(found)", sourceLocation: sourceLocation)
        let settings = try Configuration.load(folder.file("assayd.yaml")).live.provisioning
        #expect(throws: StartupError.self, sourceLocation: sourceLocation) {
            _ = try deviceAuthorities(settings, logger: .silent)
        }
    }

    @Test("Two good CAs have no findings")
    func none() async throws {
        #expect(await findings().isEmpty)
        let settings = try Configuration.load(folder.file("assayd.yaml")).live.provisioning
        #expect(try deviceAuthorities(settings, logger: .silent).authorities(at: SystemClock().now()).count == 2)
    }

    @Test("A CA signs with the certificates that were read with the configuration, whatever becomes of their file")
    func readOnce() throws {
        let settings = try Configuration.load(folder.file("assayd.yaml")).live.provisioning
        try folder.write("exchanged", to: "ca/issuing-1.pem")
        let opened = try deviceAuthorities(settings, logger: .silent).authorities(at: SystemClock().now())
        #expect(opened.map(\.issuer) == settings?.anchors.map(\.publicKeySHA256) && opened.count == 2)
        #expect(throws: ConfigurationError.self) { try Configuration.load(folder.file("assayd.yaml")) }
    }

    @Test("A key that belongs to another certificate is found")
    func foreign() async throws {
        for suffix in ["key", "passphrase"] {
            try Data(contentsOf: URL(filePath: folder.file("ca/issuing-1.\(suffix)")))
                .write(to: URL(filePath: folder.file("ca/issuing-2.\(suffix)")))
        }
        try await expectFailure("provisioning.authorities[1].key", 17, "does not belong to")
    }

    @Test("A wrong, open or missing passphrase is found")
    func passphrase() async throws {
        try folder.write("wrong", to: "ca/issuing-1.passphrase")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("ca/issuing-1.passphrase"))
        try await expectFailure("provisioning.authorities[0].key", 13, "passphrase")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.file("ca/issuing-1.passphrase"))
        try await expectFailure("provisioning.authorities[0].passphrase_file", 14, "can be read by others")
        try FileManager.default.removeItem(atPath: folder.file("ca/issuing-1.passphrase"))
        try await expectFailure("provisioning.authorities[0].passphrase_file", 14, "is missing")
    }

    @Test("A certificate without the root above it is found")
    func chain() async throws {
        let text = folder.text("ca/issuing-1.pem")
        let end = try #require(text.range(of: "-----END CERTIFICATE-----\n")?.upperBound)
        try folder.write(String(text[..<end]), to: "ca/issuing-1.pem")
        try await expectFailure("provisioning.authorities[0].certificate", 12, "self-signed root")
    }

    @Test("Two CAs with one key are found")
    func double() async throws {
        let text = Self.text(["issuing-1", "issuing-2"]).replacing("ca/issuing-2.", with: "ca/issuing-1.")
        try folder.write(text, to: "assayd.yaml")
        try await expectFailure("provisioning.authorities", 11, "have the same key")
    }
}
