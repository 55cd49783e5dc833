import Glibc
import Synchronization

/// The lines that a plugin writes to stdout and stderr. They are always read, so that a plugin never waits for its log; what exceeds the
/// limits is counted and dropped.
final class ProcessOutput: Sendable {
    /// The longest line, in bytes. The rest of a longer one is dropped.
    static let lineLimit = 1024
    /// Lines that are kept for the message about the plugin's end.
    static let keptLines = 20

    fileprivate struct State {
        var line: [UInt8] = []
        var isTooLong = false
        var kept: [String] = []
        var budget = LineBudget()
    }

    private let state = Mutex(State())
    private let onLine: @Sendable (String) -> Void

    init(_ onLine: @escaping @Sendable (String) -> Void) { self.onLine = onLine }

    var lastLines: [String] { state.withLock { $0.kept } }

    /// Reads what is there, and hands out whole lines. At the end it closes the descriptor and returns false.
    func read(from descriptor: CInt) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A plugin that writes without pause must not keep the thread from others.
        for _ in 0..<16 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else {
                if count < 0, errno == EAGAIN || errno == EINTR { return true }
                take([UInt8(ascii: "\n")])
                Glibc.close(descriptor)
                return false
            }
            take(chunk.prefix(count))
        }
        return true
    }

    /// Adds a line of the daemon's own about the process.
    func add(_ line: String) {
        state.withLock { $0.kept = $0.kept.suffix(Self.keptLines - 1) + [line] }
        onLine(line)
    }

    private func take(_ bytes: some Collection<UInt8>) {
        let lines = state.withLock { state in
            var lines: [String] = []
            for byte in bytes {
                if byte == UInt8(ascii: "\n") {
                    if let line = state.endLine() { lines.append(line) }
                } else if state.line.count < Self.lineLimit {
                    state.line.append(byte)
                } else {
                    state.isTooLong = true
                }
            }
            return lines
        }
        for line in lines { onLine(line) }
    }
}

extension ProcessOutput.State {
    /// The finished line, if it may be handed out now.
    fileprivate mutating func endLine() -> String? {
        defer { (line, isTooLong) = ([], false) }
        guard !line.isEmpty else { return nil }
        let text = PluginText.sentence(String(decoding: line, as: UTF8.self))
        kept = kept.suffix(ProcessOutput.keptLines - 1) + [text]
        guard let dropped = budget.pass(at: .now) else { return nil }
        return text + (isTooLong ? " …" : "") + (dropped > 0 ? " (\(dropped) lines before it were dropped)" : "")
    }
}
