import AssayCore
import AssayPlugins
import AssaySchemes
import AssaySimulator
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Catalog of plugins", .timeLimit(.minutes(30)))
struct PluginCatalogTests {
    let home: CatalogHome
    static let kiosk = CatalogHome.kiosk

    init() throws { home = try CatalogHome() }

    // MARK: What is read

    @Test("An entry has safe defaults")
    func defaults() throws {
        let entry = try #require(try home.parse().live.plugins.first)
        #expect(entry.id == "kiosk" && entry.name == "kiosk" && entry.file == home.entry("kiosk"))
        #expect(entry.role == .primary && entry.ceiling == .software && !entry.replacesBuiltIn && !entry.isRequired)
        #expect(!entry.observes && entry.services.isEmpty && entry.anchors.isEmpty && entry.arguments.isEmpty)
        #expect(entry.sandbox == Sandbox() && entry.limits == PluginEntry.Limits() && entry.restart == PluginEntry.Restart())
        #expect(entry.manifest.files == ["/usr/lib/assay/kiosk": [UInt8](repeating: 0xAB, count: 32)])
        #expect(entry.configuration == PluginConfiguration())
    }

    @Test("Every key is read")
    func everything() throws {
        try home.folder.write(TestAuthority().rootPEM + TestAuthority().rootPEM, to: "roots.pem")
        let text = """
            name: kiosk
            id: kiosk-next
            command: /usr/bin/python3.11
            arguments: [-I, -B, "{folder}/main.py"]
            folder: /usr/lib/assay/kiosk
            manifest:
              /usr/bin/python3.11: \(String(repeating: "01", count: 32))
              main.py: \(String(repeating: "02", count: 32))
            formats: [kiosk, kiosk.v2]
            observes: true
            apps: [parcels]
            services: [find_device, find_used, get_anchors, find_fleet_device, derive_key, flag_device]
            configuration: {b: 1, a: [yes please, "1", true, null, 1.50, {c: -0}]}
            anchors: [../roots.pem]
            assurance_ceiling: secure_element
            required: true
            limits: {deadline: 5s, grace: 250ms, concurrency: 1, processes: 4, queue: 9, queue_bytes: 2MiB, memory: 256MiB, cpu: 90m, open_files: 32, file_size: 0, threads: 9, nice: 3}
            powers: {network: {ports: [443, 8443], udp: true}, read: [/usr/lib], execute: [/lib64/ld-linux-x86-64.so.2], processes: true}
            restart: {first_delay: 1s, longest_delay: 2m, healthy_after: 3m, deaths: 4, window: 5m, open_for: 6m}
            sandbox: accept_weaker
            """
        let entry = try #require(try home.parse(["kiosk": text]).live.plugins.first)
        #expect(entry.id == "kiosk-next" && entry.command == "/usr/bin/python3.11" && entry.folder == "/usr/lib/assay/kiosk")
        #expect(entry.arguments == ["-I", "-B", "{folder}/main.py"])
        #expect(entry.manifest.files.keys.sorted() == ["/usr/bin/python3.11", "/usr/lib/assay/kiosk/main.py"])
        #expect(entry.formats.map(\.rawValue) == ["kiosk", "kiosk.v2"] && entry.observes && entry.isRequired)
        #expect(entry.services == Set(HostService.allCases) && entry.anchors.count == 2 && entry.ceiling == .secureElement)
        #expect(
            entry.configuration
                == PluginConfiguration(
                    json: Array(#"{"a":["yes please","1",true,null,1.50,{"c":-0}],"b":1}"#.utf8),
                    folder: home.folder.file("plugins.d")))
        #expect(entry.limits.deadline == .seconds(5) && entry.limits.grace == .milliseconds(250))
        #expect(entry.limits.concurrency == 1 && entry.limits.processes == 4 && entry.limits.queue == 9)
        #expect(entry.limits.queueBytes == 2 << 20 && entry.sandbox.limits.addressSpace == 256 << 20)
        #expect(entry.sandbox.limits.processorSeconds == 5400 && entry.sandbox.limits.descriptors == 32)
        #expect(entry.sandbox.limits.fileSize == 0 && entry.sandbox.acceptsWeaker)
        #expect(entry.sandbox.limits.threads == 9 && entry.sandbox.limits.nice == 3)
        let usual = try #require(
            try home.parse(["kiosk": text.replacing(", threads: 9, nice: 3", with: "")]).live.plugins.first)
        #expect(usual.sandbox.limits.threads == 128 && usual.sandbox.limits.nice == 5)
        let parallel = text.replacing("concurrency: 1,", with: "concurrency: 500,").replacing("threads: 9, ", with: "")
        #expect(try home.parse(["kiosk": parallel]).live.plugins.first?.sandbox.limits.threads == 564)
        #expect(entry.sandbox.ports == [443, 8443] && entry.sandbox.allowsUDP && entry.sandbox.allowsProcesses)
        #expect(entry.sandbox.readable == ["/usr/lib"] && entry.sandbox.executable == ["/lib64/ld-linux-x86-64.so.2"])
        #expect(entry.restart.firstDelay == .seconds(1) && entry.restart.longestDelay == .seconds(120))
        #expect(entry.restart.healthyAfter == .seconds(180) && entry.restart.deaths == 4)
        #expect(entry.restart.window == .seconds(300) && entry.restart.openFor == .seconds(360))
        let ports = text.replacing("{ports: [443, 8443], udp: true}", with: "[443]")
        #expect(try home.parse(["kiosk": ports]).live.plugins.first?.sandbox.ports == [443])
    }

    @Test("Entries stand in the order of their ids, hidden files are not read, and a name with .yml is told")
    func files() throws {
        let observer =
            "name: eye\ncommand: /e\nobserves: true\napps: [photos]\nmanifest: {/e: \(String(repeating: "ab", count: 32))}"
        _ = try home.parse(["z": Self.kiosk, "b": observer, ".hidden": "{"])
        try home.folder.write("{", to: "plugins.d/c.yml")
        let configuration = try Configuration.load(home.folder.file("assayd.yaml"))
        #expect(configuration.live.plugins.map(\.id) == ["eye", "kiosk"])
        #expect(configuration.warnings.map(\.code) == [.pluginCatalog])
        #expect(
            configuration.warnings.first?.message
                == "\(home.folder.file("plugins.d/c.yml")) is not read: want a name that ends with .yaml")
    }

    @Test("The settings of all plugins have defaults, and are fixed")
    func settings() throws {
        let usual = try home.parse().fixed.plugins
        #expect(usual.state == home.folder.file("data/plugins") && usual.user == nil)
        #expect(usual.launcher.hasSuffix("/.build/plugins/assay-plugin-launcher"))
        #expect(PluginSettings.usualLauncher(of: "/usr/bin/assayd") == "/usr/libexec/assay/assay-plugin-launcher")
        let main = CatalogHome.main.replacing(
            "plugins.d}", with: "plugins.d, launcher: /opt/launcher, state: /var/lib/p, user: \"990:991\"}")
        let set = try home.parse(main: main).fixed
        #expect(set.plugins == PluginSettings(launcher: "/opt/launcher", state: "/var/lib/p", user: .init(id: 990, group: 991)))
        #expect(set.sections(thatDifferIn: try home.parse().fixed) == ["plugins"])
        #expect(
            try home.parse(main: CatalogHome.main.replacing("plugins.d}", with: "plugins.d, user: daemon}")).fixed.plugins
                .user?
                .id == 1)
        func problems(_ text: String) -> [String] {
            home.problems(["kiosk": Self.kiosk], main: CatalogHome.main.replacing("plugins.d}", with: "plugins.d, \(text)}"))
        }
        #expect(problems("launcher: bin/launcher") == ["assayd.yaml:4: plugins.launcher: want an absolute path"])
        #expect(problems("user: root") == ["assayd.yaml:4: plugins.user: plugins never run as root; want a user of their own"])
        #expect(
            problems("user: \"0:5\"") == ["assayd.yaml:4: plugins.user: plugins never run as root; want a user of their own"])
        #expect(
            problems("user: no-such-user") == [
                "assayd.yaml:4: plugins.user: this machine has no user \"no-such-user\"; want a name, or user and group such as 990:990"
            ])
        #expect(problems("catlog: x").first?.contains("unknown key \"catlog\"; did you mean \"catalog\"?") == true)
    }

    // MARK: Errors

    @Test("The problems of all files are reported at once, each with file and line")
    func allProblems() {
        let problems = home.problems(
            [
                "a": "name: a\n  b: c", "b": Self.kiosk.replacing("apps: [photos, parcels]", with: "apps: [potos]\nrolle: all"),
                "c": "",
            ],
            main: CatalogHome.main.replacing("store:", with: "stor: 1\nstore:"))
        #expect(problems.count == 6, "\(problems)")
        #expect(problems.first == "assayd.yaml:2: unknown key \"stor\"; did you mean \"store\"?")
        #expect(problems.contains { $0.hasPrefix("plugins.d/a.yaml:2: not YAML: ") })
        #expect(
            problems.contains("plugins.d/b.yaml:4: apps[0]: there is no app \"potos\"; did you mean \"photos\"?"))
        #expect(problems.contains("plugins.d/b.yaml:5: unknown key \"rolle\"; did you mean \"role\"?"))
        #expect(problems.contains("plugins.d/c.yaml: the file is empty"))
    }

    @Test("A folder that is not there is a problem")
    func noFolder() {
        let place = home.folder.path
        #expect(
            home.problems([:], main: CatalogHome.main.replacing("plugins.d", with: "none"))
                == ["assayd.yaml:4: plugins.catalog: the folder none does not exist", Self.noEvidence(9)], "\(place)")
        #expect(
            home.problems([:], main: CatalogHome.main.replacing("plugins.d", with: "assayd.yaml")).first
                == "assayd.yaml:4: plugins.catalog: the folder assayd.yaml cannot be read as a folder")
    }

    @Test("A catalog or an entry that others can write is refused")
    func writable() throws {
        _ = try home.parse()
        let open = [("plugins.d", 0o775, 0o755), ("plugins.d/kiosk.yaml", 0o666, 0o644)]
        for (name, mode, usual) in open {
            let path = home.folder.file(name)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let error = #expect(throws: ConfigurationError.self) {
                _ = try Configuration.load(home.folder.file("assayd.yaml"))
            }
            #expect(
                error?.problems.map(\.message)
                    == ["\(path) can be written by others, who could run programs as a plugin: chmod go-w \(path)"])
            try FileManager.default.setAttributes([.posixPermissions: usual], ofItemAtPath: path)
        }
        _ = try Configuration.load(home.folder.file("assayd.yaml"))
    }

    @Test("A mistake in a primary plugin's entry is not told a second time at the entries beside it")
    func oneMistakeOneProblem() {
        let first = Self.kiosk.replacing("command: /", with: "command: ").replacing(", parcels", with: "")
        let second = Self.kiosk.replacing("name: kiosk", with: "name: second").replacing(", parcels", with: "")
        let problems = home.problems(
            ["a": first, "b": second + "\nrole: shadow"], main: CatalogHome.main.replacing("\n  parcels: {}", with: ""))
        #expect(problems == ["plugins.d/a.yaml:2: command: want an absolute path, have \"usr/lib/assay/kiosk\""])
    }

    @Test("No power shows other processes", arguments: ["/proc", "/proc/1", "/proc/4711/environ"])
    func processes(_ path: String) {
        let text = Self.kiosk + "\npowers: {read: [\(path), /proc/cpuinfo, /proc/self/status]}"
        #expect(
            home.problems(["kiosk": text]) == [
                "plugins.d/kiosk.yaml:7: powers: the plugin could look into other processes through \(path); want single files of it, such as /proc/cpuinfo"
            ])
    }

    private static func noEvidence(_ line: Int) -> String {
        "assayd.yaml:\(line): apps.parcels: the app accepts no evidence: want one of app_attest, android, play_integrity, device_check, "
            + "certificate_bundle, or a plugin with \"role: primary\""
    }

    @Test(
        "Each error has its sentence",
        arguments: [
            ("name: kiosk", "name: Kiosk", ":1: name: a name is of the form [a-z0-9-]{1,64}, have \"Kiosk\""),
            ("name: kiosk\n", "", ":1: \"name\" is missing"),
            ("formats:", "id: a_b\nformats:", ":3: id: a name is of the form [a-z0-9-]{1,64}, have \"a_b\""),
            ("command: /usr", "command: usr", ":2: command: want an absolute path, have \"usr/lib/assay/kiosk\""),
            (
                "command: /usr/lib/", "command: /usr//lib/../",
                ":2: command: want a path without \".\", \"..\" and empty parts, have \"/usr//lib/../assay/kiosk\""
            ),
            ("formats: [kiosk]\n", "", ":1: the plugin would do nothing: want \"formats\" or \"observes: true\""),
            ("[kiosk]", "[]", ":3: formats: want at least one format; leave the key out for a plugin that observes only"),
            ("[kiosk]", "[Kiosk]", ":3: formats[0]: a format is of the form [a-z0-9_.-]{1,64}, have \"Kiosk\""),
            ("[kiosk]", "[kiosk, kiosk]", ":3: formats[1]: \"kiosk\" stands twice"),
            (
                "[kiosk]", "[kiosk, fleet-device]",
                ":3: formats[1]: fleet-device is no evidence: devices of a fleet are registered without a verdict"
            ),
            (
                "[kiosk]", "[kiosk,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q]", ":3: formats: 17 formats, the limit is 16"
            ),
            ("[photos, parcels]", "[photos, parcels, photos]", ":4: apps[2]: \"photos\" stands twice"),
            ("[photos, parcels]", "[photos, parcels, Other]", ":4: apps[2]: there is no app \"Other\""),
            ("apps:", "role: secondary\napps:", ":4: role: want one of primary, shadow, all, have \"secondary\""),
            (
                "apps:", "replaces_builtin: true\napps:",
                ":4: replaces_builtin: none of the formats is built in, so there is nothing to replace"
            ),
            (
                "apps:", "assurance_ceiling: none\napps:",
                ":4: assurance_ceiling: want one of software, platform, hardware, secure_element, have \"none\""
            ),
            (
                "apps:", "services: [find_devices]\napps:",
                ":4: services[0]: want one of find_device, find_used, get_anchors, "
                    + "find_fleet_device, derive_key, flag_device, have \"find_devices\"; did you mean \"find_device\"?"
            ),
            ("apps:", "sandbox: off\napps:", ":4: sandbox: want one of enforce, accept_weaker, have \"off\""),
            (
                "apps:", "arguments: [\"{folder}/main.py\"]\napps:",
                ":4: arguments[0]: the entry has no \"folder\", whose copy {folder} stands for"
            ),
            (
                "apps:", "folder: a/../b\napps:",
                ":4: folder: want the path of a folder without \".\", \"..\" and empty parts, have \"a/../b\""
            ),
            (
                "apps:", "limits: {deadline: 1h}\napps:",
                ":4: limits.deadline: want a duration such as 250ms, 30s, 5m or 24h, from 10ms to "
                    + "1m, have \"1h\""
            ),
            (
                "apps:", "limits: {memory: 1MB}\napps:",
                ":4: limits.memory: want bytes such as 65536, 64KiB, 512MiB or 1GiB, from 16MiB to "
                    + "1TiB, have \"1MB\"; did you mean 1MiB?"
            ),
            (
                "apps:", "limits: {memory: 9223372036854775807KiB}\napps:",
                ":4: limits.memory: want bytes such as 65536, 64KiB, 512MiB or 1GiB, "
                    + "from 16MiB to 1TiB, have \"9223372036854775807KiB\""
            ),
            ("apps:", "powers: {network: [0]}\napps:", ":4: powers.network[0]: want a number from 1 to 65535, have \"0\""),
            ("apps:", "powers: {read: [lib]}\napps:", ":4: powers.read[0]: want an absolute path, have \"lib\""),
            (
                "apps:", "powers: {write: [/tmp]}\napps:",
                ":4: powers: unknown key \"write\"; known are network, read, execute, processes"
            ),
            (
                "apps:", "restart: {first_delay: 1m, longest_delay: 1s}\napps:",
                ":4: restart.longest_delay: want at least \"first_delay\""
            ),
            (
                "apps:", "anchors: [none.pem]\napps:",
                ":4: anchors[0]: the file plugins.d/none.pem cannot be read: there is no such file"
            ),
            ("apps:", "anchors: [kiosk.yaml]\napps:", ":4: anchors[0]: : text outside a PEM block of \"CERTIFICATE\""),
            ("apps:", "configuration: [1]\napps:", ":4: configuration: want a section with the plugin's keys"),
            (
                "apps:", "configuration: {a: yes}\napps:",
                ":4: configuration.a: write true, false or null, or put the text yes into quotation marks"
            ),
            (
                "apps:", "configuration: {a: {b: [0x10]}}\napps:",
                ":4: configuration.a.b[0]: write the number in decimal as in JSON, or put the text 0x10 into quotation marks"
            ),
            ("apps:", "configuration: {a: 1, a: 2}\napps:", ":4: given more than once: \"a\""),
            (
                "manifest:\n  /usr/lib/assay/kiosk: ", "manifest:\n  lib/kiosk: ",
                ":6: manifest.lib/kiosk: want an absolute path; only files of "
                    + "\"folder\" have paths relative to it"
            ),
            ("\"abab", "\"zzab", ":6: manifest./usr/lib/assay/kiosk: want a SHA-256: 32 bytes in "),
        ])
    func sentences(_ old: String, _ new: String, _ sentence: String) throws {
        let text = Self.kiosk.replacing(old, with: new)
        try #require(text != Self.kiosk)
        let problems = home.problems(text).filter { !$0.contains("the app accepts no evidence") }
        #expect(problems.contains { $0.hasPrefix(sentence) }, "\(problems)")
        #expect(problems.count == 1, "\(problems)")
    }

    @Test("An entry without a manifest says how one is made")
    func unpinned() throws {
        let text = Self.kiosk.components(separatedBy: "manifest:")[0]
        #expect(
            home.problems(["kiosk": text]).first { $0.hasPrefix("plugins.d") }
                == "plugins.d/kiosk.yaml:1: no file is pinned: run assay plugin pin plugins.d/kiosk.yaml")
    }

    @Test("A configuration of more than 256 KiB, or nested too deeply, is refused")
    func bounds() {
        let long = String(repeating: "x", count: 300_000)
        #expect(
            home.problems(Self.kiosk + "\nconfiguration: {a: \(long)}").first
                == ":7: configuration: 300008 bytes as JSON, the limit is 262144")
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(home.problems(Self.kiosk + "\nconfiguration: {a: \(deep)}").first?.hasSuffix("nested deeper than 31") == true)
    }

    @Test("A plugin that could read the ledger, its key or the folder for state is refused, by every name of the folder")
    func secrets() throws {
        try FileManager.default.createSymbolicLink(
            atPath: home.folder.file("link"), withDestinationPath: home.folder.file("data"))
        for folder in [
            home.folder.path, home.folder.file("data"), home.folder.file("data/ledger.db.key"), home.folder.file("link"), "/",
        ] {
            let problems = home.problems(Self.kiosk + "\npowers: {read: [\"\(folder)\"]}")
            #expect(problems.contains { $0.contains(":7: powers: the plugin could read the ledger") }, "\(folder): \(problems)")
        }
        #expect(home.problems(Self.kiosk + "\npowers: {read: [\"\(home.folder.file("dat"))\"]}").isEmpty)
    }

    @Test("A plugin that could read a private key of the configuration is refused")
    func privateKeys() throws {
        let authority = try TestTLSAuthority()
        let server = try authority.issue(.server, names: [.dns("localhost")])
        try FileManager.default.createDirectory(atPath: home.folder.file("tls"), withIntermediateDirectories: false)
        for (name, text) in [("ca.pem", authority.pem), ("server.pem", server.certificate), ("server.key", server.privateKey)] {
            try home.folder.write(text, to: "tls/" + name)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.folder.file("tls/server.key"))
        let main = CatalogHome.main + "\ntls: {certificate: tls/server.pem, private_key: tls/server.key, client_ca: tls/ca.pem}"
        func problems(_ path: String) -> [String] {
            home.problems(["kiosk": Self.kiosk + "\npowers: {read: [\"\(home.folder.file(path))\"]}"], main: main)
        }
        #expect(
            problems("tls") == [
                "plugins.d/kiosk.yaml:7: powers: the plugin could read the file of \"tls.private_key\" (tls/server.key), which tls "
                    + "contains; want narrower folders"
            ])
        #expect(problems("tls/ca.pem").isEmpty)
    }

    // MARK: Rules between entries

    @Test("An id is unique, and each app and format has one primary")
    func primaries() {
        #expect(
            home.problems(["a": Self.kiosk, "b": Self.kiosk]) == [
                "plugins.d/b.yaml:1: name: the entry in plugins.d/a.yaml has the id \"kiosk\" too; two versions of a plugin need two ids"
            ])
        let next = "id: next\n" + Self.kiosk
        #expect(
            home.problems(["a": Self.kiosk, "b": next.replacing("photos, ", with: "")]) == [
                "plugins.d/b.yaml:4: formats: the app parcels has two primary plugins for kiosk, this one and \"kiosk\" (plugins.d/a.yaml); "
                    + "want \"role: shadow\" or \"role: all\" for one of them"
            ])
        for role in ["shadow", "all"] { #expect(home.problems(["a": Self.kiosk, "b": next + "\nrole: \(role)"]).isEmpty) }
        #expect(home.problems(["a": Self.kiosk, "b": next.replacing("[kiosk]", with: "[other]")]).isEmpty)
        let apart = [
            "a": Self.kiosk.replacing("[photos, parcels]", with: "[parcels]"),
            "b": next.replacing("[photos, parcels]", with: "[photos]"),
        ]
        #expect(home.problems(apart).isEmpty)
    }

    @Test("A second opinion on a format that is not built in needs a primary in each of its apps")
    func secondOpinions() {
        let all = "id: next\nrole: all\n" + Self.kiosk
        #expect(
            home.problems(["a": Self.kiosk.replacing("photos, ", with: ""), "b": all]) == [
                "plugins.d/b.yaml:2: role: the app photos has no primary plugin for kiosk, beside which a plugin could have \"role: all\""
            ])
        let builtIn = all.replacing("[kiosk]", with: "[app-attest.assertion]").replacing(", parcels", with: "")
        #expect(home.problems(["a": Self.kiosk, "b": builtIn]).isEmpty)
    }

    @Test("Built-in formats are vetoed by any number of plugins, and replaced by one")
    func builtIn() {
        let veto = Self.kiosk.replacing("[kiosk]", with: "[app-attest.assertion]").replacing(", parcels", with: "")
        let one = ["k": Self.kiosk.replacing("name: kiosk", with: "name: parcel")]
        #expect(home.problems(one.merging(["a": veto, "b": "id: b\n" + veto]) { a, _ in a }).isEmpty)
        let replacing = veto + "\nreplaces_builtin: true"
        #expect(home.problems(one.merging(["a": replacing, "b": "id: b\n" + veto]) { a, _ in a }).isEmpty)
        #expect(
            home.problems(one.merging(["a": replacing, "b": "id: b\n" + replacing]) { a, _ in a }).first?
                .contains("the app photos has two primary plugins for app-attest.assertion") == true)
        #expect(
            home.problems(one.merging(["a": replacing + "\nrole: all"]) { a, _ in a })
                == [
                    "plugins.d/a.yaml:7: replaces_builtin: only a primary plugin can replace a verifier; want \"role: primary\""
                ])
    }

    @Test("An observer has no role")
    func observers() {
        let eye = Self.kiosk.replacing("formats: [kiosk]", with: "observes: true").replacing("name: kiosk", with: "name: eye")
        #expect(home.problems(["k": Self.kiosk, "e": eye]).isEmpty)
        #expect(
            home.problems(["k": Self.kiosk, "e": eye + "\nrole: shadow"])
                == ["plugins.d/e.yaml:7: role: a plugin without formats judges nothing and has no role"])
    }

    @Test("An app needs a platform, or a plugin that decides alone")
    func evidence() throws {
        #expect(try home.parse().apps.map { $0.plugins.map(\.id) } == [["kiosk"], ["kiosk"]])
        #expect(home.problems(["kiosk": Self.kiosk.replacing(", parcels", with: "")]) == [Self.noEvidence(9)])
        let veto = Self.kiosk.replacing("[kiosk]", with: "[app-attest.assertion]")
        #expect(home.problems(["kiosk": veto]) == [Self.noEvidence(9)])
        #expect(home.problems(["kiosk": veto + "\nreplaces_builtin: true"]).isEmpty)
        // Whether a plugin registers devices is known only once it runs.
        let limited = CatalogHome.main.replacing("parcels: {}", with: "parcels: {max_devices_per_subject: 3}")
        #expect(home.problems(["kiosk": Self.kiosk], main: limited).isEmpty)
    }

    // MARK: What follows from it

    @Test("The policy digest of an app covers what bears on its verdicts, and that of an app without plugins is as before")
    func policyDigest() throws {
        func digests(_ entries: [String: String]) throws -> [[UInt8]] {
            try home.parse(
                entries,
                main: CatalogHome.main.replacing(
                    "  parcels: {}", with: "  other: {app_attest: {identities: [{app_id: TEAMID1234.com.example.other}]}}")
            )
            .apps.map { $0.policyDigest(testRoots: []) }
        }
        let kiosk = Self.kiosk.replacing("[photos, parcels]", with: "[photos]")
        let (none, base) = (try digests([:]), try digests(["kiosk": kiosk]))
        #expect(none[0] != base[0] && none[1] == base[1])
        for same in [
            "# a comment\n" + kiosk, kiosk + "\nlimits: {deadline: 5s}", kiosk + "\nrequired: true", kiosk + "\nobserves: true",
            kiosk + "\nrestart: {deaths: 9}", kiosk + "\npowers: {processes: true}",
        ] { #expect(try digests(["kiosk": same])[0] == base[0]) }
        #expect(try digests(["renamed": kiosk])[0] == base[0])
        try home.folder.write("one", to: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.folder.file("key"))
        try home.folder.write(TestAuthority().rootPEM, to: "root.pem")
        var seen: Set<[UInt8]> = [base[0]]
        let keyed = kiosk + "\nconfiguration: {key: ../key}"
        for other in [
            "id: other\n" + kiosk, kiosk.replacing("name: kiosk", with: "name: other"), kiosk.replacing("abab", with: "abac"),
            kiosk.replacing("[kiosk]", with: "[kiosk, more]"), kiosk + "\nassurance_ceiling: hardware",
            kiosk + "\narguments: [-x]",
            kiosk + "\nconfiguration: {a: 1}", kiosk + "\nconfiguration: {a: \"1\"}", kiosk + "\nanchors: [../root.pem]", keyed,
        ] { #expect(seen.insert(try digests(["kiosk": other])[0]).inserted, "\(other)") }
        try home.folder.write("two", to: "key")
        #expect(seen.insert(try digests(["kiosk": keyed])[0]).inserted, "the content of a secret file")
        // Shadows and observers do not count, entries with all do.
        let next = "id: next\n" + kiosk
        let eye = kiosk.replacing("formats: [kiosk]", with: "observes: true").replacing("name: kiosk", with: "name: eye")
        #expect(try digests(["kiosk": kiosk, "next": next + "\nrole: shadow", "eye": eye])[0] == base[0])
        #expect(try digests(["kiosk": kiosk, "next": next + "\nrole: all"])[0] != base[0])
    }

    @Test("The configuration's digest covers the catalog's files")
    func digest() throws {
        let base = try home.parse().live.digest
        #expect(try home.parse().live.digest == base)
        #expect(try home.parse(["kiosk": Self.kiosk + "\n# a comment"]).live.digest != base)
        #expect(try home.parse(["other": Self.kiosk]).live.digest != base)
    }

    @Test("Certificates are issued on the judgement of plugins that the app's section names")
    func certificates() throws {
        let main = CatalogHome.main.replacing("  parcels: {}", with: "  parcels: {provisioning: {plugins: [kiosk]}}")
        func problems(_ text: String, _ entries: [String: String] = ["kiosk": Self.kiosk]) -> [String] {
            home.problems(entries, main: main.replacing("[kiosk]", with: text)).filter {
                !$0.contains("certificates need a CA")
            }
        }
        #expect(problems("[kiosk]").isEmpty)
        let sentence = "assayd.yaml:9: apps.parcels.provisioning.plugins[0]: no plugin with the id "
        #expect(problems("[kiosks]") == [sentence + "\"kiosks\" decides about evidence of this app; did you mean \"kiosk\"?"])
        let shadow = ["kiosk": Self.kiosk, "next": "id: next\nrole: shadow\n" + Self.kiosk]
        #expect(problems("[next]", shadow).first == sentence + "\"next\" decides about evidence of this app")
        var (rule, other) = (IssuingRule(), PolicyText("x"))
        var base = PolicyText("x")
        base.add(rule)
        rule.plugins = ["kiosk"]
        other.add(rule)
        #expect(base.digest != other.digest)
    }

    @Test("The summary says what each plugin is for")
    func summary() throws {
        let network = Self.kiosk + "\npowers: {network: {ports: [443], udp: true}}"
        #expect(
            try home.parse(["kiosk": network]).summary.contains(
                "runs the plugin kiosk (/usr/lib/assay/kiosk) for photos, parcels: judges kiosk; may connect to TCP 443 of any address; "
                    + "may use UDP"))
    }

    @Test("The examples in the documentation are read")
    func documented() throws {
        let page = try Package.text("docs/reference/configuration/plugins.md")
        let examples = page.components(separatedBy: "```yaml\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        let entries = examples.filter { $0.contains("name:") }
        #expect(entries.count == 2)
        for text in entries {
            let digest = String(repeating: "ab", count: 32)
            let whole = text.split(separator: "\n").map { line in
                line.hasSuffix("…") ? line.prefix { $0 != ":" } + ": " + digest : line[...]
            }.joined(separator: "\n").replacing("[photos]", with: "[photos, parcels]")
            #expect(home.problems(["entry": whole]) == [])
        }
    }
}
