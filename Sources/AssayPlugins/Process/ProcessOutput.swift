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
        var kept: [KeptLine] = []
        var budget = LineBudget()
    }

    /// One of the last lines. Those of a plugin that writes without pause come and go: they become text only where they are shown.
    fileprivate enum KeptLine {
        case ofPlugin([UInt8])
        case ofDaemon(String)

        var text: String {
            switch self {
            case .ofPlugin(let bytes): PluginText.sentence(String(decoding: bytes, as: UTF8.self))
            case .ofDaemon(let text): text
            }
        }
    }

    private let state = Mutex(State())
    private let onLine: @Sendable (String) -> Void

    init(_ onLine: @escaping @Sendable (String) -> Void) { self.onLine = onLine }

    var lastLines: [String] { state.withLock { $0.kept }.map(\.text) }

    /// Reads what is there, and hands out whole lines. At the end it closes the descriptor and returns false.
    func read(from descriptor: CInt) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        // A plugin that writes without pause must not keep the thread from others.
        for _ in 0..<16 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else {
                if count < 0, errno == EAGAIN || errno == EINTR { return true }
                take([UInt8(ascii: "\n")][...])
                Glibc.close(descriptor)
                return false
            }
            take(chunk.prefix(count))
        }
        return true
    }

    /// Adds a line of the daemon's own about the process.
    func add(_ line: String) {
        state.withLock { $0.keep(.ofDaemon(line)) }
        onLine(line)
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        let lines = state.withLock { state in
            var lines: [String] = []
            bytes.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while let end = Self.lineEnd(in: rest) {
                    state.append(rest[..<end])
                    if let line = state.endLine() { lines.append(line) }
                    rest = rest[(end + 1)...]
                }
                state.append(rest)
            }
            return lines
        }
        for line in lines { onLine(line) }
    }

    private static func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard let start = UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
            let end = memchr(start, CInt(UInt8(ascii: "\n")), bytes.count)
        else { return nil }
        return bytes.startIndex + (UnsafeRawPointer(end) - start)
    }
}

extension ProcessOutput.State {
    /// Adds to the line what still fits.
    fileprivate mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        let kept = bytes.prefix(ProcessOutput.lineLimit - line.count)
        line.append(contentsOf: kept)
        isTooLong = isTooLong || kept.count < bytes.count
    }

    /// The finished line, if it may be handed out now.
    fileprivate mutating func endLine() -> String? {
        defer { (line, isTooLong) = ([], false) }
        guard !line.isEmpty else { return nil }
        let finished = ProcessOutput.KeptLine.ofPlugin(line)
        keep(finished)
        guard let dropped = budget.pass(at: .now) else { return nil }
        return finished.text + (isTooLong ? " …" : "") + (dropped > 0 ? " (\(dropped) lines before it were dropped)" : "")
    }

    fileprivate mutating func keep(_ line: ProcessOutput.KeptLine) {
        if kept.count == ProcessOutput.keptLines { kept.removeFirst() }
        kept.append(line)
    }
}
