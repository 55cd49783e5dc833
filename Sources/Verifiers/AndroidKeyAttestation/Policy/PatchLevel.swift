package import AssayCore

/// A security patch level: a month, and for vendor and boot images mostly a day, which is not looked at: some devices write
/// 00 or leave it out.
package struct PatchLevel: Hashable, Comparable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int

    /// From `YYYYMM` or `YYYYMMDD` in decimal; `nil` if it is neither.
    package init?(_ number: UInt64) {
        let yearAndMonth =
            switch number {
            case 100_001...999_912: Int(number)
            case 10_000_100...99_991_299: Int(number / 100)
            default: 0
            }
        guard yearAndMonth > 0, (1...12).contains(yearAndMonth % 100) else { return nil }
        (year, month) = (yearAndMonth / 100, yearAndMonth % 100)
    }

    /// The month of an instant, in UTC.
    package init(_ time: Timestamp) {
        let date = CivilDate(daysSince1970: time.unixMilliseconds / 86_400_000)
        (year, month) = (Int(date.year), Int(date.month))
    }

    /// Months from the year 0 on.
    private var count: Int { year * 12 + month - 1 }

    /// How many months this level lies after another; negative if before.
    package func months(since other: PatchLevel) -> Int { count - other.count }

    package static func < (a: Self, b: Self) -> Bool { a.count < b.count }
}
