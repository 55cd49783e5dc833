import AppAttest
import AssayCore
import AssaySchemes
import AssaySimulator
import AssayVendors
import Crypto
import DeviceCheck
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Configuration of vendors")
struct AppleConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(try TestTLSAuthority().pem, to: "ca.pem")
        try key(P256.Signing.PrivateKey().pemRepresentation, to: "AuthKey.p8")
    }

    private func key(_ pem: String, to name: String, mode: Int = 0o600) throws {
        try folder.write(pem, to: name)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(name))
    }

    private static let team = "{team_id: ABCDE12345, key_id: 2X9R4HXF34, private_key: AuthKey.p8}"
    private static let other = "{team_id: FGHIJ67890, key_id: 2X9R4HXF34, private_key: AuthKey.p8}"

    private func parse(_ sections: String, app: String = "{}") throws -> Configuration {
        try Configuration.parse(
            """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            \(sections)
            apps:
              photos:
                app_attest: {identities: [{app_id: ABCDE12345.com.example.photos}], receipt: \(app)}
            """, file: "assayd.yaml", folder: folder.path)
    }

    private func problem(_ sections: String, app: String = "{}") -> String {
        do {
            _ = try parse(sections, app: app)
            return "nothing"
        } catch { return "\(error)" }
    }

    @Test("By default no service is asked, and with a section Apple's own services")
    func defaults() throws {
        let configuration = try parse("")
        #expect(configuration.live.appleTeams.keys.isEmpty)
        #expect(configuration.apps.first?.appAttest?.exchange == nil && configuration.apps.first?.deviceCheck == nil)
        let receipts = try #require(configuration.apps.first?.appAttest?.receiptService)
        #expect(receipts.production.description == "https://data.appattest.apple.com")
        #expect(receipts.development?.description == "https://data-development.appattest.apple.com")
        let bits = try #require(DeviceCheckScheme.services.first?.addresses)
        #expect(bits.production.description == "https://api.devicecheck.apple.com")
        #expect(bits.development?.description == "https://api.development.devicecheck.apple.com")
        #expect(configuration.vendors == VendorSettings())
    }

    @Test("Every key of the section is read")
    func everything() throws {
        let configuration = try parse(
            """
            vendors: {connect_timeout: 1s, timeout: 2s, max_calls: 3, extra_roots: [ca.pem]}
            apple:
              teams: [\(Self.team), \(Self.other)]
              receipts: {production: "https://proxy.example/p", authorization: bearer}
              device_check: {development: "https://proxy.example:8443"}
            """, app: "{mode: require, exchange: {team: FGHIJ67890, every: 2d}, max_risk_metric: 4, high_risk: reject}")
        #expect(configuration.vendors.connectMilliseconds == 1000 && configuration.vendors.totalMilliseconds == 2000)
        #expect(configuration.vendors.callLimit == 3 && !configuration.vendors.extraRoots.isEmpty)
        #expect(configuration.live.appleTeams.keys.map(\.teamID) == ["ABCDE12345", "FGHIJ67890"])
        let section = try #require(configuration.apps.first?.appAttest)
        #expect(section.receiptService.production.description == "https://proxy.example/p")
        #expect(section.receiptService.development?.description == "https://data-development.appattest.apple.com")
        #expect(section.receiptService.chosen["authorization"] == "bearer")
        #expect(section.exchange == .init(teamID: "FGHIJ67890", period: 2 * 86_400_000))
        #expect(section.policy.receipt.maxRiskMetric == 4 && section.policy.receipt.rejectsHighRisk)
        #expect(configuration.summary.contains("photos: exchanges receipts every 2 days as team FGHIJ67890"))
    }

    @Test("The only team is the default, and with several teams a name is required")
    func onlyTeam() throws {
        let one = try parse("apple: {teams: [\(Self.team)]}", app: "{exchange: {}}")
        let section = try #require(one.apps.first?.appAttest)
        #expect(section.exchange == .init(teamID: "ABCDE12345", period: 7 * 86_400_000))
        #expect(problem("apple: {teams: [\(Self.team), \(Self.other)]}", app: "{exchange: {}}").contains("names more than one"))
        #expect(problem("", app: "{exchange: {}}").contains("names no team whose key could be shown"))
        // A team that cannot be read is one problem, not two.
        for team in ["{exchange: {}}", "{exchange: {team: ABCDE12345}}"] {
            let broken = problem(
                "apple: {teams: [{team_id: ABCDE12345, key_id: FGHIJ67890, private_key: nowhere.p8}]}", app: team)
            #expect(broken.contains("nowhere.p8") && !broken.contains("names no team"), "\(broken)")
        }
        #expect(
            problem("apple: {teams: [\(Self.team)]}", app: "{exchange: {team: ABCDE12346}}")
                .contains("did you mean \"ABCDE12345\"?"))
    }

    @Test("A key file must be private, and errors quote nothing of it")
    func keyFiles() throws {
        func apple(_ file: String) -> String {
            "apple: {teams: [{team_id: ABCDE12345, key_id: 2X9R4HXF34, private_key: \(file)}]}"
        }
        try key(P256.Signing.PrivateKey().pemRepresentation, to: "open.p8", mode: 0o644)
        #expect(problem(apple("open.p8")).contains("its mode must be 0600"))
        #expect(problem(apple("none.p8")).contains("is missing"))
        try key("hush", to: "bad.p8")
        let bad = problem(apple("bad.p8"))
        #expect(bad.contains("holds no private key of P-256") && !bad.contains("hush"))
    }

    @Test(
        "Mistakes are reported",
        arguments: [
            ("apple: {}", #"apple: "teams" is missing"#),
            ("apple: {teams: [{team_id: abc, key_id: 2X9R4HXF34, private_key: AuthKey.p8}]}", "ten capital letters and digits"),
            ("apple: {teams: [\(team), \(team)]}", "stands here twice"),
            ("apple: {teams: [\(team)], receipts: {production: \"http://localhost\"}}", "want https://host"),
            ("apple: {teams: [\(team)], device_check: {authorization: bare}}", "unknown key"),
            ("vendors: {extra_roots: [none.pem]}", "none.pem cannot be read: there is no such file"),
            ("vendors: {extra_roots: [AuthKey.p8]}", "AuthKey.p8 holds no certificates in PEM"),
            ("vendors: {timeout: 1h}", "want a duration"),
            ("vendors: {redirects: true}", "unknown key"),
        ])
    func mistakes(_ sections: String, _ want: String) {
        let problem = problem(sections)
        #expect(problem.contains(want), "\(problem)")
    }

    @Test("The rule for a high risk requires a limit")
    func highRisk() {
        #expect(problem("", app: "{high_risk: reject}").contains(#"says nothing without "max_risk_metric""#))
    }

    @Test("A maximum age of an ignored receipt is an error")
    func ageOfIgnored() throws {
        #expect(problem("", app: "{mode: off, max_age: 1h}").contains("the receipt's age is not checked"))
        #expect(try parse("", app: "{mode: off}").apps.first?.appAttest?.policy.receipt.mode == .off)
    }

    @Test("A risk metric limit of 0 is a warning, because the key in use counts")
    func zeroRisk() throws {
        func findings(_ limit: Int) throws -> [ConfigurationFinding] {
            try parse(
                "apple: {teams: [\(Self.team)]}", app: "{mode: require, exchange: {}, max_risk_metric: \(limit)}"
            ).policyFindings(Timestamp(unixSeconds: 1_790_000_000))
        }
        #expect(try findings(0).map(\.code) == [.policyUnmeetable] && findings(1).isEmpty)
    }

    @Test("A limit requires a required receipt and its exchange, which a bad receipt would evade otherwise")
    func riskOfAnyReceipt() throws {
        let team = "apple: {teams: [\(Self.team)]}"
        for risk in ["max_risk_metric: 4", "max_risk_metric: 4, high_risk: reject", "max_risk_metric: 4, high_risk: report"] {
            for (rest, wanted) in [
                ("", #"needs "mode: require" and "exchange": a device"#),
                (", mode: report, exchange: {}", #"needs "mode: require": a device"#),
                (", mode: off, exchange: {}", #"needs "mode: require": a device"#),
                (", mode: require", #"needs "exchange": a device"#),
            ] {
                let found = problem(team, app: "{\(risk)\(rest)}")
                #expect(found.contains("max_risk_metric") && found.contains(wanted), "\(found)")
            }
            let good = try parse(team, app: "{\(risk), mode: require, exchange: {}}")
            #expect(good.apps.first?.appAttest?.policy.receipt.maxRiskMetric == 4)
        }
    }

    @Test("Imported devices are refused where a high risk rejects, since they have no metric")
    func riskOfImported() throws {
        func text(_ risk: String) -> String {
            "{mode: require, exchange: {}, max_risk_metric: 4\(risk)}, accept_imported: true"
        }
        let team = "apple: {teams: [\(Self.team)]}"
        #expect(problem(team, app: text(", high_risk: reject")).contains("refuses all of them"))
        #expect(try parse(team, app: text("")).apps.first?.appAttest?.policy.acceptImported == true)
    }

    @Test("An app may accept only DeviceCheck tokens")
    func deviceCheckAlone() throws {
        let configuration = try Configuration.parse(
            """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apple:
              teams: [\(Self.team)]
              device_check: {production: "https://proxy.example:8443"}
            apps:
              other: {device_check: {}}
              photos: {device_check: {environment: development, refuse_bits: [bit0, bit1], spend_token_for: 1h}}
            """, file: "assayd.yaml", folder: folder.path)
        #expect(configuration.apps.first?.deviceCheck?.address.host == "proxy.example:8443")
        let section = try #require(configuration.apps.last?.deviceCheck)
        #expect(section.teamID == "ABCDE12345" && section.address.host == "api.development.devicecheck.apple.com")
        #expect(section.policy.refusedBits == [.bit0, .bit1] && section.policy.spendsTokenFor == 3_600_000)
    }

    @Test("An app that accepts only DeviceCheck tokens is warned that its look-ups find nothing")
    func lookupOfTokens() throws {
        func findings(_ sections: String) throws -> [ConfigurationFinding] {
            try Configuration.parse(
                """
                listen: [{unix: a.sock}]
                store: {path: ledger.db}
                callers: {loopback_demo: true}
                apple: {teams: [\(Self.team)]}
                apps:
                  photos: {\(sections)}
                """, file: "assayd.yaml", folder: folder.path
            ).policyFindings(Timestamp(unixSeconds: 1_790_000_000)).filter { $0.path == "apps.photos.lookup" }
        }
        let found = try findings("device_check: {}, lookup: {}")
        #expect(found.map(\.code) == [.lookupUnused] && found.first?.line != nil)
        #expect(ConfigurationFinding.Code.lookupUnused.severity == .warning)
        #expect(try findings("device_check: {}").isEmpty)
        let phone = "app_attest: {identities: [{app_id: ABCDE12345.com.example.photos}]}"
        #expect(try findings("device_check: {}, \(phone), lookup: {}").isEmpty)
    }
}
