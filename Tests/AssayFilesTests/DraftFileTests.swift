import Foundation
import Testing

@testable import AssayFiles

@Suite("Draft of a file")
struct DraftFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-draft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

    @Test("A draft gets its name when it is published, with mode 0600, and nothing else stays")
    func published() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let draft = try DraftFile(of: path("file"))
            #expect(try files() == ["file.part"])
            try Data("whole".utf8).write(to: URL(filePath: draft.path), options: [])
            try draft.publish()
        }
        #expect(try files() == ["file"])
        #expect(FileManager.default.contents(atPath: path("file")) == Data("whole".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path("file"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    @Test("An unpublished draft is removed, and what a killed process left is written again from the start")
    func removed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        do { _ = try DraftFile(of: path("file")) }
        #expect(try files().isEmpty)
        try Data("left".utf8).write(to: URL(filePath: path("file.part")))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("file.part"))
        let draft = try DraftFile(of: path("file"))
        #expect(FileManager.default.contents(atPath: draft.path) == Data())
    }

    @Test("No file is replaced, not even one that appears while the draft is written")
    func exists() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let draft = try DraftFile(of: path("file"))
        #expect(throws: NewFileError.failed("is being written by another process")) { try DraftFile(of: path("file")) }
        try Data("another".utf8).write(to: URL(filePath: path("file")))
        #expect(throws: NewFileError.exists) { try draft.publish() }
        #expect(throws: NewFileError.exists) { try DraftFile(of: path("file")) }
        #expect(FileManager.default.contents(atPath: path("file")) == Data("another".utf8))
    }

    @Test("A link, a folder or a file with a second name is not written as a draft")
    func others() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("other".utf8).write(to: URL(filePath: path("other")))
        try FileManager.default.createSymbolicLink(atPath: path("a.part"), withDestinationPath: path("other"))
        try FileManager.default.linkItem(atPath: path("other"), toPath: path("b.part"))
        try FileManager.default.createDirectory(atPath: path("c.part"), withIntermediateDirectories: false)
        // A file that others could open before is open there still.
        try Data("wide".utf8).write(to: URL(filePath: path("d.part")))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("d.part"))
        for name in ["a", "b", "c", "d"] { #expect(throws: NewFileError.self) { try DraftFile(of: path(name)) } }
        #expect(FileManager.default.contents(atPath: path("other")) == Data("other".utf8))
    }
}
