/// Times such as `2025-01-31T00:00:00Z` (RFC 3339, UTC, seconds).
enum UTCTime {
    /// Milliseconds since 1970; `nil` if the text is no such time.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == form.count else { return nil }
        for (byte, expected) in zip(bytes, form) {
            guard expected == 0x30 ? (0x30...0x39).contains(byte) : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { 10 * $0 + Int64($1 - 0x30) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1970, (1...12).contains(month), (1...length(month, year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        return 1000 * (86_400 * days(year, month, day) + 3600 * hour + 60 * minute + second)
    }

    private static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let before = year - 1
        let years = 365 * (year - 1970) + (before / 4 - 492) - (before / 100 - 19) + (before / 400 - 4)
        return (1..<month).reduce(years + day - 1) { $0 + length($1, year) }
    }
}
