import Foundation
import Testing

@testable import AssayCore

@Suite("Pages of the documentation in messages")
struct DocumentationTests {
    @Test("are named as the installation has them, and by their path in the sources where it has none")
    func place() throws {
        let prefix = FileManager.default.temporaryDirectory.appending(path: "assay-documentation-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: prefix) }
        let page = prefix.appending(path: "share/doc/assay/operate/callers.md")
        try FileManager.default.createDirectory(at: page.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("# Callers\n".utf8).write(to: page)

        let program = prefix.path + "/bin/assay"
        #expect(Documentation.page("operate/callers.md", of: program) == page.path)
        #expect(Documentation.page("operate/status.md", of: program) == "docs/operate/status.md")
        // The kernel's word for a program whose file was replaced while it ran.
        #expect(Documentation.page("operate/callers.md", of: program + " (deleted)") == page.path)
        for other in ["", "assay", "/bin/assay", prefix.path + "/bin/tools/assay"] {
            #expect(Documentation.page("operate/callers.md", of: other) == "docs/operate/callers.md", "\(other)")
        }
    }
}
