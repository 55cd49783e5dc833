import Foundation
import Testing

@testable import DaemonTesting

extension CommandTests {
    @Suite("Powers of examined plugins")
    struct PluginCheckCommandTests {
        private let folder: TemporaryFolder
        private let executable = URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath().path

        init() throws { folder = try TemporaryFolder() }

        private func entry(_ readable: String) throws -> String {
            try folder.write(
                """
                name: kiosk
                command: \(executable)
                formats: [kiosk]
                apps: [photos]
                manifest: {\(executable): \(String(repeating: "ab", count: 32))}
                powers: {read: [\(readable)]}
                """, to: "kiosk.yaml")
        }

        private func check(_ arguments: String...) async throws -> Child.Ending {
            // Nothing is started: what the launcher is does not matter.
            try await Child.run("assay", ["plugin", "check", "--launcher", executable] + arguments)
        }

        @Test("Powers that every daemon refuses are refused in an entry, and for an executable")
        func processes() async throws {
            let refused = try await check(try entry("/proc"))
            #expect(
                refused.status == 65
                    && refused.err.contains("powers: the plugin could look into other processes through /proc"),
                "\(refused)")
            let read = try await check(executable, "--read", "/proc/1")
            #expect(read.status == 65 && read.err.contains("could look into other processes through /proc/1"), "\(read)")
        }

        @Test("With a daemon's configuration, folders that hold its files are refused as it refuses them")
        func secrets() async throws {
            let daemon = try folder.write(
                """
                listen: [{unix: assayd.sock}]
                store: {path: data/ledger.db}
                callers: {loopback_demo: true}
                apps: {photos: {app_attest: {identities: [{app_id: ABCDE12345.com.example.photos}]}}}
                """, to: "assayd.yaml")
            let data = folder.file("data")
            let refused = try await check(try entry(data), "--daemon", daemon)
            #expect(
                refused.status == 65 && refused.err.contains("which \(data) contains; want narrower folders"), "\(refused)")
            let read = try await check(executable, "--read", data, "--daemon", daemon)
            #expect(read.status == 65 && read.err.contains("which \(data) contains; want narrower folders"), "\(read)")
            let unknown = try await check(executable, "--daemon", folder.file("nowhere.yaml"))
            #expect(unknown.status == 65 && unknown.err.contains("nowhere.yaml"), "\(unknown)")
        }
    }
}
