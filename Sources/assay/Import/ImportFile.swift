import ArgumentParser
import AssayFiles
import Foundation

/// The lines of a file, read in pieces: the list of a fleet need not fit into memory.
final class ImportFile {
    /// A line with its number, counted from 1. The text is `nil` if the line is too long or not UTF-8.
    struct Line {
        let number: Int
        let text: String?
    }

    /// The longest line, in bytes. A device takes some hundred.
    static let lineLimit = 16_384
    private static let pieceSize = 65_536

    private let handle: FileHandle
    private var rest: [UInt8] = []
    private var number = 0
    private var isAtEnd = false
    /// The beginning of the current line was dropped: the line is too long.
    private var isTooLong = false
    /// Why reading ended early.
    private(set) var problem: String?

    init(_ file: FileArgument) throws {
        if file.path == "-" {
            handle = .standardInput
        } else {
            if let problem = BoundedFile.problem(at: file.path) { throw Console.unreadable("\(file.path) \(problem)") }
            guard let handle = FileHandle(forReadingAtPath: file.path) else {
                throw Console.unreadable("\(file.path): cannot be opened")
            }
            self.handle = handle
        }
    }

    /// At most `count` non-empty lines; `nil` after the last.
    func next(_ count: Int) -> [Line]? {
        var lines: [Line] = []
        while lines.count < count, let line = nextLine() {
            if line.text?.allSatisfy(\.isWhitespace) != true { lines.append(line) }
        }
        return lines.isEmpty ? nil : lines
    }

    private func nextLine() -> Line? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(rest[..<end])
                rest.removeSubrange(...end)
                return finish(line)
            }
            if rest.count > Self.lineLimit {
                isTooLong = true
                rest = []
            }
            if isAtEnd {
                guard !rest.isEmpty || isTooLong else { return nil }
                defer { rest = [] }
                return finish(rest)
            }
            readPiece()
        }
    }

    private func finish(_ line: [UInt8]) -> Line {
        number += 1
        defer { isTooLong = false }
        guard !isTooLong, line.count <= Self.lineLimit else { return Line(number: number, text: nil) }
        return Line(number: number, text: String(validating: line, as: UTF8.self))
    }

    private func readPiece() {
        do {
            let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
            isAtEnd = piece.isEmpty
            rest += piece
        } catch {
            problem = "cannot be read to its end"
            isAtEnd = true
        }
    }
}
