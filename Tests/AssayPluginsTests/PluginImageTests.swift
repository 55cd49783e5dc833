import AssayCore
import Foundation
import Glibc
import Testing

@testable import AssayPlugins

@Suite("Images of plugins")
struct PluginImageTests {
    let home: PluginHome

    init() throws { home = try PluginHome() }

    private var copies: String { home.file("state/copies") }

    private func image(_ entry: PluginEntry, user: Sandbox.User? = nil) -> Result<PluginImage, PluginFileError> {
        Result { () throws(PluginFileError) in try PluginImage(entry, copies: copies, user: user) }
    }

    private func problem(_ entry: PluginEntry) -> String? {
        switch image(entry) {
        case .success: nil
        case .failure(let error): error.description
        }
    }

    /// The same sentences for all problems, without making anything.
    private func problems(_ entry: PluginEntry) -> [String] {
        PluginImage.problems(of: entry, owner: geteuid()).map(\.description)
    }

    @Test("A file that is not as pinned is named, with both digests and what to do")
    func mismatch() throws {
        let entry = try home.entry()
        #expect(problem(entry) == nil && problems(entry).isEmpty)
        let old = try #require(entry.manifest.files[entry.command])
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: entry.command)))
        bytes.append(0)
        try home.write(bytes, to: "plugin", mode: 0o755)
        let new = try #require(try PluginManifest.current(of: entry, owner: nil).files[entry.command])
        let sentence =
            "\(entry.command) has the SHA-256 \(Hex.encode(new)), and the manifest says \(Hex.encode(old)): if the change is wanted, "
            + "run assay plugin pin \(entry.file)"
        #expect(problem(entry) == sentence && problems(entry) == [sentence])
        var unpinned = entry
        unpinned.manifest = PluginManifest([:])
        #expect(
            problem(unpinned)
                == "\(entry.command) is not in the manifest: if it belongs to the plugin, run assay plugin pin \(entry.file)")
    }

    @Test("A dynamic executable needs its ELF interpreter among the powers")
    func interpreter() throws {
        var entry = try home.entry()
        entry.sandbox.executable = ["/usr/bin"]
        #expect(problem(entry)?.hasPrefix("\(entry.command) needs the ELF interpreter /lib") == true)
        #expect(
            problem(entry)?.hasSuffix("want it in \"powers.execute\", and its libraries' folders in \"powers.read\"") == true)
    }

    @Test("Arguments that are files must be pinned, and so are files that the manifest names besides")
    func others() throws {
        try home.write("x", to: "script.py")
        try home.write("y", to: "library.py")
        let entry = try home.entry { entry in
            entry.arguments = ["-I", home.file("script.py"), "/does/not/exist", home.path]
            entry.manifest.files[home.file("library.py")] = [UInt8](repeating: 0, count: 32)
        }
        #expect(entry.manifest.files.keys.sorted() == ["library.py", "plugin", "script.py"].map(home.file))
        #expect(problem(entry) == nil)
        var unpinned = entry
        unpinned.manifest.files[home.file("script.py")] = nil
        #expect(problem(unpinned)?.hasPrefix("\(home.file("script.py")) is not in the manifest") == true)
        try home.write("z", to: "library.py")
        #expect(problem(entry)?.hasPrefix("\(home.file("library.py")) has the SHA-256 ") == true)
        unlink(home.file("library.py"))
        #expect(problem(entry) == "\(home.file("library.py")) cannot be opened: No such file or directory")
    }

    @Test("A folder runs from a private copy of exactly what was pinned")
    func copy() throws {
        try home.write("a", to: "code/main.py")
        try home.write("b", to: "code/vendor/b.py", mode: 0o600)
        let entry = try home.entry(folder: "code") { $0.arguments = ["-B", "{folder}/main.py", "--lib={folder}/vendor"] }
        let image = try image(entry).get()
        let launch = image.launch(by: "/launcher", as: nil)
        let copy = try #require(launch.sandbox.readable.last)
        #expect(copy.hasPrefix(copies + "/") && launch.arguments == ["kiosk", "-B", "\(copy)/main.py", "--lib=\(copy)/vendor"])
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
        }
        #expect(mode(copies) == 0o700 && mode(copy) == 0o700 && mode(copy + "/vendor") == 0o700)
        #expect(mode(copy + "/main.py") == 0o400 && mode(copy + "/vendor/b.py") == 0o400)
        // The original may change: what runs does not.
        try home.write("c", to: "code/main.py")
        #expect(try String(contentsOfFile: copy + "/main.py", encoding: .utf8) == "a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).count == 1)
        withExtendedLifetime(image) {}
    }

    @Test("An extra, a missing and a changed file of the folder are named")
    func folderMismatch() throws {
        for name in ["main.py", "b.py", "c.py"] { try home.write(name, to: "code/" + name) }
        let entry = try home.entry(folder: "code")
        try home.write("extra", to: "code/extra.py")
        #expect(problem(entry)?.hasPrefix("\(home.file("code/extra.py")) is not in the manifest") == true)
        unlink(home.file("code/b.py"))
        try home.write("other", to: "code/c.py")
        let all = problems(entry)
        #expect(all.count == 3)
        #expect(all.first == "\(home.file("code/b.py")) is in the manifest and missing")
        #expect(all.dropFirst().first?.hasPrefix("\(home.file("code/c.py")) has the SHA-256 ") == true)
        unlink(home.file("code/extra.py"))
        try home.write("c.py", to: "code/c.py")
        #expect(problem(entry) == "\(home.file("code/b.py")) is in the manifest and missing")
        // Nothing is left of copies that were not made.
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).isEmpty)
    }

    @Test("Images of the same folder share a copy, which goes with the last of them; one that was changed is replaced")
    func sharing() throws {
        try home.write("a", to: "code/main.py")
        let entry = try home.entry(folder: "code")
        var first: PluginImage? = try image(entry).get()
        let copy = try #require(first?.launch(by: "", as: nil).sandbox.readable.last)
        var second: PluginImage? = try image(entry).get()
        #expect(second?.launch(by: "", as: nil).sandbox.readable.last == copy)
        first = nil
        #expect(FileManager.default.fileExists(atPath: copy + "/main.py"))
        chmod(copy + "/main.py", 0o600)
        try Data("x".utf8).write(to: URL(fileURLWithPath: copy + "/main.py"))
        first = try image(entry).get()
        #expect(try String(contentsOfFile: copy + "/main.py", encoding: .utf8) == "a")
        (first, second) = (nil, nil)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test("What earlier processes left is removed")
    func remains() throws {
        try home.write("a", to: "code/main.py")
        try home.write("old", to: "state/copies/abcd/main.py")
        let image = try image(try home.entry(folder: "code")).get()
        #expect(try !FileManager.default.contentsOfDirectory(atPath: copies).contains("abcd"))
        withExtendedLifetime(image) {}
    }

    @Test("Many starts at the same time make one whole copy")
    func races() async throws {
        for index in 0..<50 { try home.write("file \(index)", to: "code/\(index).py") }
        let entry = try home.entry(folder: "code")
        let copies = copies
        let images = try await withThrowingTaskGroup(of: PluginImage.self) { group in
            for _ in 0..<16 { group.addTask { try PluginImage(entry, copies: copies) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(images.count == 16)
        #expect(try FileManager.default.contentsOfDirectory(atPath: copies).count == 1)
    }

    @Test("A user of the plugins' own can read the copy and cannot write it", .enabled(if: geteuid() == 0, "needs root"))
    func otherUser() throws {
        try home.write("a", to: "code/main.py")
        let user = Sandbox.User(id: 65534, group: 65534)
        let image = try image(try home.entry(folder: "code"), user: user).get()
        let launch = image.launch(by: "/launcher", as: user)
        let copy = try #require(launch.sandbox.readable.last)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh", "-c",
            "cat \(copy)/main.py && ! touch \(copy)/main.py 2>/dev/null && ! touch \(copy)/new 2>/dev/null && ! ls \(copies) 2>/dev/null",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text == "a" && process.terminationStatus == 0 && launch.sandbox.user == user)
        withExtendedLifetime(image) {}
    }

    @Test("The launcher is checked like what it starts, and says what it can enforce")
    func launcher() throws {
        func problem(_ path: String) -> String? {
            do throws(PluginFileError) {
                try PluginLauncher.check(path)
                _ = try PluginLauncher.support(path)
                return nil
            } catch { return error.description }
        }
        let path = try home.writeExecutable(to: "launcher")
        #expect(problem(path) == "\(path) does not say what it supports (--print-support): is it assay-plugin-launcher?")
        try home.setMode("launcher", 0o644)
        #expect(problem(path) == "\(path) is not executable: chmod 0755 \(path)")
        try home.setMode("launcher", 0o757)
        #expect(problem(path)?.hasPrefix("\(path) can be written by others") == true)
        #expect(problem(home.path) == "\(home.path) is a folder, and not the launcher")
        guard BuiltPlugin.runs else { return }
        let steps = try PluginLauncher.support(BuiltPlugin.launcher)
        #expect(steps.contains { $0.name == "seccomp" && $0.text == "allow-list" })
    }
}
