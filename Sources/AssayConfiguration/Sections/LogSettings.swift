import AssaySchemes
package import Logging

/// The level and format of the log.
package struct LogSettings: Hashable, Sendable {
    package enum Format: String, CaseIterable, Hashable, Sendable {
        /// A line of text for people.
        case text
        /// A JSON object per line.
        case json
    }

    package var level: Logger.Level
    package var format: Format

    package init(level: Logger.Level = .info, format: Format = .text) { (self.level, self.format) = (level, format) }
}

extension LogSettings {
    /// The section `log`.
    init(reading value: ConfigurationReader.Value?) {
        self.init()
        guard let section = value?.section() else { return }
        level = section.optional("level")?.choice(Logger.Level.byName) ?? level
        format = section.optional("format")?.choice(["text": .text, "json": .json]) ?? format
        section.done()
    }
}

extension Logger.Level {
    fileprivate static let byName: KeyValuePairs<String, Logger.Level> = [
        "trace": .trace, "debug": .debug, "info": .info, "notice": .notice, "warning": .warning, "error": .error,
        "critical": .critical,
    ]
}
