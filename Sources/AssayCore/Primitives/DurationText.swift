/// Durations as the configuration, the command line and messages write them: a whole number and a unit, `250ms`, `30s`, `5m`, `24h` or `7d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// In milliseconds; `nil` for a text of another form, and beyond 64 bits.
    package static func milliseconds(_ text: some StringProtocol) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard let count = Int64(digits), let factor = units.first(where: { $0.name == unit })?.milliseconds else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// What is probably meant by a text of another form: `5 minutes`, `5min`, `1.5h`, `1m30s`, `PT5M`.
    package static func meant(by text: String) -> String? {
        var rest = text.lowercased().filter { !$0.isWhitespace }[...]
        // Of ISO 8601 those that have one part, before or behind the "T".
        if rest.hasPrefix("p") { rest = rest.dropFirst() }
        var milliseconds = 0.0
        guard !rest.isEmpty, rest.utf8.count <= 32 else { return nil }
        while !rest.isEmpty {
            if rest.hasPrefix("t") { rest = rest.dropFirst() }
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let word = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            guard let count = Double(digits), let unit = unit(called: word) else { return nil }
            milliseconds += count * Double(unit)
            rest = rest.dropFirst(digits.count + word.count)
        }
        // Doubles of whole numbers are exact as far as here, and a tenth of an hour is not.
        guard milliseconds > 0, milliseconds < 1e15 else { return nil }
        let whole = Int64(milliseconds + 0.5)
        return abs(Double(whole) - milliseconds) < 0.001 ? exact(whole) : nil
    }

    /// In milliseconds.
    private static func unit(called word: Substring) -> Int64? {
        switch word {
        case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds": 1
        case "s", "sec", "secs", "second", "seconds": 1000
        case "m", "min", "mins", "minute", "minutes": 60_000
        case "h", "hr", "hrs", "hour", "hours": 3_600_000
        case "d", "day", "days": 86_400_000
        case "w", "week", "weeks": 7 * 86_400_000
        case "y", "year", "years": 365 * 86_400_000
        default: nil
        }
    }

    /// Exactly, in the largest unit of which it is a whole number.
    package static func exact(_ milliseconds: Int64) -> String {
        guard milliseconds != 0 else { return "0s" }
        let unit = units.last { milliseconds % $0.milliseconds == 0 } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }

    /// To the second, rounded down, in days, hours, minutes and seconds, without those that are zero: "2h1m40s". For what is compared
    /// with a limit, of which ``rounded(_:)`` would tell too little.
    package static func toTheSecond(_ milliseconds: Int64) -> String {
        var left = milliseconds.magnitude / 1000
        guard left > 0 else { return "0s" }
        var text = milliseconds < 0 ? "-" : ""
        for unit in units.dropFirst().reversed() {
            let (count, rest) = left.quotientAndRemainder(dividingBy: UInt64(unit.milliseconds / 1000))
            if count > 0 { text += "\(count)\(unit.name)" }
            left = rest
        }
        return text
    }

    /// For people: rounded down, in the largest unit of which there are at least two.
    package static func rounded(_ milliseconds: Int64) -> String {
        let unit = units.last { milliseconds.magnitude / UInt64($0.milliseconds) >= 2 } ?? units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
