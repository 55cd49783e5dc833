import Foundation

/// The progress of a copy, on one line of a terminal.
struct ProgressLine {
    private let verb: String
    private var last = -1
    private var isShown = false

    init(_ verb: String) { self.verb = verb }

    mutating func show(_ done: Int, of total: Int) {
        guard isatty(STDERR_FILENO) != 0, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        guard percent != last else { return }
        last = percent
        show("\(percent) % \(verb)\(percent == 100 ? ", verifying" : "")")
    }

    /// Shows a text in place of the last one.
    mutating func show(_ text: String) {
        guard isatty(STDERR_FILENO) != 0 else { return }
        isShown = true
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Clears the line.
    mutating func end() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        (last, isShown) = (-1, false)
    }
}
