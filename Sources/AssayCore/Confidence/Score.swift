/// A number from 0 to 1 in whole millionths: a score, a weight or a threshold.
///
/// All arithmetic is on whole numbers, and a quotient is rounded once, half up. So two implementations of `docs/confidence.md` get the
/// same digits on every machine, which binary floating point does not guarantee.
public struct Score: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let zero = Score(counted: 0)
    public static let one = Score(counted: scale)

    private static let scale: UInt32 = 1_000_000
    /// The decimal places that are kept.
    private static let places = 6
    /// The longest decimal text that is read, in bytes. Encoders write at most 17 significant digits and an exponent.
    static let textLimit = 64

    /// 0 to 1 000 000.
    public let millionths: UInt32

    private init(counted millionths: UInt32) { self.millionths = millionths }

    /// `nil` for more than 1 000 000.
    public init?(millionths: UInt32) {
        guard millionths <= Self.scale else { return nil }
        self.millionths = millionths
    }

    /// `numerator / denominator` millionths, rounded half up; at most 1. 0 over 0 is 0. The caller keeps both below 2^62.
    init(rounding numerator: UInt64, over denominator: UInt64) {
        guard denominator > 0 else {
            self = .zero
            return
        }
        let quotient = (2 * numerator + denominator) / (2 * denominator)
        self.init(counted: UInt32(clamping: min(quotient, UInt64(Self.scale))))
    }

    public static func < (a: Self, b: Self) -> Bool { a.millionths < b.millionths }

    /// The number as JSON: without an exponent, and without zeros at its end.
    public var description: String {
        guard millionths < Self.scale else { return "1" }
        guard millionths > 0 else { return "0" }
        var digits = String(millionths)
        digits = "0." + String(repeating: "0", count: Self.places - digits.utf8.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return digits
    }
}

extension Score {
    /// Reads a decimal number in the form of RFC 8259 §6, rounded half up to 6 places. `nil` for another text, a negative number
    /// other than `-0`, a number above 1, and a text of more than 64 bytes.
    public init?(decimal text: some Collection<UInt8>) {
        guard (1...Self.textLimit).contains(text.count) else { return nil }
        var rest = Array(text)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard let whole = Self.digits(&rest), whole.count == 1 || whole.first != 0 else { return nil }
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard let digits = Self.digits(&rest) else { return nil }
            fraction = digits
        }
        guard let exponent = Self.exponent(&rest), rest.isEmpty else { return nil }
        // The number is 0.d1d2d3… times ten to the power of `point`.
        let digits = (whole + fraction).drop { $0 == 0 }
        guard !digits.isEmpty else {
            self = .zero
            return
        }
        let point = whole.count - (whole.count + fraction.count - digits.count) + exponent
        guard !isNegative, let millionths = Self.millionths(Array(digits), point) else { return nil }
        self.init(counted: millionths)
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

    /// - Parameter digits: without a leading zero.
    private static func millionths(_ digits: [UInt8], _ point: Int) -> UInt32? {
        let kept = point + places
        guard kept >= 0 else { return 0 }
        // 1 000 000 has 7 digits.
        guard kept <= places + 1 else { return nil }
        var number: UInt32 = 0
        for index in 0..<kept { number = number * 10 + UInt32(index < digits.count ? digits[index] : 0) }
        let rest = digits.dropFirst(kept)
        guard number < scale || number == scale && rest.allSatisfy({ $0 == 0 }) else { return nil }
        guard let next = rest.first, next >= 5, number < scale else { return number }
        return number + 1
    }
}
