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
