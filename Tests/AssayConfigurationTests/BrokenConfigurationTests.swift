import AssayCertificates
import AssayCore
import AssaySchemes
import AssaySimulator
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// A configuration that works, broken in one place: it is never called good, whatever the mistake is.
@Suite("A broken configuration")
struct BrokenConfigurationTests {
    /// What becomes of it.
    enum Ending: String, Sendable {
        /// It cannot be used at all: exit status 65.
        case refused
        /// It can be read, and would not work on this machine.
        case fails
        /// It works, and something in it is probably not meant.
        case warns
    }

    struct Breakage: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let ending: Ending
        let words: String
        var testDescription: String { "\(old) → \(new)" }

        init(_ old: String, _ new: String, _ ending: Ending, _ words: String) {
            (self.old, self.new, self.ending, self.words) = (old, new, ending, words)
        }
    }

    static let working = """
        listen:
          - unix: a.sock
            mode: 0666
          - tls: 127.0.0.1:0
        store:
          path: ledger.db
        callers:
          known:
            - {name: handler, unix_user: 0, roles: [verify], apps: [photos]}
            - {name: far, uri: "spiffe://example.org/far", roles: [observe], apps: all}
        tls:
          certificate: server.pem
          private_key: server.key
          client_ca: ca.pem
        limits:
          max_calls: 100
        apps:
          photos:
            challenge: {ttl: 5m}
            app_attest:
              identities:
                - app_id: TEAMID1234.com.example.photos
            android:
              packages:
                - name: com.example.photos
                  signers: ["9E:6A:8F:3E:0D:76:1A:78:01:79:F9:3A:CD:57:21:BA:1A:B7:C8:C5:37:C7:76:10:73:C0:A7:54:B0:E9:32:DE"]
              revocation: {source: file, file: list.json}
        """

    /// A label of a host name has at most 63 characters (RFC 1035, section 2.3.4), so no name service is asked.
    static let unknownHost = String(repeating: "a", count: 64)

    static let breakages: [Breakage] = [
        // Writing
        Breakage("store:", "\tstore:", .refused, "not YAML"), Breakage("[photos]}", "[photos}", .refused, "not YAML"),
        Breakage("  path: ledger.db", "  path: ledger.db\n  path: other.db", .refused, "given more than once"),
        Breakage("unix_user: 0", "unix_usr: 0", .refused, "did you mean \"unix_user\"?"),
        Breakage("app_attest:", "appattest:", .refused, "unknown key"),
        Breakage("  path: ledger.db", "  path:", .refused, "have nothing"),
        // What the daemon writes is no other file, by whatever name.
        Breakage("  path: ledger.db", "  path: ledger.db\n  key_file: ./ledger.db", .refused, "want a file of its own"),
        Breakage("  path: ledger.db", "  path: ledger.db\n  key_file: ledger.db-wal", .refused, "want a file of its own"),
        Breakage("  path: ledger.db", "  path: ledger.db\n  key_file: assayd.yaml", .refused, "want a file of its own"),
        Breakage("  path: ledger.db", "  path: list.json", .refused, "want a file of its own"),
        Breakage("- unix: a.sock", "- unix: ledger.db.lock", .refused, "want a file of its own"),
        Breakage(
            "  path: ledger.db", "  path: link.db\n  key_file: folder/real.db-wal", .refused, "want a file of its own"),
        Breakage("  path: ledger.db", "  path: link.db\n  key_file: folder/real.db", .refused, "want a file of its own"),
        Breakage("- unix: a.sock", "- unix: a.sock\n  - unix: ./a.sock", .refused, "want a file of its own"),
        Breakage(
            "limits:", "feeds: {google_attestation_status: {file: ledger.db.key}}\nlimits:", .refused, "want a file of its own"),
        Breakage(
            "limits:", "feeds: {google_attestation_status: {file: server.pem}}\nlimits:", .refused, "want a file of its own"),
        Breakage(
            "revocation: {source: file, file: list.json}", "revocation: {source: none, max_age: 7d}", .refused,
            "judged only with"),
        Breakage(
            "revocation: {source: file, file: list.json}",
            "revocation: {source: none}\n      key: {user_authentication: {max_timeout: 1500ms}}", .refused,
            "want whole seconds"),
        Breakage("limits:", "apple: {teams: []}\nlimits:", .refused, "want at least one team"),
        Breakage("mode: 0666", "mode: rw-rw-rw-", .refused, "want an octal file mode"),
        Breakage("ttl: 5m", "ttl: 5", .refused, "want a duration"),
        Breakage("ttl: 5m", "ttl: 5h", .refused, "want a duration"),
        Breakage("max_calls: 100", "max_calls: many", .refused, "want a number"),
        Breakage("max_calls: 100", "max_calls: 1e3", .refused, "want a number"),
        Breakage("roles: [verify]", "roles: verify", .refused, "want a list"),
        Breakage("roles: [verify]", "roles: []", .refused, "may do nothing"),
        Breakage("[photos]}", "[photo]}", .refused, "did you mean \"photos\"?"),
        Breakage("photos:\n", "Photos:\n", .refused, "an app's name is of the form"),
        Breakage("unix_user: 0", "unix_user: no-such-user-here", .refused, "has no user"),
        Breakage("name: far", "name: handler", .refused, "two callers have the name"),
        // Places
        Breakage("127.0.0.1:0", "127.0.0.1", .refused, "want host:port"),
        Breakage("- tls: 127", "- tcp: 127", .refused, "nobody may call over TCP"),
        Breakage("- tls: 127.0.0.1:0", "- unix: a.sock", .refused, "stands here twice"),
        Breakage("unix: a.sock", "unix: \(String(repeating: "deep/", count: 30))a.sock", .refused, "at most 107"),
        Breakage("unix: a.sock", "unix: nowhere/a.sock", .fails, "does not exist"),
        Breakage("unix: a.sock", "unix: other.key", .fails, "is no socket"),
        Breakage("unix: a.sock", "unix: link.sock", .fails, "is a symbolic link"),
        Breakage("path: ledger.db", "path: loop.db", .fails, "leads back to itself"),
        Breakage("path: ledger.db", "path: nowhere/ledger.db", .fails, "does not exist"),
        Breakage("path: ledger.db", "path: folder", .fails, "is not a regular file"),
        Breakage("path: ledger.db", "path: ledger.db\n  key_file: old.pem", .fails, "does not hold 32 bytes"),
        Breakage("127.0.0.1:0", "\(unknownHost):0", .fails, "host \"\(unknownHost)\""),
        Breakage("127.0.0.1:0", "192.0.2.1:47113", .fails, "is not an address of this machine"),
        Breakage("- tls: 127.0.0.1:0", "- tls: 0.0.0.0:47113\n  - tls: 127.0.0.1:47113", .fails, "are one place"),
        Breakage("- tls: 127.0.0.1:0", "- tls: 127.0.0.1:47113\n  - tls: 127.1:47113", .fails, "are one place"),
        Breakage("mode: 0666", "mode: 0000", .warns, "lets no user connect but root"),
        Breakage("mode: 0666", "mode: 0400", .warns, "lets no user connect but root"),
        Breakage("mode: 0666", "mode: 0555", .warns, "lets no user connect but root"),
        // Certificates
        Breakage("certificate: server.pem", "certificate: nowhere.pem", .refused, "there is no such file"),
        Breakage("private_key: server.key", "private_key: other.key", .refused, "the key is not the certificate's"),
        Breakage("client_ca: ca.pem", "client_ca: list.json", .refused, "no certificate in PEM"),
        Breakage(
            "certificate: server.pem\n  private_key: server.key", "certificate: old.pem\n  private_key: old.key", .refused,
            "expired"),
        Breakage(
            "certificate: server.pem\n  private_key: server.key", "certificate: caller.pem\n  private_key: caller.key",
            .refused,
            "does not have serverAuth"),
        Breakage("client_ca: ca.pem", "client_ca: caller.pem", .refused, "is not a CA certificate"),
        Breakage(
            "certificate: server.pem\n  private_key: server.key", "certificate: nameless.pem\n  private_key: nameless.key",
            .warns,
            "no subject alternative name"),
        // Apps
        Breakage(
            "      identities:\n        - app_id: TEAMID1234.com.example.photos", "      identities: []", .refused,
            "at least one identity"),
        Breakage("TEAMID1234.com", "com", .warns, "no App ID prefix"),
        Breakage("name: com.example.photos", "name: photos", .refused, "want a package"),
        Breakage("9E:6A", "9E", .refused, "want a SHA-256"),
        Breakage("file: list.json", "file: nowhere.json", .refused, "cannot be read"),
        Breakage("file: list.json", "file: ca.pem", .refused, "not a revocation list"),
        Breakage("file: list.json", "file: future.json", .fails, "a date in the future"),
        Breakage("{source: file, file: list.json}", "{source: file}", .refused, "want \"file\""),
        // Policies that no device meets, and options that do nothing
        Breakage(
            "revocation: {source: file", "patch_levels: {os: 299912}\n      revocation: {source: file", .warns,
            "level of 2999-12 yet"),
        Breakage(
            "revocation: {source: file", "patch_levels: {boot: 0months}\n      revocation: {source: file", .warns, "few devices"
        ),
        Breakage(
            "revocation: {source: file", "patch_levels: {os: 102503}\n      revocation: {source: file", .warns,
            "from before 2015-10"),
        Breakage(
            "revocation: {source: file", "min_os_version: 1300000\n      revocation: {source: file", .warns,
            "no Android 130 yet"),
        Breakage(
            "revocation: {source: file", "key: {kinds: [x25519]}\n      revocation: {source: file", .refused,
            "can have the purposes"),
        Breakage(
            "revocation: {source: file", "key: {kinds: [ec_p256, x25519]}\n      revocation: {source: file", .warns,
            "never for what is demanded"),
        Breakage(
            "revocation: {source: file", "key: {kinds: [ec_p521]}\n      revocation: {source: file", .warns,
            "none of its signatures can be verified"),
        Breakage(
            "revocation: {source: file",
            "key: {purposes: [decrypt, wrap_key], forbidden_purposes: [sign]}\n      revocation: {source: file",
            .warns, "can never show again"),
        Breakage(
            "revocation: {source: file",
            "key: {purposes: [attest_key], forbidden_purposes: []}\n      revocation: {source: file", .warns,
            "a key for attest_key cannot sign"),
        Breakage(
            "com.example.photos\n          signers",
            "com.example.photos\n          min_version: 99999999999\n          signers", .warns, "no version codes above"),
        Breakage(
            "app_attest:\n", "app_attest:\n      receipt: {mode: off, max_age: 5m}\n", .refused,
            "the receipt's age is not checked"),
        Breakage("app_attest:\n", "app_attest:\n      validation_categories: [4, 40]\n", .warns, "has the category 40"),
        Breakage("app_attest:\n", "app_attest:\n      validation_categories: [6]\n", .warns, "is for Macs"),
        Breakage("app_attest:\n", "app_attest:\n      bundle_versions: [\"\"]\n", .refused, "an empty text"),
        Breakage("app_attest:\n", "app_attest:\n      extra_roots: [ca.pem]\n", .refused, "is one of \"trust.test_roots\" too"),
        Breakage("TEAMID1234.com.example.photos", "TEAMID1234.com..photos", .warns, "no bundle identifier"),
        Breakage("challenge: {ttl: 5m}", "binding: {embedded: {offset: 65500, encoding: raw}}", .refused, "would end beyond"),
        Breakage("limits:", "vendors: {connect_timeout: 20s, timeout: 10s}\nlimits:", .refused, "longer than \"timeout\""),
        // What works otherwise than it looks
        Breakage("mode: 0666", "mode: 0600", .warns, "may call, but not connect"),
        Breakage("  - unix: a.sock\n    mode: 0666\n", "", .warns, "nothing listens at a Unix socket"),
        Breakage("[verify]", "[observe]", .warns, "no caller with the role verify"),
        Breakage("[photos]}", "[]}", .warns, "may name no app"),
    ]

    static func scene() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let authority = try TestTLSAuthority()
        let server = try authority.issue(.server, names: [.dns("localhost")])
        try folder.write(authority.pem, to: "ca.pem")
        try folder.write(server.certificate, to: "server.pem")
        try folder.write(server.privateKey, to: "server.key")
        try folder.write(authority.issue(.server, names: []).privateKey, to: "other.key")
        for (name, issued) in [
            ("caller", try authority.issue(.client, names: [.dns("localhost")])),
            ("nameless", try authority.issue(.server, names: [])),
        ] {
            try folder.write(issued.certificate, to: name + ".pem")
            try folder.write(issued.privateKey, to: name + ".key")
        }
        let past = try authority.issue(.server, names: [], notAfter: .init(unixSeconds: 1_600_000_000))
        try folder.write(past.certificate, to: "old.pem")
        try folder.write(past.privateKey, to: "old.key")
        for file in ["list.json", "future.json"] { try folder.write(#"{"entries": {"1a": {"status": "REVOKED"}}}"#, to: file) }
        let files = FileManager.default
        try files.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: folder.file("future.json"))
        try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("server.key"))
        try files.createSymbolicLink(atPath: folder.file("link.sock"), withDestinationPath: folder.file("nothing"))
        try files.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.file("loop.db"), withDestinationPath: "loop.db")
        // SQLite and the lock name their files after what it leads to, which is not there yet.
        try files.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: "folder/real.db")
        return folder
    }

    /// The first caller is another user than the daemon, which is not root.
    private static let account = UnixAccount(userID: 4_000_000, groups: [4_000_000, UInt32(getegid())])

    private func check(_ text: String, in folder: TemporaryFolder) throws -> ConfigurationCheck {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        return ConfigurationCheck(try folder.write(text, to: "assayd.yaml"), as: Self.account)
    }

    @Test("is good as long as nothing is broken")
    func unbroken() throws {
        let check = try check(Self.working, in: try Self.scene())
        #expect(check.isGood && check.findings.isEmpty, "\(check.lines) \(check.errors)")
    }

    @Test(
        "A file that the daemon's user cannot read is a failure",
        arguments: ["assayd.yaml", "server.pem", "server.key", "ca.pem", "list.json"])
    func unreadable(_ name: String) throws {
        let folder = try Self.scene()
        #expect(try check(Self.working, in: folder).isGood)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name))
        let check = ConfigurationCheck(folder.file("assayd.yaml"), as: Self.account)
        let found = check.findings.filter { $0.code == .fileUnreadable }
        #expect(found.count == 1 && found.first?.message.contains(folder.file(name)) == true, "\(check.lines)")
        #expect(
            !check.isGood && ConfigurationCheck(folder.file("assayd.yaml")).findings.allSatisfy { $0.code != .fileUnreadable })
    }

    @Test(
        "A pipe in the place of a file is an error, and nothing waits for a writer",
        arguments: ["server.pem", "ca.pem", "list.json"])
    func pipe(_ name: String) throws {
        let folder = try Self.scene()
        try FileManager.default.removeItem(atPath: folder.file(name))
        try #require(mkfifo(folder.file(name), 0o644) == 0)
        let check = try check(Self.working + "\ntrust: {test_roots: [ca.pem]}", in: folder)
        #expect(check.exitStatus == 65 && check.errors.contains(folder.file(name)), "\(check.errors)")
    }

    @Test("An extra root whose key is denied is an error")
    func deniedRoot() throws {
        let folder = try Self.scene()
        let pem = String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.file("ca.pem"))), as: UTF8.self)
        let key = Hex.encode(try TrustAnchor(name: "ca", pem: pem, simulated: false).publicKeySHA256)
        func text(denied: String) -> String {
            Self.working.replacing(
                "revocation: {source: file",
                with: "extra_roots: [ca.pem]\n      denied: {public_keys: [\(denied)]}\n      revocation: {source: file")
        }
        let check = try check(text(denied: key), in: folder)
        #expect(check.exitStatus == 65 && check.errors.contains("stands in \"denied.public_keys\" too"), "\(check.errors)")
        let other = try self.check(text(denied: String(repeating: "11", count: 32)), in: folder)
        #expect(other.isGood, "\(other.lines) \(other.errors)")
    }

    @Test("may begin with a byte order mark, as some editors write it")
    func byteOrderMark() throws {
        let folder = try Self.scene()
        let check = try check("\u{FEFF}" + Self.working, in: folder)
        #expect(check.isGood, "\(check.lines) \(check.errors)")
        let broken = try self.check("\u{FEFF}" + Self.working.replacing("listen:", with: "lissen:"), in: folder)
        #expect(broken.errors.contains("assayd.yaml:1: unknown key \"lissen\"; did you mean \"listen\"?"), "\(broken.errors)")
        let units = Self.working.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let utf16 = ConfigurationCheck(try folder.write([0xFF, 0xFE] + units, to: "wide.yaml"), as: Self.account)
        #expect(utf16.errors.contains("the file is UTF-16 or UTF-32; save it as UTF-8"))
    }

    @Test("is never called good, and what is wrong is said", arguments: breakages)
    func broken(_ breakage: Breakage) throws {
        try #require(Self.working.contains(breakage.old))
        var text = Self.working.replacing(breakage.old, with: breakage.new, maxReplacements: 1)
        if breakage.words.contains("trust.test_roots") { text += "\ntrust: {test_roots: [ca.pem]}" }
        if breakage.new == "mode: 0600" { text = text.replacing("unix_user: 0", with: "unix_user: 4000001") }
        let check = try check(text, in: try Self.scene())
        switch breakage.ending {
        case .refused:
            #expect(check.exitStatus == 65 && check.lines.isEmpty && !check.isGood)
            #expect(check.errors.contains(breakage.words), "\(check.errors)")
        case .fails:
            #expect(!check.isGood && check.lines.first?.hasSuffix(": good") == false)
            let found = check.findings.first { $0.message.contains(breakage.words) }
            #expect(found?.severity == .failure, "\(check.lines)")
        case .warns:
            let found = check.findings.first { $0.message.contains(breakage.words) }
            #expect(found?.severity == .warning, "\(check.lines) \(check.errors)")
            #expect(check.lines.first?.contains(": can be used; ") == true && !check.isGood)
        }
    }
}
