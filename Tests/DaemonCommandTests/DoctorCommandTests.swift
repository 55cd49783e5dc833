import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("assay doctor")
    struct DoctorCommandTests {
        private func doctor(_ words: [String], server: String? = nil) async throws -> Child.Ending {
            try await Child.run(
                "assay", ["doctor"] + words, environment: server.map { ["ASSAY_SERVER": $0] } ?? [:])
        }

        /// The findings of `--json`, by their codes.
        private func findings(_ ending: Child.Ending) throws -> [String: [[String: String]]] {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any], "\(ending)")
            let findings = try #require(object["findings"] as? [[String: String]])
            let bad = findings.filter { $0["severity"] != "ok" }
            #expect(object["problems"] as? Int == bad.count { $0["severity"] == "problem" })
            #expect(object["warnings"] as? Int == bad.count { $0["severity"] == "warning" })
            #expect(bad.allSatisfy { $0["remedy"]?.isEmpty == false }, "\(bad)")
            return Dictionary(grouping: findings) { $0["code"] ?? "" }
        }

        @Test("A daemon and its file that are well are said to be, with what is only for trials as a warning")
        func well() async throws {
            let home = try TestHome()
            try home.leaveTheDiskAlone()
            let daemon = try await TestDaemon(home)
            let server = try daemon.address("tcp")
            let ending = try await doctor(["--config", home.configuration, "--json"], server: server)
            #expect(ending.status == 0, "\(ending)")
            let found = try findings(ending)
            #expect(found["daemon"]?.first?["message"]?.hasPrefix("assayd \(Version.text) answers") == true)
            #expect(found["test_roots"]?.first?["severity"] == "warning", "the home trusts a test root")
            #expect(found["configuration"]?.first?["subject"] == home.configuration, "\(ending)")
            #expect(found["configuration_differs"] == nil && found["attention"]?.count == 1, "\(ending)")
            #expect(found["app"]?.count == 2 && found["clock"]?.isEmpty == false, "\(ending)")

            let text = try await doctor(["--config", home.configuration], server: server)
            #expect(text.status == 0 && text.lines.first?.hasSuffix(" ok") == true, "\(text)")
            #expect(text.out.contains("warning  test roots are trusted") && text.out.contains("         to do: "), "\(text)")
            #expect(!text.out.contains("\u{1B}"))
            #expect(try await doctor(["--strict"], server: server).status == 1)
            #expect(await daemon.stop().status == 0)
        }

        @Test("A file that has changed since the daemon read it, and a daemon that is gone, are found")
        func changed() async throws {
            let home = try TestHome(listen: ["unix: daemon.sock"], callers: "{loopback_demo: true}")
            let daemon = try await TestDaemon(home)
            try home.folder.write(home.folder.text("assayd.yaml") + "\n# changed\n", to: "assayd.yaml")
            // The address is the file's.
            let changed = try await doctor(["--config", home.configuration, "--json"])
            let found = try findings(changed)
            #expect(found["configuration_differs"]?.first?["severity"] == "warning", "\(changed)")
            #expect(found["listener"]?.first?["subject"]?.hasSuffix("daemon.sock") == true, "\(changed)")
            #expect(await daemon.stop().status == 0)

            let gone = try await doctor(["--config", home.configuration, "--json"])
            #expect(gone.status == 1, "\(gone)")
            let missing = try findings(gone)
            #expect(missing["daemon_unreachable"] != nil && missing["listener_unreachable"] != nil, "\(gone)")
            #expect(gone.err.isEmpty, "what is wrong is an answer, and no error: \(gone)")
        }

        @Test("An app that rejects everything is a problem, with the reason")
        func rejects() async throws {
            let home = try TestHome()
            try home.leaveTheDiskAlone()
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            // Genuine in all but its authority.
            var phone = VirtualPhone(authority: TestAuthority(), appID: TestHome.appID)
            for _ in 1...25 {
                let forged = TestPhone(key: phone.makeKey(), app: home.app)
                #expect(try await forged.register(client).outcome == "untrusted_root")
            }
            let ending = try await doctor(["--json"], server: try daemon.address("tcp"))
            #expect(ending.status == 1, "\(ending)")
            let found = try #require(try findings(ending)["app_rejects_all"]?.first)
            #expect(found["subject"] == "app camera" && found["message"]?.contains("untrusted_root 25") == true, "\(found)")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A file that cannot be used is a problem with its line, and one that is not there an error")
        func unusable() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("listen: [{tcp: 127.0.0.1:0}]\nnonsense: 1\n", to: "assayd.yaml")
            let ending = try await doctor(["--config", file, "--json"], server: "127.0.0.1:1")
            #expect(ending.status == 1, "\(ending)")
            let found = try #require(try findings(ending)["configuration_unusable"], "\(ending)")
            #expect(found.contains { $0["subject"] == "\(file):2" && $0["message"]?.contains("nonsense") == true }, "\(found)")
            let missing = try await doctor(["--config", folder.file("none.yaml")], server: "127.0.0.1:1")
            #expect(missing.status == 65 && missing.err.contains("none.yaml"), "\(missing)")
        }

        @Test("A caller without the role observe is told which role it needs")
        func denied() async throws {
            let home = try TestHome(
                listen: ["unix: daemon.sock"],
                callers: "{known: [{name: uploads, unix_user: \(getuid()), roles: [verify], apps: [camera]}]}")
            let daemon = try await TestDaemon(home)
            let ending = try await doctor(["--json"], server: "unix:" + home.folder.file("daemon.sock"))
            #expect(ending.status == 1, "\(ending)")
            let found = try #require(try findings(ending)["not_permitted"]?.first, "\(ending)")
            #expect(found["remedy"]?.contains("observe") == true)
            #expect(await daemon.stop().status == 0)
        }
    }
}
