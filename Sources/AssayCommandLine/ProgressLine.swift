import Foundation

/// What is under way, on one line of the terminal of standard error. Where that is no terminal nothing is shown.
package struct ProgressLine: Sendable {
    private let verb: String
    private var last = -1
    private var isShown = false

    /// - Parameter verb: what was done to the share that is shown, such as `copied`.
    package init(_ verb: String = "") { self.verb = verb }

    package mutating func show(_ done: Int, of total: Int) {
        guard isatty(STDERR_FILENO) != 0, total > 0 else { return }
        let percent = min(100, done * 100 / total)
        guard percent != last else { return }
        last = percent
        show("\(percent) % \(verb)\(percent == 100 ? ", verifying" : "")")
    }

    /// Shows a text in place of the last one.
    package mutating func show(_ text: String) {
        guard isatty(STDERR_FILENO) != 0 else { return }
        isShown = true
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Clears the line.
    package mutating func end() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
        (last, isShown) = (-1, false)
    }
}
