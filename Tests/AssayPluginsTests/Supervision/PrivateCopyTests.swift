import AssayTesting
import Foundation
import Glibc
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Private copies of running plugins")
    struct PrivateCopyTests {
        @Test(
            "The private copy of a plugin's folder stays as long as a process runs from it, also after a restart, and then goes"
        )
        func copy() async throws {
            let home = try PluginHome()
            try home.write("rule\n", to: "code/rules.txt")
            let hostile = HostilePlugins()
            func copies() -> Int {
                let paths = try? FileManager.default.subpathsOfDirectory(atPath: hostile.folder.path() + "/copies")
                return (paths ?? []).count { $0.hasSuffix("rules.txt") }
            }
            var entry = try HostilePlugins.entry()
            entry.folder = home.file("code")
            entry.manifest = try PluginManifest.current(of: entry, owner: nil)
            let plugin = try await hostile.use(entry)
            #expect(plugin.status.state == .ready && copies() == 1)
            let first = try #require(plugin.status.processes.first?.id)
            kill(first, SIGKILL)
            #expect(await eventually { plugin.status.state == .ready && plugin.status.processes.first?.id != first })
            #expect(copies() == 1)
            await hostile.plugins.stop()
            #expect(await eventually { copies() == 0 })
        }
    }
}
