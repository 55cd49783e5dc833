import AssayCore
import Crypto
import Foundation
import Glibc
import Testing

@testable import AssayPlugins

@Suite("Files of plugins")
struct PluginFileTests {
    let home: PluginHome

    init() throws { home = try PluginHome() }

    private func problem(_ path: String, owner: UInt32 = geteuid()) -> String? {
        do throws(PluginFileError) {
            _ = try SealedExecutable(copying: path, owner: owner)
            return nil
        } catch { return error.description }
    }

    @Test("An executable is hashed as it is copied, and its ELF interpreter is found")
    func executable() throws {
        let path = try home.writeExecutable()
        let sealed = try SealedExecutable(copying: path)
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(sealed.sha256 == SHA256.bytes(of: Array(content)) && sealed.size == content.count)
        #expect(sealed.interpreter?.contains("ld-linux") == true)
    }

    @Test("What is no executable of this machine is refused with the reason")
    func kinds() throws {
        let elf = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try home.writeExecutable())))
        try home.write("#!/usr/bin/python3\n", to: "script", mode: 0o755)
        try home.write("hello", to: "text", mode: 0o755)
        try home.write("", to: "empty", mode: 0o755)
        var other = elf
        other[18] = 40  // Arm of 32 bits
        try home.write(other, to: "other", mode: 0o755)
        var object = elf
        object[16] = 1
        try home.write(object, to: "object", mode: 0o755)
        try home.write(Array(elf.prefix(40)), to: "cut", mode: 0o755)
        let place = home.path
        #expect(
            problem("\(place)/script")
                == "\(place)/script is a script: name its interpreter as the command and the script as an argument, such as "
                + "/usr/bin/python3 -I -B \(place)/script")
        #expect(problem("\(place)/text") == "\(place)/text is not an ELF executable")
        #expect(problem("\(place)/empty") == "\(place)/empty is empty")
        #expect(problem("\(place)/other") == "\(place)/other is made for another processor than this machine's")
        #expect(problem("\(place)/object") == "\(place)/object is an ELF file, and no executable")
        #expect(problem("\(place)/cut") == "\(place)/cut is not a whole ELF executable")
        #expect(problem(place) == "\(place) is a folder, and not an executable")
        #expect(problem("\(place)/none") == "\(place)/none cannot be opened: No such file or directory")
        #expect(problem("plugin") == "plugin is not an absolute path")
    }

    @Test("Every prefix of an executable, and every executable with a changed header, is read without a trap")
    func mutilated() throws {
        let elf = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try home.writeExecutable()))).prefix(4096)
        for count in 0..<1024 { _ = try? ELFHeader(elf.prefix(count)) }
        for offset in 0..<128 {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var changed = Array(elf)
                changed[offset] = value
                _ = try? ELFHeader(changed[...])
            }
        }
        #expect(throws: ELFProblem.self) { try ELFHeader(elf.prefix(63)) }
    }

    @Test("A symbolic link is refused wherever it is on the way, and its target is named")
    func links() throws {
        try home.writeExecutable(to: "real/plugin")
        try FileManager.default.createSymbolicLink(atPath: home.file("link"), withDestinationPath: home.file("real/plugin"))
        try FileManager.default.createSymbolicLink(atPath: home.file("way"), withDestinationPath: home.file("real"))
        for path in ["link", "way/plugin"] {
            #expect(
                problem(home.file(path))
                    == "\(home.file(path)) is a symbolic link, or has one on its way: name the file itself, "
                    + home.file("real/plugin"))
        }
    }

    @Test("A file that others can write is refused, and so is one below a folder that they can write")
    func modes() throws {
        let path = try home.writeExecutable(to: "a/plugin")
        #expect(problem(path) == nil)
        try home.setMode("a/plugin", 0o775)
        #expect(problem(path) == "\(path) can be written by others (mode 0775): chmod go-w \(path)")
        try home.setMode("a/plugin", 0o755)
        try home.setMode("a", 0o757)
        #expect(problem(path) == "\(home.file("a")) can be written by others (mode 0757): chmod go-w \(home.file("a"))")
        // In a folder with the sticky bit others cannot exchange the file.
        try home.setMode("a", 0o1777)
        #expect(problem(path) == nil)
    }

    @Test("A file of another user than root and the daemon's is refused", .enabled(if: geteuid() == 0, "needs root"))
    func owners() throws {
        let path = try home.writeExecutable()
        #expect(chown(path, 65534, 65534) == 0)
        #expect(problem(path) == "\(path) belongs to the user 65534, want root: chown root \(path)")
        #expect(
            problem(path, owner: 1234)
                == "\(path) belongs to the user 65534, want root or the daemon's user 1234: chown 1234 \(path)")
        #expect(problem(path, owner: 65534) == nil)
        #expect(chown(path, 0, 0) == 0 && chown(home.path, 65534, 65534) == 0)
        #expect(problem(path) == "\(home.path) belongs to the user 65534, want root: chown root \(home.path)")
    }

    @Test("A folder is hashed whole; links, sockets, pipes and __pycache__ are refused in it")
    func folders() throws {
        func problem() -> String? {
            var digests = PluginFolder.Digests()
            do throws(PluginFileError) {
                try PluginFolder.read(home.file("code"), owner: geteuid(), into: &digests)
                return nil
            } catch { return error.description }
        }
        try home.write("a", to: "code/main.py")
        try home.write("b", to: "code/vendor/deep/b.py")
        try home.write("", to: "code/vendor/__init__.py")
        var digests = PluginFolder.Digests()
        try PluginFolder.read(home.file("code"), owner: geteuid(), into: &digests)
        #expect(digests.files.keys.sorted() == ["main.py", "vendor/__init__.py", "vendor/deep/b.py"])
        #expect(digests.files["main.py"] == SHA256.bytes(of: Array("a".utf8)))

        #expect(mkfifo(home.file("code/pipe"), 0o600) == 0)
        #expect(problem() == "\(home.file("code/pipe")) is neither a regular file nor a folder")
        unlink(home.file("code/pipe"))
        try FileManager.default.createSymbolicLink(atPath: home.file("code/link"), withDestinationPath: "main.py")
        #expect(problem()?.hasPrefix("\(home.file("code/link")) is a symbolic link") == true)
        unlink(home.file("code/link"))
        try home.write("c", to: "code/vendor/__pycache__/b.pyc")
        #expect(
            problem()
                == "\(home.file("code/vendor/__pycache__")) is made by Python and changes: delete it, and start Python with -B")
        try FileManager.default.removeItem(atPath: home.file("code/vendor/__pycache__"))
        try home.setMode("code/vendor/deep", 0o775)
        #expect(problem()?.hasPrefix("\(home.file("code/vendor/deep")) can be written by others") == true)
        try home.setMode("code/vendor/deep", 0o755)
        #expect(problem() == nil)
        try home.write("d", to: "code/line\nend")
        #expect(problem() == "\(home.file("code")) has a file whose name is not printable UTF-8: rename it")
    }

    @Test("A folder that is too deep, or empty, is refused")
    func bounds() throws {
        try home.write("", to: (0..<40).map { _ in "d" }.joined(separator: "/") + "/file")
        try FileManager.default.createDirectory(atPath: home.file("empty"), withIntermediateDirectories: false)
        var digests = PluginFolder.Digests()
        #expect(
            throws: PluginFileError(home.file((0..<32).map { _ in "d" }.joined(separator: "/")), "is deeper than 32 folders")
        ) {
            try PluginFolder.read(home.path, owner: nil, into: &digests)
        }
        #expect(throws: PluginFileError(home.file("empty"), "has no files")) {
            try PluginFolder.read(home.file("empty"), owner: nil, into: &digests)
        }
    }
}
