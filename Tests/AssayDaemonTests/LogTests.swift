import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayTesting
import Foundation
import Logging
import Synchronization
import Testing

@Suite("Log")
struct LogTests {
    private let time = Timestamp(unixMilliseconds: 1_800_000_000_123)

    private func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> LogLine {
        LogLine(time: time, level: .warning, message: message, metadata: metadata)
    }

    @Test("A line of text for people is written")
    func text() {
        let line = line("a call failed", ["reason": "ledger_unavailable", "cause": "disk full", "list": ["a", "b c"]])
        #expect(
            line.written(.text)
                == #"2027-01-15T08:00:00.123Z warning  a call failed cause="disk full" list="a; b c" reason=ledger_unavailable"#
        )
    }

    @Test("A JSON object for machines is written")
    func json() throws {
        let line = line("say \"x\"", ["list": ["a", "b"], "more": ["k": "v"], "time": "mine", "number": "\(7)"])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.written(.json).utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2027-01-15T08:00:00.123Z" && object["level"] as? String == "warning")
        #expect(object["message"] as? String == "say \"x\"" && object["list"] as? [String] == ["a", "b"])
        #expect(object["more"] as? [String: String] == ["k": "v"] && object["number"] as? String == "7")
    }

    @Test(
        "Any value stays on one line, and cannot control a terminal", arguments: LogSettings.Format.allCases)
    func oneLine(_ format: LogSettings.Format) throws {
        let nasty = "a\nb\r\u{1B}[31m\u{202E}\u{2028}\u{0}\u{E0001}\"\\ ä"
        let written = line(nasty, ["k\n": "\(nasty)"]).written(format)
        #expect(!written.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E || $0.value == 0x2028 })
        #expect(written.contains("ä"))
        guard format == .json else { return }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any])
        #expect(object["message"] as? String == nasty && object["k\n"] as? String == nasty)
    }

    @Test("New settings apply to every logger, except one with its own level")
    func settings() {
        let lines = Mutex<[String]>([])
        let log = DaemonLog(LogSettings(level: .warning), clock: FixedClock(time)) { line in
            lines.withLock { $0.append(line) }
        }
        var (first, second) = (log.makeLogger("a"), log.makeLogger("b"))
        first.info("not said")
        log.set(LogSettings(level: .debug, format: .json))
        first[metadataKey: "own"] = "1"
        first.debug("said", metadata: ["k": "v"])
        second.logLevel = .error
        second.debug("not said")
        let said = #"{"time":"2027-01-15T08:00:00.123Z","level":"debug","message":"said","k":"v","own":"1"}"# + "\n"
        let written = lines.withLock { $0 }
        #expect(written == [said])
    }
}
