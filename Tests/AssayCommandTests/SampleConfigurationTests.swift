import AssaySimulator
import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    /// `examples/configurations`: each sample is checked as it stands, with the places that it names moved into a folder of the test.
    @Suite("Sample configurations")
    struct SampleConfigurationTests {
        private static let samples = ["upload-handler", "provisioning", "security-team"]
        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            for name in [
                "etc/assay/tls", "etc/assay/plugins.d", "var/lib/assay", "run/assay", "run/credentials/assayd.service",
            ] {
                try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
            }
            let authority = try TestTLSAuthority("callers' CA")
            try folder.write(authority.pem, to: "etc/assay/tls/callers-ca.pem")
            let server = try authority.issue(.server, names: [.dns("assay.example.org")])
            try folder.write(server.certificate, to: "etc/assay/tls/server.pem")
            try folder.write(server.privateKey, to: "etc/assay/tls/server.key")
            for (path, mode) in [
                ("etc/assay/tls/server.key", 0o600), ("", 0o755), ("etc/assay", 0o755), ("etc/assay/plugins.d", 0o755),
            ] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file(path))
            }
        }

        /// The text of a file among the samples, with its places moved.
        private func text(_ name: String) throws -> String {
            var text = try Package.text("examples/configurations/" + name)
            for place in ["/etc/assay", "/var/lib/assay", "/run/assay", "/run/credentials", "/usr/lib/assay"] {
                text = text.replacing(place, with: folder.path + place)
            }
            return text.replacing("0.0.0.0:7443", with: "127.0.0.1:0")
        }

        /// Writes a sample, and what stands beside it.
        private func install(_ name: String) async throws -> String {
            if name == "provisioning" {
                let made = try await Child.run(
                    "assay", ["ca", "init", folder.file("etc/assay/ca"), "--organization", "Example Cameras"])
                try #require(made.status == 0, "\(made)")
            }
            if name == "security-team" {
                try FileManager.default.createDirectory(
                    atPath: folder.file("usr/lib/assay/plugins"), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o755])
                let program = try Data(contentsOf: URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath())
                for name in ["kiosk", "kiosk-next"] {
                    let path = try folder.write([UInt8](program), to: "usr/lib/assay/plugins/" + name)
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
                    let entry = try folder.write(try text("plugins.d/\(name).yaml"), to: "etc/assay/plugins.d/\(name).yaml")
                    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: entry)
                    let pinned = try await Child.run("assay", ["plugin", "pin", entry])
                    try #require(pinned.status == 0, "\(pinned)")
                }
            }
            return try folder.write(try text(name + ".yaml"), to: "etc/assay/assayd.yaml")
        }

        @Test("Every sample is read without an error or a warning of its own, and names its callers", arguments: samples)
        func check(_ name: String) async throws {
            let path = try await install(name)
            let ending = try await Child.run("assayd", ["check-config", "--json", path])
            #expect(ending.status == 0, "\(ending)")
            let object = try #require(JSONSerialization.jsonObject(with: Data(ending.out.utf8)) as? [String: Any])
            #expect((object["problems"] as? [Any])?.isEmpty == true, "\(ending)")
            // What depends on this machine: the sandbox of plugins and their launcher; and that /usr/bin/true, which stands for a plugin, is dynamic.
            let ofTheMachine = [
                "plugin_launcher", "plugin_sandbox", "plugin_user", "plugin_unpinned", "plugin_file", "plugin_state",
            ]
            let findings = try #require(object["findings"] as? [[String: Any]])
            let own = findings.filter { !ofTheMachine.contains($0["code"] as? String ?? "") }
            #expect(own.isEmpty, "\(own)")
            let text = try Package.text("examples/configurations/\(name).yaml")
            #expect(!text.contains("loopback_demo") && !text.contains("i_accept") && !text.contains("accept_simulated"))
            let summary = try #require(object["summary"] as? [String]).joined(separator: "\n")
            for caller in text.matches(of: /- name: ([a-z-]+)[^\n]*\n *(?:uri|unix_user)/) {
                #expect(summary.contains("knows \(caller.1) "), "\(caller.1)\n\(summary)")
            }
        }

        @Test("The page of the samples names every file among them")
        func page() throws {
            let page = try Package.text("examples/configurations/README.md")
            let files = try FileManager.default.contentsOfDirectory(atPath: Package.path("examples/configurations"))
            #expect(Set(files) == Set(Self.samples.map { $0 + ".yaml" } + ["README.md", "plugins.d"]))
            for file in files where file != "README.md" { #expect(page.contains("(\(file))"), "\(file)") }
        }
    }
}
