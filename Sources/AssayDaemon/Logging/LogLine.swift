package import AssayConfiguration
package import AssayCore
package import Logging

/// One line of the log. Values are escaped: they cannot break the line or control a terminal.
package struct LogLine: Sendable {
    package let time: Timestamp
    package let level: Logger.Level
    package let message: String
    package let metadata: Logger.Metadata

    package init(time: Timestamp, level: Logger.Level, message: String, metadata: Logger.Metadata) {
        (self.time, self.level, self.message, self.metadata) = (time, level, message, metadata)
    }

    package func written(_ format: LogSettings.Format) -> String {
        switch format {
        case .text: text
        case .json: json
        }
    }

    /// `2026-11-21T15:00:00.123Z warning  a call failed code=unavailable reason=ledger_unavailable`
    private var text: String {
        var line = "\(time) \(level.rawValue)"
        line += String(repeating: " ", count: max(1, 9 - level.rawValue.count)) + message.escaped
        for (name, value) in inOrder { line += " \(name.escaped)=\(value.plain.quotedIfNeeded)" }
        return line
    }

    /// An object with `time`, `level`, `message`, and the rest under its own names.
    private var json: String {
        var line = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"message\":\(message.quoted)"
        for (name, value) in inOrder where !["time", "level", "message"].contains(name) {
            line += ",\(name.quoted):\(value.json)"
        }
        return line + "}"
    }

    private var inOrder: [(key: String, value: Logger.MetadataValue)] { metadata.sorted { $0.key < $1.key } }
}

extension Logger.MetadataValue {
    fileprivate var plain: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array(let values): values.map(\.plain).joined(separator: "; ")
        case .dictionary(let values):
            values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plain)" }.joined(separator: " ")
        @unknown default: "\(self)"
        }
    }

    fileprivate var json: String {
        switch self {
        case .string(let text): text.quoted
        case .stringConvertible(let value): value.description.quoted
        case .array(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        case .dictionary(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key.quoted):\($0.value.json)" }.joined(separator: ",") + "}"
        @unknown default: "\(self)".quoted
        }
    }
}

extension String {
    /// The value as a JSON string, with invisible characters escaped.
    fileprivate var quoted: String { "\"" + escaped + "\"" }

    fileprivate var quotedIfNeeded: String {
        let isPlain = !isEmpty && unicodeScalars.allSatisfy { $0 != " " && $0 != "\"" && $0 != "=" && !$0.mustBeEscaped }
        return isPlain ? self : quoted
    }

    fileprivate var escaped: String {
        guard unicodeScalars.contains(where: \.mustBeEscaped) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case _ where scalar.mustBeEscaped:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    fileprivate var mustBeEscaped: Bool {
        self == "\"" || self == "\\" || isInvisible
    }
}
