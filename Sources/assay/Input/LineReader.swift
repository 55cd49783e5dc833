import Foundation

/// Reads the lines of a file one by one, however long the file is.
struct LineReader {
    /// In bytes. A line of an export has about one kilobyte.
    static let lineLimit = 1 << 20
    private static let chunk = 64 << 10

    private let file: FileHandle
    private var rest = Data()
    private var isAtEnd = false

    init(_ file: FileHandle) { self.file = file }

    /// The next line without its line feed; `nil` after the last one. Bytes after the last line feed are not a line: they were
    /// cut.
    mutating func next() throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = rest[(end + 1)...] }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard !isAtEnd else {
                if rest.isEmpty { return nil }
                throw Failure(description: "the last line is not whole")
            }
            guard rest.count <= Self.lineLimit else { throw Failure(description: "a line is longer than any of an export") }
            let more = try file.read(upToCount: Self.chunk) ?? Data()
            isAtEnd = more.isEmpty
            rest = Data(rest) + more
        }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }
}
