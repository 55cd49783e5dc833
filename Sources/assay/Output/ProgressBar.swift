import Foundation

/// How far a command is, as one line of standard error that is redrawn; nothing where that is no terminal.
struct ProgressBar {
    /// Between redraws.
    private static let period = Duration.milliseconds(100)
    private static let width = 30

    /// `0`: it is not known.
    var total: UInt64 = 0
    private let noun: String
    private var count: UInt64 = 0
    private var drawnAt: ContinuousClock.Instant?
    private var isDrawn = false
    private let isOnTerminal = isatty(STDERR_FILENO) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"

    /// - Parameter noun: what is counted, in the plural.
    init(_ noun: String) { self.noun = noun }

    mutating func advance() {
        count += 1
        let now = ContinuousClock.now
        guard isOnTerminal, drawnAt.map({ now - $0 >= Self.period }) ?? true else { return }
        drawnAt = now
        isDrawn = true
        let filled = total == 0 ? 0 : Int(min(count, total) * UInt64(Self.width) / total)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        write("\r\(bar) \(count)\(total == 0 ? "" : " of \(max(total, count))") \(noun)\u{1B}[K")
    }

    /// Removes the line, so that something else can be written.
    mutating func clear() {
        guard isDrawn else { return }
        isDrawn = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
