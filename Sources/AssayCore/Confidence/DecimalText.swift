/// Decimal numbers as text from outside, read without binary floating point.
enum DecimalText {
    /// The longest text that is read, in bytes. Encoders write at most 17 significant digits and an exponent.
    static let limit = 64

    /// The number in the form of RFC 8259 §6, in units of 10^-places, rounded half up. Of a negative number the amount is rounded.
    ///
    /// `nil` for another text, for an amount above `most`, also before it is rounded, and for a text of more than 64 bytes.
    ///
    /// - Parameters:
    ///   - places: 0 to 9.
    ///   - most: the largest amount, below 10 000 000.
    static func read(_ text: some Collection<UInt8>, places: Int, most: UInt64) -> (isNegative: Bool, units: UInt64)? {
        guard (1...limit).contains(text.count) else { return nil }
        var rest = Array(text)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard let whole = digits(&rest), whole.count == 1 || whole.first != 0 else { return nil }
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard let digits = digits(&rest) else { return nil }
            fraction = digits
        }
        guard let exponent = exponent(&rest), rest.isEmpty else { return nil }
        // The number is 0.d1d2d3… times ten to the power of `point`.
        let digits = (whole + fraction).drop { $0 == 0 }
        guard !digits.isEmpty else { return (false, 0) }
        let point = whole.count - (whole.count + fraction.count - digits.count) + exponent
        guard let units = units(Array(digits), kept: point + places, most: most * powerOfTen(places)) else { return nil }
        return (isNegative, units)
    }

    /// One or more digits, as their values.
    private static func digits(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !found.isEmpty else { return nil }
        rest = rest.dropFirst(found.count)
        return found.map { $0 - UInt8(ascii: "0") }
    }

    /// 0 if there is none. An exponent of more than 4 digits is refused, before it can overflow.
    private static func exponent(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else { return 0 }
        rest = rest.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard let digits = digits(&rest), digits.count <= 4 else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int($1) }
        return isNegative ? -number : number
    }

    /// - Parameters:
    ///   - digits: without a leading zero.
    ///   - kept: how many of them stand before the point once the number is in units.
    private static func units(_ digits: [UInt8], kept: Int, most: UInt64) -> UInt64? {
        guard kept >= 0 else { return 0 }
        // 10^16 and above exceed every limit, and below it nothing overflows.
        guard kept <= 16 else { return nil }
        var number: UInt64 = 0
        for index in 0..<kept { number = number * 10 + UInt64(index < digits.count ? digits[index] : 0) }
        let rest = digits.dropFirst(kept)
        guard number < most || number == most && rest.allSatisfy({ $0 == 0 }) else { return nil }
        guard let next = rest.first, next >= 5, number < most else { return number }
        return number + 1
    }

    private static func powerOfTen(_ places: Int) -> UInt64 { (0..<places).reduce(1) { power, _ in power * 10 } }
}

/// A measured number that is not negative, such as one of metres, in whole millionths.
public struct Measure: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The largest number that is read.
    static let most: UInt64 = 1_000_000

    public let millionths: UInt64

    public init(millionths: UInt64) { self.millionths = millionths }

    /// Reads a decimal number in the form of RFC 8259 §6, rounded half up to 6 places. `nil` for another text, a negative number, and one above
    /// 1 000 000.
    public init?(decimal text: some Collection<UInt8>) {
        guard let (isNegative, units) = DecimalText.read(text, places: 6, most: Self.most), !isNegative else { return nil }
        millionths = units
    }

    public static func < (a: Self, b: Self) -> Bool { a.millionths < b.millionths }

    /// The number as JSON: without an exponent, and without zeros at its end.
    public var description: String {
        let (whole, fraction) = millionths.quotientAndRemainder(dividingBy: 1_000_000)
        guard fraction > 0 else { return String(whole) }
        let digits = String(fraction)
        var text = "\(whole)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
        while text.last == "0" { text.removeLast() }
        return text
    }
}
