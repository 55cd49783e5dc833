import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The whole terminal, redrawn in place. What was on it comes back at the end, also after Ctrl-C.
final class TerminalScreen: Sendable {
    // Only cancelled, which is safe from any thread.
    nonisolated(unsafe) private let signals: [any DispatchSourceSignal]

    /// The alternate screen, without a cursor.
    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    private static let end = "\u{1B}[?25h\u{1B}[?1049l"

    init() {
        Console.writeText(Self.begin)
        signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Console.writeText(Self.end)
                // What was asked for was done until then.
                exit(number == SIGINT ? 0 : 128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Draws over what is there: a line is cleared where it ends, so that nothing flickers.
    func show(_ lines: [String]) {
        Console.writeText("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    func close() {
        for source in signals { source.cancel() }
        Console.writeText(Self.end)
    }

    /// Of the terminal, or else of COLUMNS, or 80 by 24.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return (Int(size.ws_col), Int(size.ws_row))
        }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 0
        return ((20...1000).contains(columns) ? columns : 80, 24)
    }
}
