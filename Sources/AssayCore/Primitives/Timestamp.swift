/// An instant as milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var unixMilliseconds: Int64

    public init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

    /// Clamped to the range.
    public init(unixSeconds: Int64) {
        let (product, overflow) = unixSeconds.multipliedReportingOverflow(by: 1000)
        unixMilliseconds = overflow ? (unixSeconds < 0 ? .min : .max) : product
    }

    public static let distantPast = Timestamp(unixMilliseconds: .min)
    public static let distantFuture = Timestamp(unixMilliseconds: .max)

    public static func < (a: Self, b: Self) -> Bool { a.unixMilliseconds < b.unixMilliseconds }

    /// Later by `milliseconds`, clamped to the range instead of overflowing.
    public func adding(milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = unixMilliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(unixMilliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Milliseconds from `earlier` to this instant, clamped to the range.
    public func milliseconds(since earlier: Timestamp) -> Int64 {
        let (difference, overflow) = unixMilliseconds.subtractingReportingOverflow(earlier.unixMilliseconds)
        return overflow ? (unixMilliseconds < 0 ? .min : .max) : difference
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, in whole seconds, or with milliseconds if there are any.
    public var description: String {
        let (seconds, milliseconds) = unixMilliseconds.flooredDivision(by: 1000)
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        let fraction = milliseconds == 0 ? "" : "." + decimal(milliseconds, width: 3)
        return "\(decimal(date.year, width: 4))-\(decimal(date.month, width: 2))-\(decimal(date.day, width: 2))T"
            + "\(decimal(second / 3600, width: 2)):\(decimal(second / 60 % 60, width: 2)):\(decimal(second % 60, width: 2))"
            + "\(fraction)Z"
    }
}

private func decimal(_ value: Int64, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Timestamp {
    /// Reads RFC 3339 in UTC: `2026-04-21T18:13:13Z`, with or without a fraction of a second, truncated to milliseconds. `nil`
    /// for anything else, including offsets other than `Z`.
    public init?(rfc3339 text: some StringProtocol) {
        var digits = Array(text.utf8)
        guard digits.popLast() == UInt8(ascii: "Z"), digits.count >= 19 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            digits[range].reduce(Int64?(0)) { sum, digit in
                guard let sum, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                return sum * 10 + Int64(digit - UInt8(ascii: "0"))
            }
        }
        for (index, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)] {
            guard UInt32(digits[index]) == mark.value else { return nil }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second < 60
        else { return nil }
        var milliseconds: Int64 = 0
        if digits.count > 19 {
            guard digits[19] == UInt8(ascii: "."), (21...29).contains(digits.count), number(20..<digits.count) != nil else {
                return nil
            }
            let fraction = (digits[20...] + [UInt8](repeating: UInt8(ascii: "0"), count: 3)).prefix(3)
            milliseconds = fraction.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        self.init(unixMilliseconds: seconds * 1000 + milliseconds)
    }
}

/// A day of the proleptic Gregorian calendar, in UTC.
public struct CivilDate: Hashable, Sendable {
    public let year: Int64
    /// 1 to 12.
    public let month: Int64
    /// 1 to 31.
    public let day: Int64

    /// The day `days` after 1970-01-01.
    public init(daysSince1970 days: Int64) {
        // Years start on 1 March, so that the leap day is a year's last; eras are 400 years of 146 097 days.
        let (era, dayOfEra) = (days &+ 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// A day by its numbers; `nil` if the calendar has no such day. Years 0 to 9999.
    public init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length: Int64 = month == 2 ? (leap ? 29 : 28) : ([4, 6, 9, 11].contains(month) ? 30 : 31)
        guard day <= length else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Days from 1970-01-01 to this day.
    public var daysSince1970: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shiftedYear.flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// The quotient rounded down and the non-negative remainder. `divisor` is a positive literal.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
