import Foundation
import Synchronization

/// The page with the results, whose table the run makes: docs/reference/verifiers/wycheproof.md.
enum WycheproofPage {
    private static let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/reference/verifiers/wycheproof.md")
    private static let lock = Mutex(())

    /// Whether the run writes the rows instead of comparing them.
    static var isWritten: Bool { ProcessInfo.processInfo.environment["ASSAY_WRITE_DOCS"] == "1" }

    /// The rows of a file that stand in the page.
    static func rows(of file: String) throws -> [String] {
        try lock.withLock { _ in try lines().filter { belongs($0, to: file) } }
    }

    /// Puts a file's rows in the place of those that stand there, the files in alphabetical order.
    static func write(_ rows: [String], of file: String) throws {
        try lock.withLock { _ in
            var lines = try lines().filter { !belongs($0, to: file) }
            let head = lines.firstIndex { $0.hasPrefix("|---") } ?? lines.endIndex - 1
            let place =
                lines[(head + 1)...].firstIndex { line in
                    guard line.hasPrefix("| ") else { return true }
                    return line.dropFirst(2).prefix { $0 != " " } > file
                } ?? lines.endIndex
            lines.insert(contentsOf: rows, at: place)
            try Data(lines.joined(separator: "\n").utf8).write(to: url, options: .atomic)
        }
    }

    private static func lines() throws -> [String] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func belongs(_ line: String, to file: String) -> Bool { line.hasPrefix("| \(file) |") }
}
