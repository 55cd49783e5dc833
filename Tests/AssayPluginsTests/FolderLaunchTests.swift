import AssayTesting
import Foundation
import Glibc
import Synchronization
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Starting from a copied folder")
    struct FolderLaunchTests {
        /// The lines that a program of this machine prints with these arguments in its sandbox, the folder `code` being its own.
        private func lines(_ program: String, _ arguments: [String], in home: PluginHome) async throws -> (
            lines: [String], end: ProcessEnd
        ) {
            var entry = PluginEntry(
                id: "kiosk", name: "kiosk", file: home.file("kiosk.yaml"),
                command: URL(fileURLWithPath: program).resolvingSymlinksInPath().path, arguments: arguments,
                folder: home.file("code"),
                manifest: PluginManifest([:]), formats: [], apps: [])
            entry.sandbox = BuiltPlugin.sandbox
            entry.manifest = try PluginManifest.current(of: entry, owner: nil)
            let image = try PluginImage(entry, copies: home.file("state/copies"), user: entry.sandbox.user)
            let seen = Mutex<[String]>([])
            let process = try await PluginProcess.start(image.launch(by: BuiltPlugin.launcher, as: entry.sandbox.user)) {
                line in
                seen.withLock { $0.append(line) }
            }
            let end = await process.end
            try await eventually("it printed something") { seen.withLock { !$0.isEmpty } }
            withExtendedLifetime(image) {}
            return (seen.withLock { $0 }, end)
        }

        @Test("A program in its sandbox reads the copy of its folder, and not the original")
        func copy() async throws {
            let home = try PluginHome()
            try home.write("what was pinned\n", to: "code/deep/main.txt")
            let copied = try await lines("/bin/cat", ["{folder}/deep/main.txt"], in: home)
            #expect(copied.lines == ["what was pinned"] && copied.end == .exited(status: 0), "\(copied)")
            let original = try await lines("/bin/cat", [home.file("code/deep/main.txt")], in: home)
            #expect(
                original.lines.first?.contains("Permission denied") == true && original.end == .exited(status: 1), "\(original)"
            )
        }
    }
}
