import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayFramedRPC
import AssayListening
import AssayRPC
import AssaySchemes
import AssayService
import AssaySimulator
import Foundation
import Logging
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration", .timeLimit(.minutes(30)))
struct ConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(TestAuthority().rootPEM, to: "root.pem")
        let authority = try TestTLSAuthority()
        let server = try authority.issue(.server, names: [.dns("localhost")])
        try folder.write(authority.pem, to: "ca.pem")
        try folder.write(server.certificate, to: "server.pem")
        try folder.write(server.privateKey, to: "server.key")
    }

    static let small = SmallConfiguration.text

    func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "assayd.yaml", folder: folder.path)
    }

    /// The problems of a text, as the operator reads them.
    func problems(_ text: String) -> [String] {
        do {
            _ = try parse(text)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test("A name that no app can have is one error, wherever else it stands; and so is a section of apps that is none")
    func nameOfAnApp() {
        let error =
            #"assayd.yaml:6: apps.Photos: an app's name is of the form [a-z0-9._-]{1,64}, have "Photos"; did you mean "photos"?"#
        let text = Self.small.replacing("photos:\n", with: "Photos:\n")
        #expect(problems(text) == [error])
        #expect(problems(text.replacing("apps: all", with: "apps: [Photos]")) == [error])
        let webhook = "webhooks: [{name: a, url: \"https://example.org/\", secret_file: a.secret, apps: [Photos]}]"
        #expect(problems(text + "\n" + webhook).count { $0.contains("Photos") } == 1)
        #expect(problems(Self.small.replacing("apps:\n", with: "apps: 5\nlog:\n")).count { $0.contains(" apps: ") } == 1)
    }

    // MARK: What is read

    @Test("The defaults are safe")
    func defaults() throws {
        let configuration = try parse(Self.small)
        #expect(configuration.listen == [.unix(path: folder.file("a.sock"), mode: 0o600)])
        #expect(configuration.store == .init(.file(folder.file("ledger.db")), keyFile: folder.file("ledger.db.key")))
        #expect(configuration.callers.loopback == nil)
        #expect(configuration.limits == RPCLimits())
        #expect(configuration.testRoots.isEmpty)
        let app = try #require(configuration.apps.first)
        #expect(configuration.apps.count == 1)
        #expect(app.id == AppID("photos"))
        #expect(app.challenges.timeToLive == 300_000)
        #expect(app.binding == BindingRule())
        let section = try #require(app.appAttest)
        #expect(
            section.identities == [
                AppAttestIdentity(appID: "TEAMID1234.com.example.photos", platform: .iOS, environments: [.production])
            ])
        #expect(section.policy.allowedValidationCategories == nil)
        #expect(section.policy.allowedBundleVersions == nil)
        #expect(!section.policy.requireExtensions)
        #expect(section.policy.counterRule == .window64)
        #expect(section.policy.receipt == ReceiptRule(mode: .report, maxAgeMilliseconds: 300_000))
        #expect(section.extraRoots.isEmpty)
        #expect(!section.policy.acceptImported)
        #expect(app.devicesPerSubject == nil && app.replacement == .ofSubject)
    }

    @Test("Every key is read")
    func everyKey() throws {
        let configuration = try parse(
            """
            listen:
              - tcp: "[::1]:7421"
              - tls: 0.0.0.0:7443
              - unix: /run/assay.sock
                mode: 0660
            store:
              path: /var/lib/assay/ledger.db
              key_file: keys/assay.key
            callers:
              loopback_demo: true
              i_accept_unauthenticated_callers_from_the_network: true
              known:
                - {name: handler, unix_user: 1001, roles: [verify, provision], apps: [photos]}
                - {name: watch, unix_user: 0, roles: [devices, operate, observe], apps: all}
                - {name: far, uri: "spiffe://example.org/far", dns: far.example.org, roles: [verify], apps: []}
            tls:
              certificate: server.pem
              private_key: server.key
              client_ca: ca.pem
            limits:
              handshake_timeout: 3s
              max_frame_bytes: 2097152
              max_connections: 10
              max_calls_per_connection: 11
              max_calls_per_caller: 13
              max_calls: 12
              idle_timeout: 10m
              write_timeout: 250ms
              drain_timeout: 1h
              max_wait: 2s
            trust:
              test_roots: [root.pem]
            apps:
              photos:
                challenge: {ttl: 90s}
                max_devices_per_subject: 3
                replaces: any
                accept_simulated: true
                binding:
                  payload: required
                  embedded: {json_member: request.challenge, encoding: base64url}
                  caller_owned: {spend_evidence_for: 7d}
                app_attest:
                  identities:
                    - {app_id: TEAMID1234.com.example.photos, environments: [development, production]}
                    - {app_id: TEAMID1234.com.example.photos.mac, platform: macos}
                  validation_categories: [2, 4]
                  bundle_versions: ["1.0", "1.1"]
                  require_extensions: true
                  counter: window
                  accept_imported: true
                  extra_roots: [ca.pem]
                  receipt: {mode: require, max_age: 1h}
              offset:
                binding:
                  embedded: {offset: 7, encoding: raw}
                  caller_owned: {}
                app_attest:
                  identities: [{app_id: T.a, platform: ios}]
                  counter: strict
            """)
        #expect(
            configuration.listen == [
                .tcp(host: "::1", port: 7421), .tls(host: "0.0.0.0", port: 7443),
                .unix(path: "/run/assay.sock", mode: 0o660),
            ])
        #expect(
            configuration.tls
                == .init(
                    certificate: folder.file("server.pem"), privateKey: folder.file("server.key"),
                    clientCA: folder.file("ca.pem")))
        #expect(configuration.store == .init(.file("/var/lib/assay/ledger.db"), keyFile: folder.file("keys/assay.key")))
        #expect(configuration.callers.loopback == CallerDirectory.demo)
        let photosID = try #require(AppID("photos"))
        #expect(
            configuration.callers.caller(for: .unix(userID: 1001, groupID: 1, processID: 1))
                == Caller(name: "handler", roles: [.verify, .provision], apps: [photosID]))
        #expect(
            configuration.callers.caller(for: .unix(userID: 0, groupID: 1, processID: 1))
                == Caller(name: "watch", roles: [.devices, .operate, .observe], apps: nil))
        let far = Caller(name: "far", roles: [.verify], apps: [])
        for names in [
            RPCPeerNames(uris: ["spiffe://example.org/far"], dnsNames: []),
            RPCPeerNames(uris: [], dnsNames: ["far.example.org"]),
        ] {
            #expect(configuration.callers.caller(for: .tls(address: "192.0.2.1", port: 1, names: names)) == far)
        }
        #expect(configuration.callers.network == CallerDirectory.unauthenticated)
        var limits = RPCLimits()
        limits.handshakeTimeout = .seconds(3)
        limits.maxFrameBytes = 2_097_152
        limits.maxConnections = 10
        limits.maxInFlightPerConnection = 11
        limits.maxInFlightTotal = 12
        limits.maxInFlightPerCaller = 13
        limits.idleTimeout = .seconds(600)
        limits.writeTimeout = .milliseconds(250)
        limits.drainTimeout = .seconds(3600)
        limits.maxWait = .seconds(2)
        #expect(configuration.limits == limits)
        #expect(configuration.testRoots.map(\.simulated) == [true])

        let photos = try #require(configuration.apps.first)
        #expect(photos.challenges.timeToLive == 90_000)
        #expect(photos.binding.payloadRequired)
        #expect(
            photos.binding.embedded
                == EmbeddedChallenge(place: .jsonMember(["request", "challenge"]), encoding: .base64url))
        #expect(photos.binding.callerOwned?.spendEvidenceFor == 604_800_000)
        let section = try #require(photos.appAttest)
        #expect(
            section.identities == [
                AppAttestIdentity(
                    appID: "TEAMID1234.com.example.photos", platform: .iOS, environments: [.development, .production]),
                AppAttestIdentity(appID: "TEAMID1234.com.example.photos.mac", platform: .macOS),
            ])
        #expect(section.policy.allowedValidationCategories == [2, 4])
        #expect(section.policy.allowedBundleVersions == ["1.0", "1.1"])
        #expect(section.policy.requireExtensions)
        #expect(section.policy.counterRule == .window64)
        #expect(section.policy.receipt == ReceiptRule(mode: .require, maxAgeMilliseconds: 3_600_000))
        #expect(section.policy.acceptImported)
        #expect(photos.devicesPerSubject == 3 && photos.acceptsSimulated && photos.replacement == .any)
        #expect(section.extraRoots.map(\.simulated) == [false])

        let offset = try #require(configuration.apps.last)
        #expect(offset.binding.embedded == EmbeddedChallenge(place: .offset(7), encoding: .raw))
        #expect(offset.binding.callerOwned != nil)
        #expect(offset.binding.callerOwned?.spendEvidenceFor == nil)
        #expect(offset.appAttest?.policy.counterRule == .strictlyIncreasing && !offset.acceptsSimulated)
    }

    @Test("Every role can be given to a caller", arguments: Role.allCases)
    func roles(_ role: Role) throws {
        let configuration = try parse(Self.small.replacing("[verify]", with: "[\(role.rawValue)]"))
        let caller = configuration.callers.caller(for: .unix(userID: 1001, groupID: 1, processID: 1))
        #expect(caller?.roles == [role])
    }

    @Test("Retention and disk limits are read, and by default all records are kept")
    func keeping() throws {
        let usual = try parse(Self.small).store
        #expect(usual.retention.auditRecords == nil && usual.retention.auditRows == nil)
        #expect(usual.retention.verdicts == 1_000_000)
        #expect(usual.retention.challenges == 20_000_000 && usual.retention.evidence == 20_000_000)
        #expect(usual.disk.freeBytes == 1 << 30 && usual.disk.freePercent == 5)
        let store = try parse(
            Self.small.replacing(
                "{path: ledger.db}",
                with:
                    "{path: ledger.db, keep_audit: 400d, max_audit_records: 4000, max_repeatable_verdicts: 5000, max_spent_challenges: 6000, max_spent_evidence: 7000, warn_free_bytes: 0, warn_free_percent: 9}"
            )
        ).store
        #expect(store.retention.auditRecords == 400 * 86_400_000 && store.retention.auditRows == 4000)
        #expect(store.retention.verdicts == 5000 && store.retention.challenges == 6000 && store.retention.evidence == 7000)
        #expect(store.disk.freeBytes == 0 && store.disk.freePercent == 9)
    }

    @Test("The deployed example and that of the page for production are valid")
    func examples() throws {
        let example = try Configuration.load(Package.path("deploy/assayd.example.yaml"))
        #expect(example.callers.loopback == nil, "the example accepts only the callers that it names")
        #expect(example.testRoots.isEmpty)
        let unit = try Configuration.load(Package.path("deploy/systemd/assayd.yaml"))
        #expect(unit.callers.loopback == nil && unit.testRoots.isEmpty && unit.store.file == "/var/lib/assay/ledger.db")
        let page = try Package.text("docs/start/production.md")
        let block = try #require(page.components(separatedBy: "```yaml\n").dropFirst().first)
        _ = try parse(try #require(block.components(separatedBy: "```").first))
    }

    /// The overview, and a page for each section.
    private static func pages() throws -> String {
        let folder = Package.path("docs/reference/configuration")
        let sections = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        return try (["docs/reference/configuration.md"] + sections.map { "docs/reference/configuration/\($0)" })
            .map { try Package.text($0) }.joined(separator: "\n")
    }

    @Test("The configuration's pages name every key, and no other")
    func page() throws {
        var keys = Set(builtInSchemes.compactMap { $0.sectionKey })
        for service in builtInSchemes.flatMap({ $0.services }) { keys.formUnion([service.key] + service.choices.keys) }
        keys.formUnion(builtInSchemes.flatMap { $0.revocationLists }.map(\.key))
        let folders = ["AssaySchemes", "AssayConfiguration", "Verifiers"].map { Package.path("Sources/\($0)") }
        for file in folders.flatMap({
            FileManager.default.enumerator(atPath: $0)?.map { [folder = $0] in "\(folder)/\($0)" } ?? []
        })
        where file.hasSuffix(".swift") {
            let source = try String(contentsOfFile: file, encoding: .utf8)
            for match in source.matches(of: /(?:optional|required|seconds)\("([a-z_]+)"\)/) { keys.insert(String(match.1)) }
        }
        #expect(keys.count > 30)
        let onPage = Set(try Self.pages().matches(of: /(?m)^\| `([a-z_]+)` \|/).map { String($0.1) })
        #expect(onPage == keys)
        // The example shows each too, if only as a comment.
        let example = try Package.text("deploy/assayd.example.yaml")
        for key in keys { #expect(example.contains("\(key):"), "\(key)") }
    }

    @Test("An offset out of range is one problem, not also a missing one")
    func offset() {
        let text = Self.small.replacing(
            "    app_attest:", with: "    binding: {embedded: {offset: 99999999, encoding: hex}}\n    app_attest:")
        let found = problems(text)
        #expect(found.count == 1 && found.first?.contains("binding.embedded.offset: want a number") == true, "\(found)")
    }

    @Test("The log is text at level info by default")
    func log() throws {
        #expect(try parse(Self.small).log == LogSettings(level: .info, format: .text))
        #expect(try parse(Self.small + "\nlog: {level: debug, format: json}").log == LogSettings(level: .debug, format: .json))
        #expect(problems(Self.small + "\nlog: {level: debgu}").first?.contains("did you mean \"debug\"?") == true)
    }

    @Test("The digest covers the content and the named roots")
    func digest() throws {
        let text = Self.small + "\ntrust: {test_roots: [root.pem]}"
        let one = try parse(text)
        #expect(try one.digest.count == 32 && one.digest == parse(text).digest)
        #expect(try one.digest != parse(Self.small).digest)
        #expect(one.summary.contains { $0.hasSuffix(Hex.encode(one.digest)) })
        try folder.write(TestAuthority().rootPEM, to: "root.pem")
        #expect(try one.digest != parse(text).digest, "another root under the same name")
    }

    @Test("Each app that accepts simulated devices is warned of, and no other")
    func simulated() throws {
        #expect(!(try parse(Self.small).warnings.contains { $0.code == .simulatedAccepted }))
        let app = "app_attest: {identities: [{app_id: T.b}]}"
        let text = Self.small.replacing(
            "  photos:\n", with: "  trial: {accept_simulated: true, \(app)}\n  photos:\n    accept_simulated: false\n")
        let configuration = try parse(text)
        #expect(configuration.apps.map(\.acceptsSimulated) == [true, false])
        let found = configuration.warnings.filter { $0.code == .simulatedAccepted }
        #expect(found.map(\.path) == ["apps.trial.accept_simulated"] && found.first?.line != nil)
    }

    @Test("Callers are identified by the names of the machine's users")
    func userByName() throws {
        let configuration = try parse(Self.small.replacing("1001", with: "root"))
        #expect(configuration.callers.caller(for: .unix(userID: 0, groupID: 9, processID: 1))?.name == "handler")
        #expect(configuration.summary.contains { $0.contains("handler (unix user 0)") })
        #expect(throws: ConfigurationError.self) { try parse(Self.small.replacing("1001", with: "r\u{f6}\u{f6}t")) }
    }

    @Test("One caller may have half of all calls by default, whatever their number")
    func callsPerCaller() throws {
        func limits(_ text: String) throws -> RPCLimits { try parse(Self.small + "\nlimits: {\(text)}").limits }
        #expect(try limits("max_connections: 9").maxInFlightPerCaller == 2048)
        #expect(try limits("max_calls: 16000").maxInFlightPerCaller == 8000)
        #expect(try limits("max_calls: 1").maxInFlightPerCaller == 1)
        #expect(try limits("max_calls: 16000, max_calls_per_caller: 9").maxInFlightPerCaller == 9)
    }

    @Test("The summary lists addresses, apps, identities and simulated roots")
    func summary() throws {
        let text = Self.small.replacing("callers:", with: "trust: {test_roots: [root.pem]}\ncallers:")
        let summary = try parse(text).summary.joined(separator: "\n")
        for word in ["a.sock", "ledger.db", "photos", "TEAMID1234.com.example.photos", "production", "simulated"] {
            #expect(summary.contains(word))
        }
    }

    // MARK: What is refused

    /// A mistake: the replacement in the small configuration, and the expected message.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let old: String
        let new: String
        let want: String
        var testDescription: String { new.isEmpty ? "without \(old)" : String(new.prefix(80)) }

        init(_ old: String, _ new: String, _ want: String) { (self.old, self.new, self.want) = (old, new, want) }
    }

    private static let listen = "listen: [{unix: a.sock}]"
    private static let callers = "callers: {known: [{name: handler, unix_user: 1001, roles: [verify], apps: all}]}"
    private static let identity = "{app_id: TEAMID1234.com.example.photos}"
    private static let identities = "identities: [{app_id: TEAMID1234.com.example.photos}]"
    private static let section = "    app_attest:\n"

    static let mistakes: [Mistake] = [
        // Keys
        Mistake("store:", "stroe:", #"assayd.yaml:2: unknown key "stroe"; did you mean "store"?"#),
        Mistake(listen, "", #"assayd.yaml:2: "listen" is missing"#),
        Mistake(callers, "", #""callers" is missing"#),
        Mistake(
            "app_id:", "appid:",
            #"assayd.yaml:7: apps.photos.app_attest.identities[0]: unknown key "appid"; did you mean "app_id"?"#),
        Mistake(
            "identities:", "zzz: 1\n      identities:", #"assayd.yaml:7: apps.photos.app_attest: unknown key "zzz"; known are "#
        ),
        Mistake(
            section, "    chalenge: {}\n" + section,
            #"assayd.yaml:6: apps.photos: unknown key "chalenge"; did you mean "challenge"?"#),
        Mistake("{path: ledger.db}", "{}", #"assayd.yaml:2: store: "path" is missing"#),
        Mistake("{path: ledger.db}", "[]", "assayd.yaml:2: store: want a section, have a list"),
        Mistake("{path: ledger.db}", "{path: [x]}", "assayd.yaml:2: store.path: want a text, have a list"),
        Mistake("{path: ledger.db}", "{path: }", "assayd.yaml:2: store.path: want a text, have nothing"),
        Mistake("{path: ledger.db}", "{path: ~}", "assayd.yaml:2: store.path: want a text, have nothing"),
        Mistake("{path: ledger.db}", "{path: null}", "assayd.yaml:2: store.path: want a text, have nothing"),
        Mistake("{path: ledger.db}", "{path: \"\"}", #"assayd.yaml:2: store.path: want a path, have """#),
        Mistake("{path: ledger.db}", "{path: \"a\\0b\"}", "assayd.yaml:2: store.path: want a path"),
        Mistake("{path: ledger.db}", "{path: a, key_file: a}", "\"store.path\" too: want a file of its own"),
        Mistake("{path: ledger.db}", "{path: a, [x]: b}", "assayd.yaml:2: store: a key must be a text"),
        Mistake("{path: ledger.db}", "{path: a, keep_audit: 1h}", "store.keep_audit: want a duration"),
        Mistake("{path: ledger.db}", "{path: a, max_repeatable_verdicts: 0}", "store.max_repeatable_verdicts: want a number"),
        Mistake("{path: ledger.db}", "{path: a, max_spent_challenges: 999}", "store.max_spent_challenges: want a number"),
        Mistake("{path: ledger.db}", "{path: a, warn_free_bytes: -1}", "store.warn_free_bytes: want bytes such as"),
        Mistake("{path: ledger.db}", "{path: a, warn_free_percent: 100}", "want a number from 0 to 99"),
        // Addresses
        Mistake(listen, "listen: []", "listen: want at least one address"),
        Mistake(listen, "listen: a.sock", #"assayd.yaml:1: listen: want a list, have "a.sock""#),
        Mistake("{unix: a.sock}", "{}", #"assayd.yaml:1: listen[0]: want one of "tls", "tcp" and "unix""#),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1:1\", unix: a.sock}", #"want one of "tls", "tcp" and "unix""#),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1:1\", tls: \"127.0.0.1:1\"}", #"want one of "tls", "tcp" and "unix""#),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1\"}", "assayd.yaml:1: listen[0].tcp: want host:port"),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1:70000\"}", "want host:port"),
        Mistake(
            "{unix: a.sock}", "{tcp: \"0.0.0.0:7421\"}", "assayd.yaml:1: listen[0].tcp: it is not on loopback"),
        Mistake("{unix: a.sock}", "{tcp: \"[::]:7421\"}", "it is not on loopback"),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1.example.com:7421\"}", "it is not on loopback"),
        Mistake("{unix: a.sock}", "{tcp: \"10.0.0.1:7421\"}", "it is not on loopback"),
        Mistake(
            "{unix: a.sock}", "{tcp: \"127.0.0.1:7421\"}",
            #"assayd.yaml:1: listen[0].tcp: nobody may call over TCP unless "callers.loopback_demo" is set"#),
        Mistake("a.sock", "a.sock, mode: 0999", "assayd.yaml:1: listen[0].mode: want an octal file mode"),
        Mistake("a.sock", "a.sock, mode: 7777", "want an octal file mode"),
        Mistake(
            "a.sock", String(repeating: "s", count: 107) + ".sock",
            "assayd.yaml:1: listen[0].unix: the path "),
        Mistake("{unix: a.sock}", "{unix: a.sock}, {unix: a.sock}", "stands here twice: the second could not listen"),
        Mistake("{unix: a.sock}", "{tcp: \"127.0.0.1:1\", mode: 0600}", "a TCP address has no mode"),
        // Callers
        Mistake(callers, "callers: {}", "assayd.yaml:3: callers: nobody may call"),
        Mistake(callers, "callers: {known: []}", "assayd.yaml:3: callers: nobody may call"),
        Mistake(callers, "callers: {loopback_demo: yes}", #"callers.loopback_demo: want true or false, have "yes""#),
        Mistake(
            "[verify]", "[verfy]",
            #"assayd.yaml:3: callers.known[0].roles[0]: want one of verify, provision, devices, operate, observe, fleet, enrol, have "verfy"; did you mean "verify"?"#
        ),
        Mistake("[verify]", "[]", "callers.known[0].roles: a caller without a role may do nothing"),
        Mistake(
            "unix_user: 1001", "unix_user: no-such-user-here",
            #"assayd.yaml:3: callers.known[0].unix_user: this machine has no user "no-such-user-here""#),
        Mistake("unix_user: 1001", "unix_user: -1", "callers.known[0].unix_user: want a number"),
        Mistake("unix_user: 1001", "unix_user: 4294967295", "callers.known[0].unix_user: want a number from 0 to 4294967294"),
        Mistake("unix_user: 1001", "unix_user: 0x3e9", "callers.known[0].unix_user: want a number"),
        Mistake("unix_user: 1001", "unix_user: ~", "callers.known[0].unix_user: want a text, have nothing"),
        Mistake(
            "all}",
            "all}, {name: other, unix_user: root, roles: [verify], apps: all}, {name: third, unix_user: 0, roles: [verify], apps: all}",
            "callers.known[2]: two callers have the unix_user 0"),
        Mistake("unix_user: 1001", "uid: 1001", #"callers.known[0]: unknown key "uid""#),
        Mistake(
            "unix_user: 1001, ", "", #"callers.known[0]: want at least one of "unix_user", "uri" and "dns""#),
        Mistake("name: handler, ", "", #"callers.known[0]: "name" is missing"#),
        Mistake("name: handler", "name: \"\"", "callers.known[0].name: a caller's name has 1 to 64 bytes"),
        Mistake(
            "all}", "all}, {name: other, unix_user: 1001, roles: [verify], apps: all}",
            "callers.known[1]: two callers have the unix_user 1001"),
        Mistake(
            "all}", "all}, {name: handler, unix_user: 1002, roles: [verify], apps: all}",
            #"callers.known[1]: two callers have the name "handler""#),
        Mistake(
            "{known: [{name: handler", "{loopback_demo: true, known: [{name: loopback-demo",
            #"callers.known[0]: two callers have the name "loopback-demo""#),
        Mistake(
            "unix_user: 1001, roles: [verify], apps: all}",
            "uri: \"urn:a\", roles: [verify], apps: all}, {name: b, uri: \"urn:a\", roles: [verify], apps: all}",
            "callers.known[1]: two callers have the uri urn:a"),
        Mistake(
            "unix_user: 1001, roles: [verify], apps: all}",
            "dns: a, roles: [verify], apps: all}, {name: b, dns: a, roles: [verify], apps: all}",
            "callers.known[1]: two callers have the dns name a"),
        Mistake(
            "unix_user: 1001", "uri: uploads", #"callers.known[0].uri: want a URI such as spiffe://example.org/uploads, have"#),
        Mistake("unix_user: 1001", "uri: \"urn:é\"", "callers.known[0].uri: want a URI"),
        Mistake("unix_user: 1001", "dns: \"*.example.org\"", "callers.known[0].dns: want a DNS name without wildcards"),
        Mistake("unix_user: 1001", "dns: \"\"", "callers.known[0].dns: want a DNS name"),
        Mistake(", apps: all", "", #"callers.known[0]: "apps" is missing"#),
        Mistake(
            "apps: all", "apps: photos",
            "callers.known[0].apps: want all, or a list of apps, have \"photos\": a list of one is [photos]"),
        Mistake(
            "apps: all", "apps: [photo]",
            #"assayd.yaml:3: callers.known[0].apps[0]: there is no app "photo"; did you mean "photos"?"#),
        // Limits
        Mistake("store:", "limits: {max_calls: 0}\nstore:", "assayd.yaml:2: limits.max_calls: want a number from 1 to 1000000"),
        Mistake("store:", "limits: {max_calls: 99999999999999999999}\nstore:", "limits.max_calls: want a number"),
        Mistake(
            "store:", "limits: {idle_timeout: 5}\nstore:",
            #"limits.idle_timeout: want a duration such as 250ms, 30s, 5m or 24h, from 100ms to 1d, have "5""#),
        Mistake("store:", "limits: {idle_timeout: 9223372036854775807d}\nstore:", "want a duration"),
        Mistake(
            "store:", "limits: {idle_timout: 5s}\nstore:", #"limits: unknown key "idle_timout"; did you mean "idle_timeout"?"#),
        // Trust
        Mistake("store:", "trust: {test_roots: [nowhere.pem]}\nstore:", "nowhere.pem cannot be read"),
        Mistake("store:", "trust: {test_roots: [assayd.yaml]}\nstore:", "assayd.yaml:2: trust.test_roots[0]:"),
        // Apps
        Mistake("photos:\n", "Photos:\n", "assayd.yaml:6: apps.Photos: an app's name is of the form [a-z0-9._-]{1,64}"),
        Mistake("  photos:\n    app_attest:\n      " + identities, "  {}", "apps: want at least one app"),
        Mistake(
            section + "      " + identities, "    challenge: {ttl: 10s}",
            "the app accepts no evidence: want one of app_attest, android, play_integrity, device_check"),
        Mistake(section, "    challenge: {ttl: 2h}\n" + section, "assayd.yaml:6: apps.photos.challenge.ttl: want a duration"),
        Mistake(
            section, "    binding: {payload: requierd}\n" + section,
            #"apps.photos.binding.payload: want one of required, optional, have "requierd"; did you mean "required"?"#),
        Mistake(section, "    binding: {embedded: {encoding: hex}}\n" + section, #"want either "json_member" or "offset""#),
        Mistake(
            section, "    binding: {embedded: {offset: 1, json_member: a, encoding: hex}}\n" + section,
            #"want either "json_member" or "offset""#),
        Mistake(
            section, "    binding: {embedded: {offset: -1, encoding: hex}}\n" + section,
            "binding.embedded.offset: want a number"),
        Mistake(
            section, "    binding: {embedded: {offset: 99999999, encoding: hex}}\n" + section,
            "binding.embedded.offset: want a number"),
        Mistake(section, "    binding: {embedded: {offset: 1}}\n" + section, #"binding.embedded: "encoding" is missing"#),
        Mistake(
            section, "    binding: {embedded: {json_member: a, encoding: raw}}\n" + section,
            "assayd.yaml:6: apps.photos.binding.embedded: JSON has no raw bytes"),
        Mistake(section, "    binding: {embedded: {json_member: a..b, encoding: hex}}\n" + section, "a member's name"),
        Mistake(section, "    binding: {embedded: {json_member: \"\", encoding: hex}}\n" + section, "a member's name"),
        Mistake(identities, "identities: []", "assayd.yaml:7: apps.photos.app_attest: want at least one identity"),
        Mistake(identities, "counter: strict", #""identities" is missing"#),
        Mistake("TEAMID1234.com.example.photos", "photos", "identities[0].app_id: want PREFIX.bundle.identifier"),
        Mistake(
            "photos}", "photos, environments: []}",
            "assayd.yaml:7: apps.photos.app_attest.identities[0]: want at least one environment"),
        Mistake("photos}", "photos, environments: [prod]}", "want one of production, development"),
        Mistake("photos}", "photos, platform: macOS}", #"want one of ios, macos, have "macOS"; did you mean "macos"?"#),
        Mistake(
            identity, "\(identity), {app_id: TEAMID1234.com.example.photos, platform: macos}",
            "assayd.yaml:7: apps.photos.app_attest.identities[1]: one App ID for ios and macos"),
        Mistake(
            identity, "\(identity), {app_id: TEAMID1234.com.example.photos, environments: [development]}",
            "identities[1]: the App ID stands here twice"),
        Mistake(
            "identities:", "validation_categories: []\n      identities:", "validation_categories: an empty list allows nothing"
        ),
        Mistake("identities:", "bundle_versions: []\n      identities:", "bundle_versions: an empty list allows nothing"),
        Mistake("identities:", "validation_categories: [four]\n      identities:", "validation_categories[0]: want a number"),
        Mistake("identities:", "counter: any\n      identities:", "counter: want one of strict, window"),
        Mistake("identities:", "require_extensions: 1\n      identities:", "require_extensions: want true or false"),
        Mistake("identities:", "receipt: {mode: requires}\n      identities:", "did you mean \"require\"?"),
        Mistake("identities:", "receipt: {max_age: 31d}\n      identities:", "want a duration"),
        Mistake("identities:", "extra_roots: [nowhere.pem]\n      identities:", "nowhere.pem cannot be read"),
        // YAML
        Mistake(
            "store: {path: ledger.db}", "store: {path: ledger.db",
            #"assayd.yaml:3: not YAML: the "{" of line 2 is not closed before this, a comma is missing, or"#),
        Mistake("store:", "store: \"abc\ndef: ", "assayd.yaml:"),
        Mistake(
            "store: {path: ledger.db}", "store: {path: \"ledger.db}", "assayd.yaml:2: not YAML: the quotation mark that opens"),
        Mistake("store:", "\tstore:", "assayd.yaml:2: not YAML: a tab stands here; YAML is indented with spaces"),
        Mistake("ledger.db", "@ledger.db", #"assayd.yaml:2: not YAML: a text may not begin with "@""#),
        Mistake("ledger.db", "`ledger.db", #"assayd.yaml:2: not YAML: a text may not begin with "`""#),
        Mistake("ledger.db}", #""C:\ledger.db"}"#, "assayd.yaml:2: not YAML: in double quotes a backslash"),
        Mistake("store:", "log:\n  level: a: b\nstore:", #"assayd.yaml:3: not YAML: a ": " where no key may stand"#),
        Mistake("store:", "log:\n  level: info\n format: json\nstore:", "assayd.yaml:4: not YAML: the line does not go on"),
        Mistake("store:", "log:\n  level\nstore:", "assayd.yaml:3: log: want a section"),
        Mistake("store:", "level\nstore:", "assayd.yaml:2: not YAML: the line is no \"key: value\""),
        Mistake("store:", "log: - level\nstore:", "assayd.yaml:2: not YAML: a list begins on the line after its key"),
        Mistake("store:", "a: b\n---\nstore:", "assayd.yaml:3: not YAML"),
        Mistake("store:", "\u{1}store:", "not YAML: the line has the control character U+0001; delete it"),
        Mistake("store:", "store: {path: x}\nstore:", #"assayd.yaml:2: given more than once: "store""#),
        Mistake("apps:\n", "apps:\n  photos: {}\n", #"assayd.yaml:5: given more than once: "photos""#),
        Mistake("ledger.db", "*path", "assayd.yaml:2: aliases (*name) are not read"),
    ]

    @Test("A mistake is reported with its place and a suggestion", arguments: mistakes)
    func refuses(_ mistake: Mistake) throws {
        try #require(Self.small.contains(mistake.old))
        try folder.write("no certificate", to: "assayd.yaml")
        let found = problems(Self.small.replacing(mistake.old, with: mistake.new, maxReplacements: 1))
        #expect(found.contains { $0.hasPrefix("assayd.yaml:") && $0.contains(mistake.want) }, "\(found)")
    }

    @Test(
        "An unknown word of a list is one mistake, not an empty list beside it",
        arguments: [
            ("photos}", "photos, environments: [prod]}"), ("[verify]", "[veriy]"), ("apps: all", "apps: [foto]"),
            ("app_id: TEAMID1234.com.example.photos", "app_id: photos"),
            ("store:", "operate: {listen: [{tcp: 127.0.0.1:1}], open: [probs]}\nstore:"),
            ("store:", "operate: {open: [probs]}\nstore:"),
            ("store:", "operate: {listen: [{tcp: 0.0.0.0:1}], open_to_the_network: [probs]}\nstore:"),
            ("identities:", "validation_categories: [four]\n      identities:"),
        ])
    func oneMistake(_ old: String, _ new: String) throws {
        try #require(Self.small.contains(old))
        #expect(problems(Self.small.replacing(old, with: new, maxReplacements: 1)).count == 1)
    }

    @Test("All mistakes are reported at once, in the order of the lines")
    func severalMistakes() {
        let text = Self.small.replacing("ledger.db}", with: "ledger.db, keyfile: x}").replacing("[verify]", with: "[veriy]")
            .replacing("app_id: TEAMID1234.com.example.photos", with: "app_id: photos")
            .replacing("listen: [{unix: a.sock}]", with: "lissen: [{unix: a.sock}]")
        let found = problems(text)
        #expect(found.count == 4, "\(found)")
        let lines = found.compactMap { problem -> Int? in problem.split(separator: ":").dropFirst().first.flatMap { Int($0) } }
        #expect(lines == [1, 2, 3, 7])
    }

    @Test("A missing, empty or oversized file, and a folder, are refused")
    func files() throws {
        func explain(_ name: String) -> String {
            do {
                _ = try Configuration.load(folder.file(name))
                return "good"
            } catch {
                return "\(error)"
            }
        }
        #expect(explain("missing.yaml").hasPrefix(folder.file("missing.yaml") + ": cannot be read: "))
        #expect(explain("").contains("cannot be read"))
        try folder.write("", to: "empty.yaml")
        #expect(explain("empty.yaml").hasSuffix("the file is empty"))
        try folder.write("# nothing but a comment\n", to: "comment.yaml")
        #expect(explain("comment.yaml").hasSuffix("the file is empty"))
        try folder.write(Self.small + "\n#" + String(repeating: "x", count: 1 << 20), to: "large.yaml")
        #expect(explain("large.yaml").hasSuffix("larger than 1048576 bytes"))
        try folder.write(Array(Self.small.replacing("photos", with: "phot").utf8) + [0x23, 0xFF, 0x0A], to: "latin.yaml")
        #expect(
            explain("latin.yaml").contains(":7: the line is not UTF-8, but has letters of another encoding such as Latin-1"))
        try folder.write("just a text", to: "text.yaml")
        #expect(explain("text.yaml").contains(#"text.yaml:1: want a section, have "just a text""#))
        // Relative to the file's own folder, wherever the daemon was started.
        try folder.write(Self.small, to: "good.yaml")
        #expect(try Configuration.load(folder.file("good.yaml")).store.file == folder.file("ledger.db"))
    }

    @Test("Aliases that expand, deep nesting and many keys do not delay reading")
    func bombs() {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            bomb += "a\(level): &a\(level) [" + (0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
        }
        for last in ["apps: *a12", "? *a12\n: apps", "{*a12 : apps}", "? [*a12]\n: apps", "store:\n  path: *a12", "- *a12"] {
            let clock = ContinuousClock()
            let time = clock.measure {
                let found = problems(bomb + last)
                #expect(found.first?.hasPrefix("assayd.yaml:2: aliases") == true, "\(found)")
            }
            // Expanded it would be as many as nine to the power of twelve.
            #expect(time < .seconds(60))
        }
        #expect(!problems(String(repeating: "[", count: 100_000)).isEmpty)
        #expect(!problems(String(repeating: "{a: ", count: 100_000)).isEmpty)
        #expect(!problems("? " + String(repeating: "[", count: 900) + String(repeating: "]", count: 900)).isEmpty)
        #expect(!problems((0..<20_000).map { "k\($0): 1\n" }.joined()).isEmpty)
    }

    @Test("A star that is not an alias is read as text")
    func stars() throws {
        let text = Self.small.replacing("store:", with: "# - *bold*\n  # *bold*\nstore:")
            .replacing("ledger.db", with: "\"*ledger*.db\"").replacing("name: handler", with: "name: a*b *c")
        #expect(try parse(text).store.file == folder.file("*ledger*.db"))
    }

    // MARK: What a verdict says about it

    @Test("The policy digest follows the meaning, not the spelling")
    func policyDigest() throws {
        func digest(_ text: String) throws -> [UInt8] {
            let configuration = try parse(text)
            return try #require(configuration.apps.first).policyDigest(testRoots: configuration.testRoots)
        }
        let text = Self.small.replacing("identities:", with: "validation_categories: [2, 4]\n      identities:")
        let base = try digest(text)
        #expect(try digest(text.replacing("[2, 4]", with: "[4, 2]")) == base)
        #expect(try digest(text.replacing("ledger.db", with: "other.db")) == base)
        #expect(try digest(text.replacing("photos}", with: "photos, platform: ios, environments: [production]}")) == base)
        #expect(try digest(text.replacing("    app_attest:", with: "    replaces: subject\n    app_attest:")) == base)
        for changed in [
            text.replacing("    app_attest:", with: "    replaces: any\n    app_attest:"),
            text.replacing("    app_attest:", with: "    replaces: none\n    app_attest:"),
            text.replacing("[2, 4]", with: "[2]"), text.replacing("photos}", with: "photo}"),
            text.replacing("photos}", with: "photos, environments: [development]}"),
            text.replacing("photos}", with: "photos, platform: macos}"),
            text.replacing("store:", with: "trust: {test_roots: [root.pem]}\nstore:"),
            text.replacing("identities:", with: "extra_roots: [root.pem]\n      identities:"),
            text.replacing("identities:", with: "counter: strict\n      identities:"),
            text.replacing("identities:", with: "receipt: {mode: require}\n      identities:"),
            text.replacing("identities:", with: "receipt: {mode: \"off\"}\n      identities:"),
            text.replacing("identities:", with: "receipt: {max_age: 6m}\n      identities:"),
            text.replacing("identities:", with: "require_extensions: true\n      identities:"),
            text.replacing("identities:", with: "bundle_versions: [a]\n      identities:"),
            text.replacing("    app_attest:", with: "    accept_simulated: true\n    app_attest:"),
            text.replacing("    app_attest:", with: "    binding: {payload: required}\n    app_attest:"),
            text.replacing("    app_attest:", with: "    binding: {caller_owned: {}}\n    app_attest:"),
            text.replacing("    app_attest:", with: "    binding: {embedded: {offset: 1, encoding: raw}}\n    app_attest:"),
        ] {
            #expect(try digest(changed) != base)
        }
    }
}
