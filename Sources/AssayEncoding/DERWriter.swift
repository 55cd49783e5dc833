public import AssayCore

/// Writes DER (X.690): definite lengths in their shortest form, INTEGERs and named bits in their shortest form, times as RFC 5280 has them.
///
/// Elements are bytes, and constructed elements join them. It shares no code with ``DERReader``, so that tests which read what it
/// writes compare two understandings of X.690.
public enum DERWriter {
    /// An element of any tag.
    ///
    /// - Parameter identifier: the identifier octets, such as `[0x30]`.
    public static func element(_ identifier: [UInt8], _ content: [UInt8]) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(identifier.count + 9 + content.count)
        octets += identifier
        octets += lengthOctets(content.count)
        octets += content
        return octets
    }

    public static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element([0x30], elements.concatenated) }

    /// A SET with its elements in the order given. DER requires the order of their tags (X.690 §10.3).
    public static func set(_ elements: [[UInt8]]) -> [UInt8] { element([0x31], elements.concatenated) }

    /// A SET OF: elements of one type, ordered by their encodings (X.690 §11.6).
    public static func setOf(_ elements: [[UInt8]]) -> [UInt8] { set(elements.sorted { $0.lexicographicallyPrecedes($1) }) }

    /// `[number] EXPLICIT`, or `[number] IMPLICIT` over a constructed type. Numbers above 30 have the multi-octet form.
    ///
    /// - Parameter number: not negative.
    public static func context(_ number: Int, _ elements: [[UInt8]]) -> [UInt8] {
        element(identifier(0xA0, number), elements.concatenated)
    }

    /// `[number] IMPLICIT` over a primitive type with this content.
    ///
    /// - Parameter number: not negative.
    public static func implicit(_ number: Int, _ content: [UInt8]) -> [UInt8] { element(identifier(0x80, number), content) }

    public static func boolean(_ value: Bool) -> [UInt8] { element([0x01], [value ? 0xFF : 0]) }

    public static let null: [UInt8] = [0x05, 0x00]

    /// An INTEGER of a big-endian unsigned number: leading zeros removed, one added if the sign requires it.
    public static func integer(unsigned bytes: some Collection<UInt8>) -> [UInt8] { integer(unsigned: Array(bytes)) }

    /// The same for an array. Not generic, so that what other modules call is compiled for it.
    public static func integer(unsigned bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return element([0x02], (digits.first ?? 0x80) & 0x80 == 0 ? digits : [0] + digits)
    }

    public static func integer(_ value: UInt64) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { integer(unsigned: $0) }
    }

    public static func enumerated(_ value: UInt64) -> [UInt8] { [0x0A] + integer(value).dropFirst() }

    /// A BIT STRING of whole octets, such as a key or a signature.
    public static func bitString(_ octets: [UInt8]) -> [UInt8] { element([0x03], [0] + octets) }

    /// A BIT STRING of named bits, such as a key usage: trailing zero bits are left out (X.690 §11.2.2).
    ///
    /// - Parameter octets: bit 0 is the top bit of the first octet.
    public static func namedBits(_ octets: [UInt8]) -> [UInt8] {
        guard let end = octets.lastIndex(where: { $0 != 0 }) else { return bitString([]) }
        return element([0x03], [UInt8(octets[end].trailingZeroBitCount)] + octets[...end])
    }

    public static func octetString(_ bytes: [UInt8]) -> [UInt8] { element([0x04], bytes) }
    public static func utf8String(_ text: String) -> [UInt8] { element([0x0C], Array(text.utf8)) }

    /// - Parameter text: of characters that PrintableString has (X.680 §41.4).
    package static func printableString(_ text: String) -> [UInt8] { element([0x13], Array(text.utf8)) }

    /// The most octets of an OBJECT IDENTIFIER's content that are written.
    static let objectIdentifierLimit = 64

    /// An OBJECT IDENTIFIER from its dotted form.
    ///
    /// Text that is none is written without content, which X.690 §8.19 forbids and readers refuse: fewer than two arcs, a first arc above 2, a
    /// second above 39 where the first is 0 or 1, an arc that is not a decimal number of 128 bits (as X.667 has them), or more than 64
    /// octets.
    public static func objectIdentifier(_ dotted: String) -> [UInt8] {
        element([0x06], objectIdentifierContent(dotted) ?? [])
    }

    package static func objectIdentifier(_ identifier: OID) -> [UInt8] { element([0x06], Array(identifier.content)) }

    /// UTCTime from 1950 to 2049, GeneralizedTime otherwise, both in whole seconds of UTC (RFC 5280 §4.1.2.5). Milliseconds are dropped; times
    /// outside the years 0000 to 9999 become the first or the last second of these.
    public static func time(_ time: Timestamp) -> [UInt8] {
        var buffer = DERBuffer(capacity: 17)
        buffer.time(time)
        return buffer.octets
    }

    // MARK: Octets

    /// The length octets of a content of `count` octets, in the shortest form (X.690 §10.1).
    package static func lengthOctets(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let width = DERLength.width(of: count)
        return [0x80 | UInt8(width)] + (0..<width).reversed().map { DERLength.octet($0, of: count) }
    }

    /// The identifier octets of a context-specific tag.
    ///
    /// - Parameter form: `0xA0` for a constructed element, `0x80` for a primitive one.
    package static func identifier(_ form: UInt8, _ number: Int) -> [UInt8] {
        number < 31 ? [form | UInt8(number)] : [form | 0x1F] + base128(UInt128(number))
    }

    private static func objectIdentifierContent(_ dotted: String) -> [UInt8]? {
        var arcs: [UInt128] = []
        for part in dotted.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard arcs.count < objectIdentifierLimit, let arc = decimal(part) else { return nil }
            arcs.append(arc)
        }
        return objectIdentifierContent(arcs)
    }

    /// The content of the OBJECT IDENTIFIER with these arcs; `nil` for fewer than two, for numbers that the first two may not have, and for more than 64
    /// octets.
    static func objectIdentifierContent(_ arcs: [UInt128]) -> [UInt8]? {
        guard let first = arcs.first, let second = arcs.dropFirst().first, first <= 2, second < 40 || first == 2 else {
            return nil
        }
        let (joined, overflows) = second.addingReportingOverflow(first * 40)
        guard !overflows else { return nil }
        let content = ([joined] + arcs.dropFirst(2)).flatMap(base128)
        return content.count <= objectIdentifierLimit ? content : nil
    }

    private static func decimal(_ digits: some Collection<UInt8>) -> UInt128? {
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt128(String(decoding: digits, as: UTF8.self))
    }

    /// Groups of seven bits, the highest first; the top bit of an octet says that another follows.
    private static func base128(_ value: UInt128) -> [UInt8] {
        var octets = [UInt8(value & 0x7F)]
        var rest = value >> 7
        while rest > 0 {
            octets.append(0x80 | UInt8(rest & 0x7F))
            rest >>= 7
        }
        return octets.reversed()
    }
}
