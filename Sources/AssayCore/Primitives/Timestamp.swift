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
