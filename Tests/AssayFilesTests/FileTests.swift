import AssayFiles
import Foundation
import Testing

@Suite("Files")
struct FileTests {
    private static func folder() throws -> String {
        let path = NSTemporaryDirectory() + "assay-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test("A new file has its content and mode, and no draft is left beside it")
    func created() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let content = [UInt8](repeating: 7, count: 100_000)
        try NewFile.create(folder + "/secret", content, mode: 0o600)
        #expect(FileManager.default.contents(atPath: folder + "/secret") == Data(content))
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/secret")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["secret"])
        #expect(try ProtectedFile.read(folder + "/secret", atMost: 10) == Array(content.prefix(10)))
    }

    @Test("A replaced file has its content and mode 0600 also where a file was there before, and no draft is left beside it")
    func replaced() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for content in [[UInt8](repeating: 7, count: 100_000), [1, 2, 3], []] {
            try ReplacedFile.write(folder + "/levels", content)
            #expect(FileManager.default.contents(atPath: folder + "/levels") == Data(content))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/levels")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder + "/levels")
        try ReplacedFile.write(folder + "/levels", [4])
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/levels")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["levels"])
        #expect(throws: NewFileError.self) { try ReplacedFile.write(folder + "/none/levels", [1]) }
    }

    @Test("A file that exists is not replaced")
    func existing() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try NewFile.create(folder + "/a", Array("first".utf8), mode: 0o644)
        #expect(throws: NewFileError.exists) { try NewFile.create(folder + "/a", Array("second".utf8), mode: 0o644) }
        #expect(FileManager.default.contents(atPath: folder + "/a") == Data("first".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        #expect(throws: NewFileError.self) { try NewFile.create(folder + "/none/a", [1], mode: 0o600) }
    }

    @Test("A secret that others can read, a symbolic link and a folder are refused")
    func refused() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try NewFile.create(folder + "/open", [1], mode: 0o644)
        #expect(throws: ProtectedFileError.unusable("can be read by others; its mode must be 0600")) {
            try ProtectedFile.read(folder + "/open", atMost: 10)
        }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "open")
        #expect(throws: ProtectedFileError.unusable("cannot be opened: it is a symbolic link")) {
            try ProtectedFile.read(folder + "/link", atMost: 10)
        }
        #expect(throws: ProtectedFileError.unusable("is not a regular file")) { try ProtectedFile.read(folder, atMost: 10) }
        #expect(throws: ProtectedFileError.missing) { try ProtectedFile.read(folder + "/none", atMost: 10) }
        // Systemd's credentials are readable by their group: by an access list.
        try NewFile.create(folder + "/credential", [1], mode: 0o440)
        #expect(try ProtectedFile.read(folder + "/credential", atMost: 10, credentials: folder) == [1])
    }
}
