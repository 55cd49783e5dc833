import Foundation

/// The totals of a profile of Callgrind, in its format version 1.
struct CallgrindProfile {
    /// Instructions that were executed.
    private(set) var instructions = 0.0
    /// Calls of malloc and its relatives.
    private(set) var allocations = 0.0

    private static let allocators: Set<Substring> = [
        "malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign", "valloc",
    ]

    /// - Throws: if there is no line of totals.
    init(contentsOf file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        var total: Double?
        // Names are written once, after a number in parentheses that stands for them from then on.
        var names: [Substring: Substring] = [:]
        var callee: Substring = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("fn=") {
                _ = Self.name(line.dropFirst(3), &names)
            } else if line.hasPrefix("cfn=") {
                callee = Self.name(line.dropFirst(4), &names)
            } else if line.hasPrefix("calls="), Self.allocators.contains(callee) {
                allocations += line.dropFirst(6).split(separator: " ").first.flatMap { Double($0) } ?? 0
            } else if line.hasPrefix("totals:") {
                total = line.split(separator: " ").last.flatMap { Double($0) }
            }
        }
        guard let total else { throw CocoaError(.fileReadCorruptFile) }
        instructions = total
    }

    private static func name(_ text: Substring, _ names: inout [Substring: Substring]) -> Substring {
        guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
        let (number, rest) = (text[...end], text[text.index(after: end)...].drop { $0 == " " })
        if !rest.isEmpty { names[number] = rest }
        return names[number] ?? ""
    }
}
