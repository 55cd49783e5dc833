import AssayCertificates
import AssayCore
import AssayProvisioning
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// What the configuration says of device certificates, and what is said of it.
@Suite("The configuration of device certificates", .timeLimit(.minutes(30)))
struct ProvisioningConfigurationTests {
    private static let now = SystemClock().now()
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        for name in ["run", "data"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
        let authorities = AuthorityFolder(folder.file("ca"))
        let root = authorities.files(of: AuthorityFolder.rootName)
        var plan = AuthorityPlan()
        plan.issuingValidity = 20 * 86_400_000
        let first = authorities.files(of: "issuing-1")
        _ = try await authorities.initialize(plan, root: root, issuing: first, at: Self.now, iterations: 1000)
        plan.issuingValidity = 400 * 86_400_000
        _ = try await authorities.next(
            plan, root: root, issuing: authorities.files(of: "issuing-2"), at: Self.now, iterations: 1000)
    }

    private static func authority(_ number: Int, _ more: String = "") -> String {
        "{name: issuing-\(number), certificate: ca/issuing-\(number).pem, key: ca/issuing-\(number).key, "
            + "passphrase_file: ca/issuing-\(number).passphrase\(more)}"
    }

    private func load(
        _ authorities: [String] = [authority(1), authority(2)], lists: String = "{}", app: String = "",
        provisioning: String = "{}", at now: Timestamp = now
    ) throws -> ConfigurationCheck {
        try folder.write(
            """
            listen: [{unix: run/a.sock}]
            store: {path: data/ledger.db}
            callers: {known: [{name: handler, unix_user: 0, roles: [verify, provision], apps: all}]}
            apps:
              photos:
                provisioning: \(provisioning)
                app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}
                \(app)
              plain:
                app_attest: {identities: [{app_id: TEAMID1234.com.example.plain}]}
            provisioning:
              authorities: [\(authorities.joined(separator: ", "))]
              revocation_lists: \(lists)
            """, to: "assayd.yaml")
        return ConfigurationCheck(folder.file("assayd.yaml"), at: now)
    }

    private static let fleet = "manufacturer: Example Cameras"

    // MARK: The ends of CAs

    @Test("A CA that ends within 30 days is noted, and one that no other follows especially")
    func endsSoon() throws {
        let followed = try load()
        #expect(followed.findings.map(\.code) == [.issuingEndsSoon] && followed.findings.first?.severity == .note)
        #expect(followed.findings.first?.path == "provisioning.authorities[0].certificate")
        #expect(followed.findings.first?.message.contains("no other CA") == false)
        #expect(followed.lines.first?.hasSuffix(": can be used; 1 note") == true && !followed.isGood)
        let alone = try load([Self.authority(1)])
        #expect(alone.findings.map(\.code) == [.issuingEndsSoon])
        #expect(alone.findings.first?.message.hasSuffix("; no other CA signs after it") == true)
        #expect(try load([Self.authority(2)]).isGood)
    }

    @Test("A CA that has ended is a warning, and it is a failure if no CA signs now")
    func ended() throws {
        let later = Self.now.adding(milliseconds: 21 * 86_400_000)
        #expect(try load(at: later).findings.map(\.code) == [.issuingEnded])
        let none = try load([Self.authority(1)], at: later)
        #expect(none.findings.map(\.code) == [.issuingNone, .issuingEnded])
        #expect(none.lines.first?.hasSuffix(": would not work here: 1 failure, 1 warning") == true && none.exitStatus == 0)
        let next = try load([Self.authority(2, ", signs_from: \"\(later)\"")])
        #expect(next.findings.map(\.code) == [.issuingNone])
    }

    // MARK: Folders

    @Test("A folder of revocation lists that cannot be written or made is a warning; one that will be made is not")
    func directory() throws {
        func codes(_ directory: String) throws -> [ConfigurationFinding.Code] {
            try load([Self.authority(2)], lists: "{directory: \(directory)}").findings.map(\.code)
        }
        #expect(try codes("lists/of/cas").isEmpty && codes("run").isEmpty)
        try folder.write("", to: "file")
        #expect(try codes("file") == [.revocationDirectory] && codes("file/below") == [.revocationDirectory])
        let stranger = UnixAccount(userID: 4_000_000, groups: [4_000_000])
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("run"))
        _ = try load([Self.authority(2)], lists: "{directory: run}")
        let seen = ConfigurationCheck(folder.file("assayd.yaml"), as: stranger, at: Self.now).findings
        #expect(seen.contains { $0.code == .revocationDirectory && $0.path == "provisioning.revocation_lists.directory" })
    }

    // MARK: Rules that cannot hold

    @Test(
        "Names that no device of the app has, and templates that are malformed, are refused",
        arguments: [
            ("{subject: {common_name: \"{serial}\"}}", "only devices of a fleet have {serial}"),
            ("{alternative_names: [\"urn:x:{family}\"]}", "only devices of a fleet have {family}"),
            ("{subject: {organization: \"a { b\"}}", "a brace without its partner"),
            ("{subject: {organization: \"a } b\"}}", "a brace without its partner"),
            ("{subject: {common_name: \"{unknown}\"}}", "{unknown} is no value of a device; want {app}, {device}, {ca} here"),
            (
                "{subject: {organization: \"a\\nb\"}}",
                "apps.photos.provisioning.subject.organization: want no control characters"
            ),
            ("{fleet: {manufacturer: m, subject: {common_name: \"\\x85\"}}}", "want no control characters"),
            ("{subject: {common_name: \"\(String(repeating: "n", count: 220)){device}\"}}", "has more than 255 characters"),
            ("{alternative_names: [\"{device}\"]}", "is not a URI"),
            ("{fleet: {manufacturer: m, alternative_names: [\"no uri\"]}}", "is not a URI"),
            ("{fleet: {manufacturer: m, fleet_arc: \(ExtensionArc.statement)}}", "must be two arcs"),
            ("{extension_arc: \(ExtensionArc.fleet).7, fleet: {manufacturer: m}}", "must be two arcs"),
            (
                "{fleet: {manufacturer: m, extension_arc: 1.3.6.1.4.1.60000, fleet_arc: 1.3.6.1.4.1.60000.9}}",
                "must be two arcs"
            ),
        ])
    func refused(_ provisioning: String, _ words: String) throws {
        let check = try load(provisioning: provisioning)
        #expect(check.exitStatus == 65 && check.errors.contains(words), "\(check.errors)")
    }

    @Test("The places that a device has are taken: the CA's name too, and in a fleet serial number and family")
    func places() throws {
        let check = try load(
            [Self.authority(2)], lists: "{url: \"https://crl.example/{ca}.crl\"}",
            provisioning: """
                {subject: {common_name: "{app} {device} {ca}"}, fleet: {\(Self.fleet), subject: {common_name: "{family} {serial}"}, \
                alternative_names: ["urn:x:{serial}"]}}
                """)
        #expect(check.isGood, "\(check.errors) \(check.findings)")
        let profile = check.configuration?.live.apps.first?.provisioning?.issuing.profile
        #expect(profile?.commonName.text == "{app} {device} {ca}" && profile?.revocationListURL?.places == [.ca])
        for url in ["https://crl.example/{app}.crl", "https://crl.example/{ca.crl", "ldap://crl.example/{ca}"] {
            #expect(try load(lists: "{url: \"\(url)\"}").exitStatus == 65, "\(url)")
        }
    }

    @Test("Purposes of certificates are names or object identifiers, and client_auth says the same of one of them")
    func purposes() throws {
        func purposes(_ keys: String) throws -> [String]? {
            let check = try load([Self.authority(2)], provisioning: "{\(keys)}")
            #expect(check.isGood, "\(keys): \(check.errors)")
            return check.configuration?.live.apps.first?.provisioning?.issuing.profile.keyPurposes.map(\.description)
        }
        #expect(try purposes("") == ["clientAuth"] && purposes("client_auth: false") == [])
        #expect(try purposes("client_auth: true") == ["clientAuth"] && purposes("extended_key_usage: []") == [])
        #expect(
            try purposes("extended_key_usage: [documentSigning, 1.3.6.1.5.5.7.3.4, clientAuth, 1.3.6.1.4.1.62558.2.1]")
                == ["documentSigning", "emailProtection", "clientAuth", "1.3.6.1.4.1.62558.2.1"])
        // A fleet has its own.
        let check = try load(
            [Self.authority(2)],
            provisioning: "{extended_key_usage: [clientAuth], fleet: {manufacturer: m, extended_key_usage: [documentSigning]}}")
        let fleet = check.configuration?.live.apps.first?.provisioning?.fleet
        #expect(fleet?.profile.keyPurposes.map(\.description) == ["documentSigning"])
    }

    @Test(
        "What is no purpose of a device's certificate is refused, with the place",
        arguments: [
            (
                "[documentSinging]", "[0]: want clientAuth, documentSigning, emailProtection or an object identifier",
                "did you mean \"documentSigning\"?"
            ),
            ("[clientAuth, 1.3.6.x]", "[1]: want", "have \"1.3.6.x\""), ("[3.1.2]", "[0]: want", ""),
            ("[clientAuth, 1.3.6.1.5.5.7.3.2]", "[1]: clientAuth stands twice", ""), ("clientAuth", "want a list", ""),
            ("[2.5.29.37.0]", "no device's certificate has anyExtendedKeyUsage", ""),
            ("[OCSPSigning]", "no device's certificate has OCSPSigning", ""),
            ("[1.3.6.1.5.5.7.3.9]", "no device's certificate has OCSPSigning", ""),
            ("[clientAuth], client_auth: true", "leave \"client_auth\" out", ""),
        ])
    func wrongPurposes(_ list: String, _ words: String, _ more: String) throws {
        let check = try load([Self.authority(2)], provisioning: "{extended_key_usage: \(list)}")
        #expect(check.exitStatus == 65 && check.errors.contains(words), "\(check.errors)")
        #expect(more.isEmpty || check.errors.contains(more), "\(check.errors)")
        #expect(check.errors.contains("apps.photos.provisioning.extended_key_usage"))
    }

    @Test("Bundles whose section reads the app's own fleet under another arc are a warning")
    func arcs() throws {
        func findings(_ bundle: String, fleet: String = Self.fleet) throws -> [ConfigurationFinding] {
            try load(
                [Self.authority(2)], app: "certificate_bundle: \(bundle)", provisioning: "{fleet: {\(fleet)}}"
            ).findings
        }
        #expect(try findings("{}").isEmpty)
        let found = try findings("{extension_arc: 1.2.3.4}")
        #expect(found.map(\.code) == [.fleetArcDiffers], "\(found)")
        #expect(found.first?.path == "apps.photos.certificate_bundle.extension_arc")
        #expect(try findings("{}", fleet: Self.fleet + ", fleet_arc: 1.2.3.4").map(\.code) == [.fleetArcDiffers])
        #expect(try findings("{extension_arc: 1.2.3.4}", fleet: Self.fleet + ", fleet_arc: 1.2.3.4").isEmpty)
        #expect(try findings("{extension_arc: [1.2.3.5, 1.2.3.4]}", fleet: Self.fleet + ", fleet_arc: 1.2.3.4").isEmpty)
        // Where no arc is configured, the one that earlier versions had is read too.
        #expect(try findings("{}", fleet: Self.fleet + ", fleet_arc: 1.3.6.1.4.1.60000.1").isEmpty)
        let foreign = "{extension_arc: 1.2.3.4, issued_here: false, authorities: [ca/root.pem]}"
        #expect(try findings(foreign).isEmpty)
    }

    @Test("A required secret in an app without a fleet is a warning: no bundle meets it")
    func secretWithoutFleet() throws {
        func findings(_ rule: String, _ provisioning: String) throws -> [ConfigurationFinding] {
            try load([Self.authority(2)], app: "certificate_bundle: {secret: \(rule)}", provisioning: provisioning).findings
        }
        let found = try findings("required", "{}")
        #expect(found.map(\.code) == [.policyUnmeetable] && found.first?.severity == .warning, "\(found)")
        #expect(found.first?.path == "apps.photos.certificate_bundle.secret" && found.first?.line != nil)
        #expect(try findings("if_present", "{}").isEmpty)
        #expect(try findings("required", "{fleet: {\(Self.fleet)}}").isEmpty)
    }

    @Test("Rules that no vouched key meets are a warning in an app whose platforms attest no other key")
    func unmeetable() throws {
        func paths(_ provisioning: String, app: String = "") throws -> [String] {
            let check = try load([Self.authority(2)], app: app, provisioning: provisioning)
            #expect(check.findings.allSatisfy { $0.code == .policyUnmeetable }, "\(check.findings) \(check.errors)")
            return check.findings.map(\.path)
        }
        #expect(try paths("{min_assurance: hardware}") == ["apps.photos.provisioning.min_assurance"])
        #expect(try paths("{vouched: refuse}") == ["apps.photos.provisioning.vouched"])
        for good in ["{}", "{min_assurance: hardware, vouched: secure_element}", "{min_assurance: software}"] {
            #expect(try paths(good).isEmpty, "\(good)")
        }
        let android = """
            android: {packages: [{name: com.example.photos, signers: [\(String(repeating: "ab", count: 32))]}], \
            revocation: {source: none}}
            """
        for rule in ["{min_assurance: hardware}", "{vouched: refuse}"] {
            #expect(try paths(rule, app: android).isEmpty, "Android attests the key that is certified")
        }
    }

    @Test("One address of revocation lists for two CAs is a warning")
    func sharedAddress() throws {
        let both = [Self.authority(2), Self.authority(1)]
        func found(_ authorities: [String], _ url: String) throws -> [ConfigurationFinding] {
            try load(authorities, lists: "{url: \"https://crl.example/\(url)\"}").findings.filter { $0.severity == .warning }
        }
        let warned = try found(both, "device.crl")
        #expect(warned.map(\.code) == [.revocationURLShared], "\(warned)")
        #expect(warned.first?.path == "provisioning.revocation_lists.url")
        #expect(try found(both, "{ca}.crl").isEmpty)
    }

    @Test("An address at which the list of the only CA, or of the next, cannot be is told")
    func foreignAddress() throws {
        func found(_ lists: String) throws -> [ConfigurationFinding] {
            try load([Self.authority(2)], lists: "{\(lists)}").findings.filter {
                $0.path == "provisioning.revocation_lists.url"
            }
        }
        let alone = try found("url: \"https://crl.example/device.crl\"")
        #expect(alone.map(\.code) == [.revocationURLShared] && alone.first?.message.contains("the next CA has a list") == true)
        let beside = try found("directory: lists, url: \"https://crl.example/device.crl\"")
        #expect(beside.first?.message.contains(".crl.pem into the directory, and nothing else") == true, "\(beside)")
        let renamed = try found("directory: lists, url: \"https://crl.example/{ca}.der\"")
        #expect(renamed.map(\.code) == [.revocationURLUnwritten] && renamed.first?.severity == .note, "\(renamed)")
        for lists in [
            "url: \"https://crl.example/{ca}.der\"", "directory: lists, url: \"https://crl.example/{ca}.crl\"",
            "directory: lists, url: \"https://crl.example/{ca}.crl.pem\"",
        ] { #expect(try found(lists).isEmpty, "\(lists)") }
    }

    @Test("A list of CAs that is empty is refused with what is wanted")
    func empty() throws {
        let none = try load([])
        #expect(
            none.exitStatus == 65 && none.problems.map(\.message) == ["want at least one CA"], "\(none.errors)")
        for key in ["authorities", "crl_files"] {
            let check = try load([Self.authority(2)], app: "certificate_bundle: {\(key): []}")
            #expect(check.exitStatus == 65 && check.errors.contains("leave the key out to name none"), "\(check.errors)")
        }
    }

    @Test("A self-signed CA is noted, and so are two CAs that begin to sign together")
    func notes() throws {
        let root = "{name: root, certificate: ca/root.pem, key: ca/root.key, passphrase_file: ca/root.passphrase}"
        let rooted = try load([root])
        #expect(rooted.findings.map(\.code) == [.issuingRoot] && rooted.findings.first?.severity == .note, "\(rooted.findings)")
        #expect(rooted.findings.first?.path == "provisioning.authorities[0].certificate")
        let start = Self.now.adding(milliseconds: 1000)
        func notes(_ first: Timestamp, _ second: Timestamp) throws -> [ConfigurationFinding] {
            try load([Self.authority(2, ", signs_from: \"\(first)\""), Self.authority(1, ", signs_from: \"\(second)\"")])
                .findings.filter { $0.code == .issuingStartShared }
        }
        let shared = try notes(start, start)
        #expect(shared.map(\.path) == ["provisioning.authorities[1].signs_from"] && shared.first?.severity == .note)
        #expect(shared.first?.message.hasSuffix("of the two, issuing-1 signs, the later one in the file") == true)
        #expect(try notes(start, start.adding(milliseconds: 1000)).isEmpty)
    }

    // MARK: The summary

    @Test("The summary names the CAs, what each app gets from them, and whose bundles are accepted")
    func summary() throws {
        let check = try load(
            [Self.authority(2)], lists: "{directory: lists, url: \"https://crl.example/{ca}.crl\"}",
            app: "certificate_bundle: {}", provisioning: "{min_assurance: hardware, vouched: refuse, fleet: {\(Self.fleet)}}")
        let lines = check.configuration?.summary ?? []
        func has(_ parts: String...) -> Bool { lines.contains { line in parts.allSatisfy { line.contains($0) } } }
        #expect(has("the CA issuing-2 (", "Assay Device Issuing CA 2", "until 20", "key in \(folder.file("ca/issuing-2.key"))"))
        #expect(
            has("revocation lists that are valid for 7d; writes them to ", folder.file("lists"), "https://crl.example/{ca}.crl")
        )
        #expect(
            has(
                "photos: issues and renews certificates: 365d, assurance at least hardware; keys that the platform does not attest: refused"
            ))
        #expect(has("photos: provisions a fleet of Example Cameras: 365d, assurance software"))
        #expect(lines.contains("photos: bundles signed with device certificates of Assay's own CAs"), "\(lines)")
        #expect(!lines.contains { $0.hasPrefix("plain: ") && $0.contains("certificate") })
    }

    // MARK: The policy digest

    @Test("The policy digest of an app follows the set of CAs that certify its devices, in any order")
    func digest() throws {
        let live = try #require(try load().configuration).live
        let anchors = try #require(live.provisioning).anchors
        let (photos, plain) = (try #require(live.apps.first), try #require(live.apps.last))
        func digest(_ app: AppConfiguration, _ authorities: [TrustAnchor]) -> [UInt8] {
            app.policyDigest(testRoots: [], deviceAuthorities: authorities)
        }
        #expect(anchors.count == 2 && digest(photos, anchors) == digest(photos, anchors.reversed()))
        let choices: [[TrustAnchor]] = [anchors, [anchors[0]], [anchors[1]], []]
        let digests = Set(choices.map { digest(photos, $0) })
        #expect(digests.count == 4)
        #expect(digest(plain, anchors) == digest(plain, []))
        let bundles = try #require(try load(app: "certificate_bundle: {}").configuration?.live.apps.first)
        #expect(digest(bundles, anchors) != digest(bundles, []))
    }
}
