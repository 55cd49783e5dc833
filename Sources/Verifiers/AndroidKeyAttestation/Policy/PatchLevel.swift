package import AssayCore

/// A security patch level: a month. The day, which levels of vendor and boot images mostly have, is ignored: some devices write
/// 00 or leave it out.
package struct PatchLevel: Hashable, Comparable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int

    /// Reads `YYYYMM` or `YYYYMMDD` in decimal; `nil` for other numbers.
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

    /// Months since the year 0.
    private var count: Int { year * 12 + month - 1 }

    /// The months from `other` to this level; negative if this level is older.
    package func months(since other: PatchLevel) -> Int { count - other.count }

    package static func < (a: Self, b: Self) -> Bool { a.count < b.count }
}
