package import AssayCore

/// Writes DER elements one behind the other into one array. ``DERWriter`` makes an array of each element; this is for what is written often.
///
/// The content of a constructed element is written in its place, and its length is put before it once it is known.
package struct DERBuffer: Sendable {
    /// What was written.
    package private(set) var octets: [UInt8] = []

    /// - Parameter capacity: the octets that are allocated at first.
    package init(capacity: Int) { octets.reserveCapacity(capacity) }

    /// Appends elements that are encoded.
    package mutating func append(_ encoded: [UInt8]) { octets += encoded }
    package mutating func append(_ encoded: ArraySlice<UInt8>) { octets += encoded }

    // MARK: Constructed elements

    /// An element whose content `write` writes.
    ///
    /// - Parameter identifier: its one identifier octet.
    package mutating func element(_ identifier: UInt8, _ write: (inout DERBuffer) -> Void) {
        octets.append(identifier)
        // The length, if it needs one octet.
        octets.append(0)
        let start = octets.count
        write(&self)
        let count = octets.count - start
        if count < 0x80 {
            octets[start - 1] = UInt8(count)
        } else {
            let width = DERLength.width(of: count)
            octets[start - 1] = 0x80 | UInt8(width)
            octets.insert(contentsOf: repeatElement(0, count: width), at: start)
            for place in 0..<width { octets[start + place] = DERLength.octet(width - 1 - place, of: count) }
        }
    }

    package mutating func sequence(_ write: (inout DERBuffer) -> Void) { element(0x30, write) }
    package mutating func set(_ write: (inout DERBuffer) -> Void) { element(0x31, write) }

    /// `[number] EXPLICIT`, or `[number] IMPLICIT` over a constructed type.
    ///
    /// - Parameter number: 0 to 30.
    package mutating func context(_ number: UInt8, _ write: (inout DERBuffer) -> Void) { element(0xA0 | number, write) }

    // MARK: Primitive elements

    /// An element with this content.
    ///
    /// - Parameter identifier: its one identifier octet.
    package mutating func element(_ identifier: UInt8, _ content: [UInt8]) {
        begin(identifier, content.count)
        octets += content
    }

    /// `[number] IMPLICIT` over a primitive type.
    ///
    /// - Parameter number: 0 to 30.
    package mutating func implicit(_ number: UInt8, _ content: [UInt8]) { element(0x80 | number, content) }
    package mutating func implicit(_ number: UInt8, _ text: String) { element(0x80 | number, text) }

    package mutating func boolean(_ value: Bool) {
        begin(0x01, 1)
        octets.append(value ? 0xFF : 0)
    }

    /// An INTEGER of a big-endian unsigned number: leading zeros removed, one added if the sign requires it.
    package mutating func integer(unsigned number: ArraySlice<UInt8>) {
        let digits = number.drop { $0 == 0 }
        let isPadded = (digits.first ?? 0x80) & 0x80 != 0
        begin(0x02, digits.count + (isPadded ? 1 : 0))
        if isPadded { octets.append(0) }
        octets += digits
    }

    package mutating func octetString(_ content: [UInt8]) { element(0x04, content) }
    package mutating func utf8String(_ text: String) { element(0x0C, text) }

    /// - Parameter text: of characters that PrintableString has (X.680 §41.4).
    package mutating func printableString(_ text: String) { element(0x13, text) }

    package mutating func objectIdentifier(_ identifier: OID) {
        begin(0x06, identifier.content.count)
        octets += identifier.content
    }

    /// A BIT STRING of whole octets, such as a key or a signature.
    package mutating func bitString(_ content: [UInt8]) {
        begin(0x03, 1 + content.count)
        octets.append(0)
        octets += content
    }

    /// UTCTime from 1950 to 2049, GeneralizedTime otherwise, both in whole seconds of UTC (RFC 5280 §4.1.2.5). Milliseconds are dropped; times
    /// outside the years 0000 to 9999 become the first or the last second of these.
    package mutating func time(_ time: Timestamp) {
        let (seconds, _) = min(max(time, Self.firstTime), Self.lastTime).unixMilliseconds.flooredDivision(by: 1000)
        let (days, second) = seconds.flooredDivision(by: 86_400)
        let date = CivilDate(daysSince1970: days)
        let isShort = (1950...2049).contains(date.year)
        begin(isShort ? 0x17 : 0x18, isShort ? 13 : 15)
        if !isShort { twoDigits(date.year / 100) }
        twoDigits(date.year % 100)
        twoDigits(date.month)
        twoDigits(date.day)
        twoDigits(second / 3600)
        twoDigits(second / 60 % 60)
        twoDigits(second % 60)
        octets.append(UInt8(ascii: "Z"))
    }

    /// 0000-01-01T00:00:00Z.
    private static let firstTime = Timestamp(unixSeconds: -62_167_219_200)
    /// 9999-12-31T23:59:59Z.
    private static let lastTime = Timestamp(unixSeconds: 253_402_300_799)

    private mutating func twoDigits(_ number: Int64) {
        octets.append(UInt8(ascii: "0") + UInt8(number / 10))
        octets.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private mutating func element(_ identifier: UInt8, _ text: String) {
        begin(identifier, text.utf8.count)
        octets.append(contentsOf: text.utf8)
    }

    /// Identifier and length of an element with `count` octets of content, in the shortest form (X.690 §10.1).
    private mutating func begin(_ identifier: UInt8, _ count: Int) {
        octets.append(identifier)
        guard count >= 0x80 else { return octets.append(UInt8(count)) }
        let width = DERLength.width(of: count)
        octets.append(0x80 | UInt8(width))
        for place in (0..<width).reversed() { octets.append(DERLength.octet(place, of: count)) }
    }
}

/// The octets of a length that needs more than one (X.690 §8.1.3.5).
enum DERLength {
    static func width(of count: Int) -> Int { (Int.bitWidth - count.leadingZeroBitCount + 7) / 8 }

    /// - Parameter place: 0 for the last octet.
    static func octet(_ place: Int, of count: Int) -> UInt8 { UInt8(truncatingIfNeeded: count >> (8 * place)) }
}
