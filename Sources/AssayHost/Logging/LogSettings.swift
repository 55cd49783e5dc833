package import Logging

/// How much is logged, and how it is written.
package struct LogSettings: Hashable, Sendable {
    package enum Format: String, CaseIterable, Hashable, Sendable {
        /// A line for people.
        case text
        /// A JSON object a line.
        case json
    }

    package var level: Logger.Level
    package var format: Format

    package init(level: Logger.Level = .info, format: Format = .text) { (self.level, self.format) = (level, format) }
}
