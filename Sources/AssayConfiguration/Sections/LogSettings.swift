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
