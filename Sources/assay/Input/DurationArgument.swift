import ArgumentParser
import AssayCore

/// A duration as the configuration writes it: `250ms`, `30s`, `5m`, `24h` or `30d`. A number without a unit is none.
struct DurationArgument: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        guard let milliseconds = DurationText.milliseconds(argument) else { return nil }
        self.milliseconds = milliseconds
    }

    init(days: Int64) { milliseconds = days * 86_400_000 }
}

/// A duration, or a number of seconds without a unit, with decimals or not.
struct SecondsArgument: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        if let milliseconds = DurationText.milliseconds(argument) {
            self.milliseconds = milliseconds
        } else {
            // Milliseconds that a number of floating point holds exactly.
            guard let seconds = Double(argument), seconds >= 0, seconds < 9e12 else { return nil }
            milliseconds = Int64((seconds * 1000).rounded())
        }
    }

    init(_ seconds: Int64) { milliseconds = seconds * 1000 }

    var duration: Duration { .milliseconds(milliseconds) }
    var defaultValueDescription: String { DurationText.exact(milliseconds) }
}
