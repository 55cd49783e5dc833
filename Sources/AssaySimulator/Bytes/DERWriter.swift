public import AssayCore

/// Writes DER (X.690), and on request encodings that DER forbids: tests need certificates that a correct library refuses to
/// write.
public enum DERWriter {
    /// The encoding of an element's length.
    public enum Length: Hashable, Sendable {
        /// As DER requires.
        case shortest
        /// In the long form with this many length octets, more than needed or not.
        case octets(Int)
        /// Indefinite, closed by two zero octets: BER, never DER.
        case indefinite
        /// A wrong length: this number, whatever the content's length is.
        case stated(Int)
    }

    public static func element(_ identifier: [UInt8], _ content: [UInt8], length: Length = .shortest) -> [UInt8] {
        switch length {
        case .shortest: identifier + lengthOctets(content.count) + content
        case .octets(let count): identifier + [0x80 | UInt8(count & 0x7F)] + bigEndian(content.count, width: count) + content
        case .indefinite: identifier + [0x80] + content + [0, 0]
        case .stated(let count): identifier + lengthOctets(count) + content
        }
    }

    public static func sequence(_ elements: [[UInt8]], length: Length = .shortest) -> [UInt8] {
        element([0x30], Array(elements.joined()), length: length)
    }

    public static func set(_ elements: [[UInt8]]) -> [UInt8] { element([0x31], Array(elements.joined())) }

    /// `[number] EXPLICIT`, or a constructed implicit element. Numbers above 30 take the multi-octet form.
    public static func context(_ number: Int, _ elements: [[UInt8]], length: Length = .shortest) -> [UInt8] {
        element(contextIdentifier(number), Array(elements.joined()), length: length)
    }

    public static func boolean(_ value: Bool) -> [UInt8] { boolean(octet: value ? 0xFF : 0) }

    /// A BOOLEAN with this content octet. DER allows only 0x00 and 0xFF.
    public static func boolean(octet: UInt8) -> [UInt8] { element([0x01], [octet]) }

    public static let null: [UInt8] = [0x05, 0x00]

    /// An INTEGER of a big-endian unsigned number: leading zeros removed, one added if the sign requires it.
    public static func integer(unsigned bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return integer(content: (digits.first ?? 0x80) & 0x80 == 0 ? digits : [0] + digits)
    }

    public static func integer(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { integer(unsigned: $0) }
    }

    public static func enumerated(_ value: UInt64) -> [UInt8] { [0x0A] + integer(value).dropFirst() }

    /// An INTEGER with exactly these content octets, minimal or not, negative or not.
    public static func integer(content: [UInt8]) -> [UInt8] { element([0x02], content) }

    public static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] { element([0x03], [unusedBits] + bytes) }
    public static func octetString(_ bytes: [UInt8]) -> [UInt8] { element([0x04], bytes) }
    public static func utf8String(_ text: String) -> [UInt8] { element([0x0C], Array(text.utf8)) }

    /// An OBJECT IDENTIFIER from its dotted form.
    public static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
        guard let first = arcs.first, let second = arcs.dropFirst().first else { return element([0x06], []) }
        return element([0x06], ([first * 40 + second] + arcs.dropFirst(2)).flatMap(base128))
    }

    /// UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5280 §4.1.2.5). Milliseconds are dropped.
    public static func time(_ time: Timestamp) -> [UInt8] {
        let digits = Array(time.description.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.prefix(14))
        let year = digits.prefix(4).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        let short = (1950...2049).contains(year)
        return element([short ? 0x17 : 0x18], (short ? digits.dropFirst(2) : digits[...]) + [UInt8(ascii: "Z")])
    }

    // MARK: Octets

    private static func lengthOctets(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let width = (Int.bitWidth - count.leadingZeroBitCount + 7) / 8
        return [0x80 | UInt8(width)] + bigEndian(count, width: width)
    }

    private static func bigEndian(_ value: Int, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func contextIdentifier(_ number: Int) -> [UInt8] {
        number < 31 ? [0xA0 | UInt8(number)] : [0xBF] + base128(UInt64(number))
    }

    private static func base128(_ value: UInt64) -> [UInt8] {
        var octets = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            octets.insert(0x80 | UInt8(rest & 0x7F), at: 0)
            rest >>= 7
        }
        return octets
    }
}
