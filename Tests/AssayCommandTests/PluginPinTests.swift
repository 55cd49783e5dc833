import AssayCore
import AssayPlugins
import AssaySchemes
import Crypto
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Pins of plugins", .timeLimit(.minutes(30)))
struct PluginPinTests {
    let folder: TemporaryFolder
    private let digest = String(repeating: "ab", count: 32)

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("code/vendor"), withIntermediateDirectories: true)
        let executable = URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath()
        try folder.write([UInt8](Data(contentsOf: executable)), to: "plugin")
        try folder.write("main", to: "code/main.py")
        try folder.write("b", to: "code/vendor/b c.py")
    }

    private func sha256(_ name: String) throws -> String {
        Hex.encode(SHA256.bytes(of: [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file(name))))))
    }

    private func entry(_ manifest: String) -> String {
        """
        # The kiosk's plugin.
        name: kiosk   # as it says itself

        command: \(folder.file("plugin"))
        folder: code
        apps: [photos]   # of a configuration that is not read here
        \(manifest)
        # What it serves.
        formats: [kiosk]

        """
    }

    private func pinned() throws -> String {
        """
        manifest:
          \(folder.file("plugin")): \(try sha256("plugin"))
          main.py: \(try sha256("code/main.py"))
          "vendor/b c.py": \(try sha256("code/vendor/b c.py"))
        """
    }

    @Test("The manifest is replaced in each form, and everything else stays, comments too")
    func forms() throws {
        let wanted = entry(try pinned())
        for manifest in [
            "manifest: {}", "manifest:", "manifest:\n  old.py: \(digest)   # gone\n\n  main.py: \(digest)",
            "manifest: {main.py: \(digest),\n  x.py: \(digest)}", "\"manifest\":\n  main.py: \(digest)",
        ] {
            try folder.write(entry(manifest), to: "kiosk.yaml")
            let pin = try PluginPin(folder.file("kiosk.yaml"))
            #expect(pin.text == wanted, "\(manifest)")
            try pin.write()
            #expect(folder.text("kiosk.yaml") == wanted)
            let again = try PluginPin(folder.file("kiosk.yaml"))
            #expect(again.changes.isEmpty && again.count == 3 && again.text == wanted)
        }
    }

    @Test("An entry without a manifest gets it at its end, and line ends stay as they are")
    func appended() throws {
        try folder.write(entry("# none yet"), to: "kiosk.yaml")
        #expect(try PluginPin(folder.file("kiosk.yaml")).text == entry("# none yet") + (try pinned()) + "\n")
        try folder.write(entry("manifest: {}").replacing("\n", with: "\r\n"), to: "kiosk.yaml")
        #expect(try PluginPin(folder.file("kiosk.yaml")).text == entry(try pinned()).replacing("\n", with: "\r\n"))
    }

    @Test("Each file that differs is shown with both digests")
    func changes() throws {
        let more = "\n  \(folder.file("gone")): \(digest)"
        try folder.write(
            entry(
                "manifest:\n  main.py: \(digest)\n  old.py: \(digest)\n  \(folder.file("plugin")): \(try sha256("plugin"))"
                    + more),
            to: "kiosk.yaml")
        let changes = try PluginPin(folder.file("kiosk.yaml")).changes
        let old = [UInt8](repeating: 0xAB, count: 32)
        #expect(
            Set(changes) == [
                .init(path: "main.py", old: old, new: Hex.decode(try sha256("code/main.py"))),
                .init(path: "old.py", old: old, new: nil),
                .init(path: folder.file("gone"), old: old, new: nil),
                .init(path: "vendor/b c.py", old: nil, new: Hex.decode(try sha256("code/vendor/b c.py"))),
            ])
    }

    @Test("The file keeps its mode, and a link to it stays a link")
    func modes() throws {
        try folder.write(entry("manifest: {}"), to: "kiosk.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("kiosk.yaml"))
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.yaml"), withDestinationPath: "kiosk.yaml")
        try PluginPin(folder.file("link.yaml")).write()
        #expect(UnixFile(at: folder.file("kiosk.yaml"))?.permissions.mode == 0o640)
        #expect(UnixFile(at: folder.file("link.yaml"), followsLink: false)?.kind == .link)
        #expect(folder.text("kiosk.yaml") == entry(try pinned()))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "code", "kiosk.yaml", "link.yaml", "plugin",
            ])
    }

    @Test("An entry with errors, and a file that cannot be used, change nothing")
    func refused() throws {
        func problem(_ text: String) throws -> String {
            try folder.write(text, to: "kiosk.yaml")
            do {
                _ = try PluginPin(folder.file("kiosk.yaml"))
                return ""
            } catch { return "\(error)".replacing(folder.path + "/", with: "") }
        }
        #expect(try problem(entry("manifest: {}\nrolle: all")).hasPrefix("kiosk.yaml:8: unknown key \"rolle\""))
        #expect(try problem(entry("manifest: [1]")).hasPrefix("kiosk.yaml:7: manifest: want a section"))
        #expect(
            try problem(entry("manifest: {}").replacing("folder: code", with: "folder: none"))
                == "none cannot be opened: No such file or directory")
        try FileManager.default.createSymbolicLink(atPath: folder.file("code/link"), withDestinationPath: "main.py")
        #expect(try problem(entry("manifest: {}")).hasPrefix("code/link is a symbolic link"))
        #expect(folder.text("kiosk.yaml") == entry("manifest: {}"))
    }
}

extension CommandTests {
    @Suite("The command assay plugin pin")
    struct PluginPinCommandTests {
        @Test("It compares, writes, and has nothing to do the second time")
        func command() async throws {
            let folder = try TemporaryFolder()
            let executable = URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath().path
            let file = try folder.write(
                "name: kiosk\ncommand: \(executable)\nformats: [kiosk]\napps: [photos]\n", to: "kiosk.yaml")
            let before = folder.text("kiosk.yaml")
            let compared = try await Child.run("assay", ["plugin", "pin", "--check", file])
            #expect(compared.status == 1 && folder.text("kiosk.yaml") == before, "\(compared)")
            #expect(compared.lines.first == "new      \(executable)" && compared.lines.last == "\(file): 1 file, 1 differs")
            let written = try await Child.run("assay", ["plugin", "pin", file])
            #expect(written.status == 0 && written.lines.last == "\(file): 1 file, 1 differs; pinned", "\(written)")
            #expect(folder.text("kiosk.yaml").hasPrefix(before + "manifest:\n  \(executable): "))
            for arguments in [["--check", file], [file]] {
                let again = try await Child.run("assay", ["plugin", "pin"] + arguments)
                #expect(again.status == 0 && again.out == "\(file): 1 file, nothing differs\n", "\(again)")
            }
            try folder.write("name: kiosk\ncommand: /bin/none\nformats: [kiosk]\napps: [photos]\n", to: "kiosk.yaml")
            let failed = try await Child.run("assay", ["plugin", "pin", file])
            #expect(failed.status == 65 && failed.err.contains("/bin/none "), "\(failed)")
        }
    }
}
