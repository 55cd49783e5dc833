import AssayConfiguration
import AssayCore
import AssaySchemes
import Testing

@testable import AssayInstallation

@Suite("Planned configurations")
struct PlannedConfigurationTests {
    private static let digest = [UInt8](repeating: 0xAB, count: 32)

    private func plan(_ user: InstallationPlan.User, _ change: (inout InstallationPlan) throws -> Void = { _ in }) throws
        -> InstallationPlan
    {
        var plan = InstallationPlan(
            user: user, app: try #require(AppID(user == .provisioning ? "cameras" : "photos")), administrator: 1000)
        plan.iOS = try IOSApp(team: "TEAMID1234", bundle: "com.example.photos")
        plan.android = try AndroidApp(package: "com.example.photos", signers: [Self.digest])
        if user == .provisioning { plan.manufacturer = "Example \"Cameras\"" }
        try change(&plan)
        try plan.check()
        return plan
    }

    /// What is wrong with a text beside files that are not there: they are made with it.
    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.parse(text, file: "assayd.yaml", folder: "/nowhere")
            return []
        } catch {
            return error.problems.map { "\($0.path): \($0.message)" }.filter { !$0.contains("/nowhere") }
        }
    }

    @Test("are read by the daemon's own reader, for every user, way and kind")
    func good() throws {
        for user in InstallationPlan.User.allCases {
            for reach in InstallationPlan.Reach.allCases {
                for kind in PlannedConfiguration.Kind.allCases {
                    let plan = try plan(user) { $0.reach = reach }
                    let text = PlannedConfiguration(plan, kind).text
                    #expect(problems(text).isEmpty, "\(user) \(reach) \(kind): \(problems(text))\n\(text)")
                    #expect(text.contains("client_certificates: optional") == (reach != .socket))
                    #expect(text.contains("0.0.0.0") == (reach == .network && kind == .production))
                }
            }
        }
    }

    @Test("trust virtual devices in the test alone, which has its own port and a ledger of its own")
    func apart() throws {
        let plan = try plan(.upload) {
            $0.reach = .network
            $0.storage = .database(try DatabaseAddress("postgresql://assay:secret@localhost/assay"), ca: nil)
        }
        let (real, test) = (PlannedConfiguration(plan, .production).text, PlannedConfiguration(plan, .test).text)
        for word in ["test_roots", "accept_simulated", "revocation: {source: none}", "loopback_demo", "ledger.db", "9443"] {
            #expect(!real.contains(word), "\(word) in \(real)")
        }
        for word in ["test_roots: [phone/root.pem, android/root.pem]", "accept_simulated: true", "ledger.db", ":9443"] {
            #expect(test.contains(word), "\(word) not in \(test)")
        }
        #expect(!test.contains("postgresql") && real.contains("hosts: [\"localhost\"]"))
        #expect(real.contains("password_file: database-password") && !real.contains("secret"))
    }

    @Test("give keys no more than the services need, and the administrator of production no verdicts")
    func rights() throws {
        let text = PlannedConfiguration(try plan(.upload), .production).text
        #expect(text.contains("roles: [devices, operate, observe]") && text.contains("    roles: [verify]\n    apps: [photos]"))
        #expect(
            PlannedConfiguration(try plan(.security), .production).text.contains(
                "roles: [verify, devices, observe]\n    apps: all"))
        let fleet = PlannedConfiguration(try plan(.provisioning), .production).text
        #expect(fleet.contains("roles: [verify, provision, fleet, enrol]\n    apps: [cameras]"))
        #expect(fleet.contains(#"manufacturer: "Example \"Cameras\"""#) && !fleet.contains("app_attest"))
    }

    @Test("name a certificate that exists already in production, and one of its own in the test")
    func certificate() throws {
        let plan = try plan(.upload) {
            $0.reach = .loopback
            $0.serverCertificate = InstallationPlan.ServerCertificateFiles(certificate: "/etc/a b.pem", key: "/etc/k.pem")
        }
        #expect(
            PlannedConfiguration(plan, .production).text.contains(
                "certificate: \"/etc/a b.pem\"\n  private_key: \"/etc/k.pem\""))
        #expect(PlannedConfiguration(plan, .test).text.contains("certificate: \"tls/server.pem\""))
    }

    @Test("need answers that go together")
    func mistakes() throws {
        for change: (inout InstallationPlan) throws -> Void in [
            { ($0.iOS, $0.android) = (nil, nil) },
            { ($0.reach, $0.testPort) = (.network, 8443) },
            { $0.storage = .database(try DatabaseAddress("postgresql://a@db.example.com/assay"), ca: nil) },
            { ($0.user, $0.manufacturer) = (.provisioning, nil) },
            { ($0.user, $0.manufacturer) = (.provisioning, "a\u{7}") },
        ] {
            #expect(throws: PlanError.self) { try plan(.upload, change) }
        }
    }
}

@Suite("Answers")
struct AnswerTests {
    @Test("Teams, bundle identifiers and packages have their forms")
    func identities() throws {
        #expect(try IOSApp(team: "TEAMID1234", bundle: "com.example.photos").appID == "TEAMID1234.com.example.photos")
        for (team, bundle) in [
            ("TEAM", "com.example.photos"), ("teamid1234", "com.example.photos"), ("TEAMID1234", ""), ("TEAMID1234", ".a"),
            ("TEAMID1234", "a b"), ("TEAMID1234", "*"),
        ] {
            #expect(throws: PlanError.self) { try IOSApp(team: team, bundle: bundle) }
        }
        for package in ["photos", "com..photos", "com.1photos", "com.example.photos.", "com.example.ph\"otos", ""] {
            #expect(throws: PlanError.self) { try AndroidApp(package: package, signers: [[UInt8](repeating: 1, count: 32)]) }
        }
        #expect(throws: PlanError.self) { try AndroidApp(package: "com.example", signers: []) }
        #expect(throws: PlanError.self) { try AndroidApp(package: "com.example", signers: [[1]]) }
    }

    @Test("A database is read from its URI, and its password is not repeated by errors")
    func database() throws {
        let address = try DatabaseAddress("postgres://assay:p%40ss%3Aword@db1.example.com,[::1]:5433/audit%20log")
        #expect(address.hosts == ["db1.example.com", "[::1]:5433"] && address.database == "audit log")
        #expect(address.user == "assay" && address.password == "p@ss:word" && !address.isOnThisMachine)
        let near = try DatabaseAddress("postgresql://assay@127.0.0.1:5432/assay")
        #expect(near.password == nil && near.isOnThisMachine)
        for text in [
            "mysql://a@b/c", "postgresql://secret", "postgresql://a:secret@/c", "postgresql://a:secret@b/",
            "postgresql://b/secret",
            "postgresql://a:secret@b/c?sslmode=disable", "postgresql://a:%zz@b/c", "postgresql://a:%+f@b/c",
            "postgresql://a:%0asecret@b/c",
            "postgresql://a:secret@b c/d",
        ] {
            do {
                _ = try DatabaseAddress(text)
                Issue.record("\(text) was read")
            } catch {
                #expect(!error.description.contains("secret"), "\(error)")
            }
        }
    }
}
