/// A number from 0 to 1 in whole millionths: a score, a weight or a threshold.
///
/// All arithmetic is on whole numbers, and a quotient is rounded once, half up. So two implementations of `docs/reference/confidence-profiles.md` get the
/// same digits on every machine, which binary floating point does not guarantee.
public struct Score: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let zero = Score(counted: 0)
    public static let one = Score(counted: scale)

    private static let scale: UInt32 = 1_000_000
    /// The decimal places that are kept.
    private static let places = 6

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
        guard let (isNegative, units) = DecimalText.read(text, places: Self.places, most: 1), !isNegative else { return nil }
        self.init(counted: UInt32(clamping: units))
    }
}
