import Crypto
import Foundation
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Starting")
    struct LaunchTests {
        func failure(_ launch: Launch) async -> LaunchFailure? {
            do throws(LaunchFailure) {
                _ = try await PluginProcess.start(launch) { _ in }
                return nil
            } catch { return error }
        }

        func fileError(_ path: String) -> PluginFileError? {
            do throws(PluginFileError) {
                _ = try SealedExecutable(copying: path)
                return nil
            } catch { return error }
        }

        @Test("The copy of an executable has its digest")
        func digest() throws {
            let executable = try SealedExecutable(copying: BuiltPlugin.template)
            let file = try Data(contentsOf: URL(fileURLWithPath: BuiltPlugin.template))
            #expect(executable.sha256 == Array(SHA256.hash(data: file)) && executable.size == file.count)
        }

        @Test("Files that are no executable are refused with the reason")
        func files() throws {
            let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            func file(_ name: String, _ text: String) throws -> String {
                let url = folder.appending(path: name)
                try Data(text.utf8).write(to: url)
                return url.path()
            }
            #expect(fileError(try file("script", "#!/bin/sh\n"))?.problem.contains("is a script: name its interpreter") == true)
            #expect(fileError(try file("text", "hello"))?.problem == "is not an ELF executable")
            #expect(fileError(try file("empty", ""))?.problem == "is empty")
            #expect(fileError(folder.path())?.problem == "is a folder, and not an executable")
            #expect(fileError("plugins/x")?.problem == "is not an absolute path")
            #expect(fileError(folder.path() + "/none")?.problem.contains("No such file") == true)
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(fileURLWithPath: BuiltPlugin.template))
            #expect(fileError(link.path())?.problem.contains("symbolic link") == true)
        }

        @Test("A step of the launcher that fails ends the start with its name and a sentence")
        func step() async throws {
            let executable = try SealedExecutable(copying: BuiltPlugin.template)
            var launch = BuiltPlugin.launch(executable)
            launch.sandbox.readable.append("/nowhere/at/all")
            let text = try #require(await failure(launch)).description
            #expect(text.contains("the launcher's step files failed") && text.contains("/nowhere/at/all"), "\(text)")
            launch = BuiltPlugin.launch(executable)
            launch.sandbox.executable = []
            #expect(try #require(await failure(launch)).description.contains("the launcher's step exec failed"))
        }

        @Test("A launcher that is not there is named")
        func noLauncher() async throws {
            let executable = try SealedExecutable(copying: BuiltPlugin.template)
            var launch = BuiltPlugin.launch(executable)
            launch.launcher = "/nowhere/assay-plugin-launcher"
            #expect(
                await failure(launch)?.description.contains("/nowhere/assay-plugin-launcher cannot be started: No such file")
                    == true)
        }

        @Test("A program that is no launcher is ended with the report that never came")
        func noReport() async throws {
            let executable = try SealedExecutable(copying: BuiltPlugin.template)
            var launch = BuiltPlugin.launch(executable)
            launch.launcher = "/bin/true"
            #expect(await failure(launch) == .noReport(after: nil))
        }
    }
}
