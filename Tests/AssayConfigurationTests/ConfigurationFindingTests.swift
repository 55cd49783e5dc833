import AssayCore
import AssaySchemes
import AssaySimulator
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

@Suite("Findings about a configuration")
struct ConfigurationFindingTests {
    private let folder: TemporaryFolder
    /// A user without groups of anybody's.
    private let account = UnixAccount(userID: 4_000_000, groups: [4_000_000])

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(TestAuthority().rootPEM, to: "root.pem")
    }

    private static let good = """
        listen: [{unix: run/a.sock, mode: 0666}]
        store: {path: data/ledger.db}
        callers: {known: [{name: handler, unix_user: 0, roles: [verify], apps: all}]}
        apps:
          photos:
            app_attest:
              identities: [{app_id: TEAMID1234.com.example.photos}]
        """

    private func make(_ name: String, mode: Int = 0o777) throws {
        try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        try setMode(name, mode)
    }

    private func setMode(_ name: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }

    private func check(_ text: String = good, at now: Timestamp = SystemClock().now()) throws -> ConfigurationCheck {
        if !FileManager.default.fileExists(atPath: folder.file("run")) { try make("run") }
        if !FileManager.default.fileExists(atPath: folder.file("data")) { try make("data") }
        try folder.write(text, to: "assayd.yaml")
        return ConfigurationCheck(folder.file("assayd.yaml"), as: account, at: now)
    }

    private func codes(_ text: String = good) throws -> [String] { try check(text).findings.map(\.code.rawValue) }

    @Test("are none where nothing will fail or surprise")
    func none() throws {
        let check = try check()
        #expect(check.findings.isEmpty && check.isGood && check.exitStatus == 0)
        #expect(check.lines.first == folder.file("assayd.yaml") + ": good")
    }

    // MARK: The machine

    @Test("say which folders are missing or cannot be written, before the daemon fails for want of them")
    func folders() throws {
        try make("run", mode: 0o755)
        try make("data", mode: 0o755)
        let closed = try check()
        // The key file's folder is the ledger's, and is told of once.
        #expect(closed.findings.map(\.code) == [.socketFolder, .ledgerFolder])
        #expect(closed.findings.map(\.line) == [1, 2])
        #expect(closed.findings.last?.message == "the user 4000000 may not write into the folder \(folder.file("data"))")
        #expect(!closed.isGood && closed.exitStatus == 0)
        #expect(closed.lines.first == folder.file("assayd.yaml") + ": would not work here: 2 failures")
        for name in ["run", "data"] { try FileManager.default.removeItem(atPath: folder.file(name)) }
        try folder.write("", to: "run")
        try make("data")
        let wrong = try check(Self.good.replacing("data/", with: "nowhere/"))
        #expect(wrong.findings.map(\.code) == [.socketFolder, .ledgerFolder])
        let nowhere = folder.file("nowhere")
        #expect(wrong.findings.last?.message == "the folder \(nowhere) does not exist: mkdir -p \(nowhere) makes it")
        #expect(wrong.findings.first?.message == "\(folder.file("run")) is not a folder")
    }

    @Test("say what stands where the ledger, its key or the socket should be")
    func files() throws {
        for name in ["run", "data", "data/ledger.db"] { try make(name) }
        #expect(try codes() == ["ledger_file"])
        try FileManager.default.removeItem(atPath: folder.file("data/ledger.db"))
        try folder.write("x", to: "data/ledger.db")
        try setMode("data/ledger.db", 0o600)
        #expect(try codes() == ["ledger_file", "key_file"], "another user's ledger, and its key is gone")
        try FileManager.default.removeItem(atPath: folder.file("data/ledger.db"))
        for (size, mode, want) in [
            (31, 0o600, "does not hold 32 bytes"), (32, 0o640, "can be read by others"), (32, 0o600, "may not read"),
        ] {
            try folder.write([UInt8](repeating: 1, count: size), to: "data/ledger.db.key")
            try setMode("data/ledger.db.key", mode)
            let findings = try check().findings
            #expect(findings.map(\.code) == [.keyFile] && findings.first?.message.contains(want) == true, "\(findings)")
        }
        try FileManager.default.removeItem(atPath: folder.file("data/ledger.db.key"))
        try folder.write("x", to: "run/a.sock")
        #expect(try codes() == ["socket_file"])
    }

    @Test("say whom the socket's mode shuts out of those who may call")
    func socketMode() throws {
        for (mode, isOpen) in [("0600", false), ("0644", false), ("0660", true), ("0666", true), ("0000", false)] {
            let text = Self.good.replacing("0666", with: mode).replacing("unix_user: 0,", with: "unix_user: 4000001,")
            let findings = try check(text).findings
            #expect(findings.map(\.code) == (isOpen ? [] : [.socketMode]), "\(mode)")
            guard !isOpen else { continue }
            #expect(findings.first?.message.hasPrefix("handler (the user 4000001) may call, but not connect") == true)
        }
        let own = Self.good.replacing("0666", with: "0600").replacing("unix_user: 0,", with: "unix_user: 4000000,")
        #expect(try codes(own).isEmpty, "the daemon's own user")
        #expect(try codes(Self.good.replacing("0666", with: "0600")).isEmpty, "root connects whatever the mode is")
        // A user whose groups the machine knows, and who is not of the daemon's.
        guard let other = UnixAccount(named: "nobody") else { return }
        #expect(other.userID != 0 && UnixAccount(userID: other.userID)?.name == "nobody")
        let member = Self.good.replacing("0666", with: "0660").replacing("unix_user: 0,", with: "unix_user: nobody,")
        #expect(try codes(member) == ["socket_mode"])
        #expect(try codes(member.replacing("0660", with: "0666")).isEmpty)
        try make("run", mode: 0o700)
        let hidden = ConfigurationCheck(
            try folder.write(member.replacing("0660", with: "0666"), to: "assayd.yaml"), as: UnixAccount(userID: 0, groups: [0])
        )
        #expect(hidden.findings.map(\.code) == [.socketMode], "a folder that it may not enter")
    }

    @Test("say when a file of revoked certificates is too old, from the future, or has odd entries")
    func revocationFile() throws {
        let text =
            Self.good + """

                    android:
                      packages: [{name: com.example.photos, signers: ["\(String(repeating: "ab", count: 32))"]}]
                      revocation: {source: file, file: list.json}
                """
        let now = SystemClock().now()
        for (entries, age, want) in [
            (#""1a": {"status": "REVOKED"}"#, 60, []), (#""1a": {"status": "REVOKED"}"#, -86_400, ["revocation_file"]),
            (#""1a": {"status": "REVOKED"}"#, 8 * 86_400, ["revocation_file"]),
            (#""1a": {"status": "REVOKED"}, "0x": 1"#, 60, ["revocation_entries"]),
        ] {
            try folder.write(#"{"entries": {\#(entries)}}"#, to: "list.json")
            let date = Date(timeIntervalSince1970: Double(now.unixMilliseconds) / 1000 - Double(age))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file("list.json"))
            #expect(try codes(text) == want, "\(entries) \(age)")
        }
        try make("kept", mode: 0o755)
        let google = text.replacing("{source: file, file: list.json}", with: "{source: google}")
        #expect(try codes(google).isEmpty)
        let copy = google + "\nfeeds: {google_attestation_status: {file: kept/list}}"
        #expect(try codes(copy) == ["revocation_copy"])
        #expect(try codes(google + "\nfeeds: {google_attestation_status: {file: kept}}") == ["revocation_copy"], "a folder")
    }

    // MARK: What it says

    @Test("explain what may surprise, each with its line")
    func surprises() throws {
        let cases: [(old: String, new: String, code: String, line: Int?, words: String)] = [
            ("TEAMID1234.", "TEAM.", "app_id_prefix", 7, "ten capital letters and digits"),
            ("TEAMID1234.", "teamid1234.", "app_id_prefix", 7, "ten capital letters and digits"),
            ("com.example.photos}", "com.example.*}", "app_id_prefix", 7, "no bundle identifier"),
            ("store:", "trust: {test_roots: [root.pem]}\nstore:", "test_roots", 2, "1 test root is trusted"),
            ("identities:", "counter: strict\n      identities:", "counter_strict", 7, "window accepts them in any order"),
            ("unix_user: 0,", "uri: \"urn:a\",", "caller_unreachable", 3, "handler is known by its certificate"),
            (
                "{unix: run/a.sock, mode: 0666}", "{tcp: \"127.0.0.1:0\"}", "caller_unreachable", 3,
                "handler is known by its user"
            ),
            ("roles: [verify]", "roles: [observe]", "app_without_caller", 5, "may name the app photos"),
            ("apps: all", "apps: []", "caller_without_apps", 3, "the caller may name no app"),
        ]
        for (old, new, code, line, words) in cases {
            var text = Self.good.replacing(old, with: new, maxReplacements: 1)
            if new.contains("tcp:") { text = text.replacing("callers: {", with: "callers: {loopback_demo: true, ") }
            let findings = try check(text).findings
            let found = findings.first { $0.code.rawValue == code }
            #expect(found?.line == line && found?.message.contains(words) == true, "\(code): \(findings)")
            let first = try check(text).lines.first
            let isDeliberate = code == "counter_strict" || code == "test_roots"
            #expect(first?.contains(isDeliberate ? ": good" : ": can be used; ") == true, "\(first ?? "")")
            // Only what the first line counts is called a warning without more.
            let lines = try check(text).lines.filter { $0.contains(": ") && $0.contains(words) }
            let label = (found?.severity.rawValue ?? "") + (isDeliberate ? " (intended): " : ": ")
            #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("  " + label) }, "\(lines)")
        }
        #expect(try codes(Self.good.replacing("identities:", with: "counter: window\n      identities:")).isEmpty)
        // A key that may ask for verdicts is a caller too.
        let watched = Self.good.replacing("roles: [verify]", with: "roles: [observe]", maxReplacements: 1)
        for (keys, isUsed) in [("{roles: [verify], apps: [photos]}", true), ("{roles: [observe], apps: [photos]}", false)] {
            let text = watched.replacing("callers: {", with: "callers: {keys: \(keys), ", maxReplacements: 1)
            #expect(try codes(text).contains("app_without_caller") == !isUsed, "\(keys)")
        }
    }

    @Test("of every code: strict fails for failures and warnings that are not intended, and the first line counts the lines")
    func strict() throws {
        let sound = try check()
        for code in ConfigurationFinding.Code.allCases {
            var check = sound
            check.find([ConfigurationFinding(code, "words")])
            let passes = code.isDeliberate || code.severity == .note
            #expect(check.exitStatus == 0 && check.strictExitStatus == (passes ? 0 : 1), "\(code)")
            let counted = check.lines.count { $0.hasPrefix("  \(code.severity.rawValue): ") }
            #expect(counted == (code.isDeliberate ? 0 : 1), "\(check.lines)")
            let first = try #require(check.lines.first)
            #expect(first.contains("1 \(code.severity.rawValue)") == !code.isDeliberate, "\(first)")
        }
        #expect(try check("nonsense").strictExitStatus == 65)
    }

    @Test("have codes and severities that the page lists, and no other")
    func page() throws {
        let page = try Package.text("docs/reference/check-config.md")
        for code in ConfigurationFinding.Code.allCases {
            #expect(page.contains("| `\(code.rawValue)` | \(code.severity.rawValue) |"), "\(code)")
        }
    }

    @Test("come with the services outside that are asked, and for which apps")
    func outsideServices() throws {
        let none = try check()
        #expect(none.configuration?.live.outsideServices == [])
        #expect(none.lines.contains("  asks no service outside"))
        let signers = "signers: [\"\(String(repeating: "ab", count: 32))\"]"
        let android = "android: {packages: [{name: com.example.photos, \(signers)}]}"
        let both = try check(Self.good + "\n    \(android)\n  other:\n    \(android)\n")
        #expect(
            both.configuration?.live.outsideServices == [
                OutsideService(
                    call: ServiceCall(
                        "https://android.googleapis.com/attestation/status",
                        for: .init("revocation_list", "the list of revoked attestation certificates")),
                    apps: ["photos", "other"])
            ])
        let words = "  asks https://android.googleapis.com/attestation/status for the list of revoked attestation certificates "
        #expect(both.lines.contains(words + "(photos, other)"), "\(both.lines)")
    }

    @Test("are JSON of a stable form where that is asked for")
    func json() throws {
        func object(_ check: ConfigurationCheck) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(check.json.utf8)) as? [String: Any])
        }
        let good = try object(try check(Self.good.replacing("identities:", with: "counter: strict\n      identities:")))
        #expect(
            good.keys.sorted() == ["digest", "file", "findings", "good", "outside_services", "problems", "summary"])
        #expect(good["good"] as? Bool == true && (good["problems"] as? [Any])?.isEmpty == true)
        let finding = try #require((good["findings"] as? [[String: Any]])?.first)
        #expect(finding.keys.sorted() == ["code", "intended", "line", "message", "path", "severity"])
        #expect(
            finding["intended"] as? Bool == true && finding["code"] as? String == "counter_strict"
                && finding["severity"] as? String == "note")
        #expect(finding["line"] as? Int == 7 && finding["path"] as? String == "apps.photos.app_attest.counter")
        let bad = try object(try check(Self.good.replacing("store:", with: "stroe:")))
        #expect(bad["good"] as? Bool == false && bad["digest"] == nil)
        let problems = try #require(bad["problems"] as? [[String: Any]])
        #expect(problems.count == 1 && problems.contains { $0["line"] as? Int == 2 && $0["path"] as? String == "" })
    }
}
