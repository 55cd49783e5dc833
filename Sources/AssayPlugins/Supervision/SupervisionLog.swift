import AssayRPC
import Logging

/// The log lines of one plugin's supervision: a bounded number of each kind, and nothing of evidence.
struct SupervisionLog: Sendable {
    enum Kind: String, Hashable, Sendable {
        case started, ended, failed, refused, broken, closed, killed, invalid, suspects, quarantined, cleared
    }

    struct Line: Sendable {
        let kind: Kind
        let level: Logger.Level
        let text: String
        var fields: Logger.Metadata = [:]
    }

    private let logger: Logger
    private let limiter = LogRateLimiter(period: .seconds(10), linesOfOneSource: 5)
    private let plugin: String

    init(_ logger: Logger, plugin: String) { (self.logger, self.plugin) = (logger, plugin) }

    func write(_ line: Line) {
        guard let heldBack = limiter.pass(line.kind.rawValue) else { return }
        var fields = line.fields
        fields["plugin"] = "\(plugin)"
        if heldBack > 0 { fields["held_back"] = "\(heldBack)" }
        logger.log(level: line.level, "\(line.text)", metadata: fields)
    }

    func write(_ kind: Kind, _ level: Logger.Level, _ text: String, _ fields: Logger.Metadata = [:]) {
        write(Line(kind: kind, level: level, text: text, fields: fields))
    }
}
