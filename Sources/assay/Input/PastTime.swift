import ArgumentParser
import AssayCore

/// A time in the past: an age such as `90s`, `15m`, `1h` or `7d`, or a time such as `2026-04-21T18:13:13Z`.
struct PastTime: ExpressibleByArgument {
    private enum Form {
        case age(milliseconds: Int64)
        case time(Timestamp)
    }
    private let form: Form

    static let lastWeek = PastTime(.age(milliseconds: 7 * 86_400_000))

    private init(_ form: Form) { self.form = form }

    init?(argument: String) {
        if let time = Timestamp(rfc3339: argument) {
            form = .time(time)
            return
        }
        guard let age = DurationText.milliseconds(argument) else { return nil }
        form = .age(milliseconds: age)
    }

    var defaultValueDescription: String {
        switch form {
        case .age(let milliseconds): DurationText.exact(milliseconds)
        case .time(let time): time.description
        }
    }

    func timestamp(now: Timestamp = SystemClock().now()) -> Timestamp {
        switch form {
        case .age(let milliseconds): now.adding(milliseconds: -milliseconds)
        case .time(let time): time
        }
    }
}

/// A request id in hexadecimal, or the beginning of one: 8 to 32 digits.
struct RequestIDArgument: ExpressibleByArgument {
    let text: String
    /// The whole bytes among the digits.
    let bytes: [UInt8]

    init?(argument: String) {
        let digits = argument.lowercased()
        guard (8...32).contains(digits.utf8.count),
            let bytes = Hex.decode(String(digits.prefix(digits.utf8.count & ~1)))
        else { return nil }
        (text, self.bytes) = (digits, bytes)
    }

    /// Whether an id begins with all digits: one may be half of a byte.
    func begins(_ id: some Collection<UInt8>) -> Bool { Hex.encode(id).utf8.starts(with: text.utf8) }
}
