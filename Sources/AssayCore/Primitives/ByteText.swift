/// Bytes as people write them: the one reader for the command line, the configuration and import files.
///
/// It reads hexadecimal digits of either case, with or without a colon between the bytes, and Base64 (RFC 4648 §4) and
/// base64url (§5), each with or without padding. A prefix `hex:` or `base64:` selects the form. Without a prefix an ambiguous
/// text is hexadecimal, unless only the other form gives the expected length: 64 digits are a SHA-256 in hexadecimal, and 48
/// bytes in Base64 if 48 bytes are expected.
public enum ByteText {
    /// The accepted forms, for help texts and errors.
    public static let forms = "hexadecimal (with or without colons), Base64 or base64url"

    /// - Parameter count: the expected number of bytes; `nil`: any number but 0.
    ///   - Returns: `nil` for an empty text, a text of none of the forms, and bytes of another number than `count`.
    public static func decode(_ text: String, count: Int? = nil) -> [UInt8]? {
        let readings: [[UInt8]?] =
            if let digits = text.dropping(prefix: "hex:") {
                [hexadecimal(digits)]
            } else if let symbols = text.dropping(prefix: "base64:") {
                [base64(symbols)]
            } else {
                [hexadecimal(text[...]), base64(text[...])]
            }
        return readings.lazy.compactMap { $0 }.first { $0.count == count ?? $0.count && !$0.isEmpty }
    }

    /// Colons separate all bytes or none.
    private static func hexadecimal(_ text: Substring) -> [UInt8]? {
        guard text.utf8.contains(UInt8(ascii: ":")) else { return Hex.decode(text) }
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
        return Hex.decode(pairs.joined())
    }

    private static func base64(_ text: Substring) -> [UInt8]? { Base64.decode(eitherAlphabet: Array(text.utf8)[...]) }
}

extension String {
    fileprivate func dropping(prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8) ? self[utf8.index(startIndex, offsetBy: prefix.utf8.count)...] : nil
    }
}

/// Base64 text (RFC 4648), strict: one alphabet, the right padding, no white space, and no bits left over.
public enum Base64: Sendable {
    /// §4, with padding.
    case standard
    /// §5, without padding: Assay's text form of bytes.
    case url

    public func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousBytes { bytes in
            String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { encode(bytes, into: $0) }
        }
    }

    /// Appends the text of bytes to a longer one. Not generic, so that what other modules call is compiled for it.
    package func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (bytes.count + 2) / 3 * 4) { symbols in
            let count = encode(bytes, into: symbols)
            text.append(contentsOf: symbols[..<count])
        }
    }

    /// Writes the text of bytes, in groups of six and then of three: tokens are written with it.
    ///
    /// - Parameter symbols: of the length of the text with its padding, even where none is written.
    /// - Returns: how many symbols the text has.
    package func encode(_ bytes: UnsafeRawBufferPointer, into symbols: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let isPadded = self == .standard
        return (isPadded ? Self.standardPairs : Self.urlPairs).withUnsafeBufferPointer { pairs in
            guard let pairs = pairs.baseAddress, let first = bytes.baseAddress,
                let text = UnsafeMutableRawPointer(symbols.baseAddress)
            else { return 0 }
            let size = bytes.count
            var (at, count) = (0, 0)
            // Eight bytes are read, and the last two of them again.
            while at &+ 8 <= size {
                let group = UInt64(bigEndian: first.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                func pair(_ bits: UInt64) -> UInt64 { UInt64(pairs[Int(truncatingIfNeeded: group >> bits & 0xfff)]) }
                let eight = pair(52) | pair(40) << 16 | pair(28) << 32 | pair(16) << 48
                text.storeBytes(of: eight.littleEndian, toByteOffset: count, as: UInt64.self)
                at &+= 6
                count &+= 8
            }
            func byte(_ at: Int) -> Int { Int(first.load(fromByteOffset: at, as: UInt8.self)) }
            func store(_ pair: UInt16, _ place: Int) {
                text.storeBytes(of: pair.littleEndian, toByteOffset: place, as: UInt16.self)
            }
            while at &+ 3 <= size {
                let group = byte(at) << 16 | byte(at &+ 1) << 8 | byte(at &+ 2)
                store(pairs[group >> 12], count)
                store(pairs[group & 0xfff], count &+ 2)
                at &+= 3
                count &+= 4
            }
            guard at < size else { return count }
            let hasTwo = at &+ 1 < size
            let group = byte(at) << 16 | (hasTwo ? byte(at &+ 1) << 8 : 0)
            let padding = UInt8(ascii: "=")
            store(pairs[group >> 12], count)
            if hasTwo || isPadded {
                let third = hasTwo ? UInt8(truncatingIfNeeded: pairs[group & 0xfff]) : padding
                text.storeBytes(of: third, toByteOffset: count &+ 2, as: UInt8.self)
            }
            if isPadded { text.storeBytes(of: padding, toByteOffset: count &+ 3, as: UInt8.self) }
            return count &+ (isPadded ? 4 : hasTwo ? 3 : 2)
        }
    }

    /// `nil` unless `encode` makes this text.
    public func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: Array(text.utf8)) }

    /// Decodes a text that is at hand as its UTF-8; `nil` unless `encode` makes this text.
    public func decode(utf8 text: [UInt8]) -> [UInt8]? { decode(utf8: text[...]) }

    /// The same of a part of a longer text, which is not copied.
    package func decode(utf8 text: ArraySlice<UInt8>) -> [UInt8]? {
        var symbols = text
        if self == .standard {
            guard symbols.count % 4 == 0 else { return nil }
            for _ in 0..<2 where symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
        }
        return decode(symbols: symbols)
    }

    /// Decodes a text of either alphabet, but not of both, with complete padding or none; `nil` for any other.
    package static func decode(eitherAlphabet text: ArraySlice<UInt8>) -> [UInt8]? {
        var symbols = text
        for _ in 0..<2 where symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
        guard symbols.count == text.count || text.count % 4 == 0 else { return nil }
        return standard.decode(symbols: symbols) ?? url.decode(symbols: symbols)
    }

    /// Decodes a text without its padding.
    private func decode(symbols: ArraySlice<UInt8>) -> [UInt8]? {
        guard symbols.count % 4 != 1 else { return nil }
        var isGood = false
        let bytes = (self == .standard ? Self.standardValues : Self.urlValues).withUnsafeBufferPointer { values in
            symbols.withUnsafeBufferPointer { symbols in
                [UInt8].filled(capacity: symbols.count * 3 / 4) { bytes, count in
                    isGood = Self.decode(symbols, by: values, into: bytes, &count)
                }
            }
        }
        return isGood ? bytes : nil
    }

    /// Groups of four symbols are three bytes. Tables, and one test at the end: the symbols of random bytes would mislead a branch for each.
    ///
    /// - Parameter values: 4 × 256, see ``values(of:)``.
    private static func decode(
        _ symbols: UnsafeBufferPointer<UInt8>, by values: UnsafeBufferPointer<UInt32>,
        into bytes: UnsafeMutableBufferPointer<UInt8>,
        _ count: inout Int
    ) -> Bool {
        var seen: UInt32 = 0
        var at = 0
        while at &+ 4 <= symbols.count {
            let group =
                values[Int(symbols[at])] | values[256 &+ Int(symbols[at &+ 1])] | values[512 &+ Int(symbols[at &+ 2])]
                | values[768 &+ Int(symbols[at &+ 3])]
            seen |= group
            bytes[count] = UInt8(truncatingIfNeeded: group >> 16)
            bytes[count &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
            bytes[count &+ 2] = UInt8(truncatingIfNeeded: group)
            at &+= 4
            count &+= 3
        }
        // Two or three symbols are one or two bytes, and bits that must be zero.
        var (bits, rest) = (UInt32(0), 0)
        while at < symbols.count {
            let value = values[768 &+ Int(symbols[at])]
            seen |= value
            bits = bits << 6 | value & 63
            rest += 6
            if rest >= 8 {
                rest -= 8
                bytes[count] = UInt8(truncatingIfNeeded: bits >> UInt32(rest))
                bits &= 1 << UInt32(rest) - 1
                count += 1
            }
            at += 1
        }
        return seen < 1 << 24 && bits == 0
    }

    private static let standardDigits = commonDigits + Array("+/".utf8)
    private static let urlDigits = commonDigits + Array("-_".utf8)
    private static let commonDigits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// The two symbols of each value of 12 bits. The first is in the lower byte, as it lies in memory of a little-endian machine.
    private static let standardPairs = pairs(of: standardDigits)
    private static let urlPairs = pairs(of: urlDigits)

    private static func pairs(of digits: [UInt8]) -> [UInt16] {
        (0..<4096).map { UInt16(digits[$0 >> 6]) | UInt16(digits[$0 & 63]) << 8 }
    }

    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    /// The value of each symbol, 0 to 63, four times: as it stands in each place of a group of four, whose bits are 24. Bytes that are no symbol have
    /// the bit above these.
    private static func values(of digits: [UInt8]) -> [UInt32] {
        var values = [UInt32](repeating: 1 << 24, count: 4 * 256)
        for (value, symbol) in digits.enumerated() {
            for place in 0..<4 { values[256 * place + Int(symbol)] = UInt32(value) << UInt32(18 - 6 * place) }
        }
        return values
    }
}

/// Lower-case hexadecimal text.
public enum Hex {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousBytes { bytes in
            String(unsafeUninitializedCapacity: bytes.count * 2) { encode(bytes, into: $0) }
        }
    }

    /// Appends the text of bytes to a longer one.
    package static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count * 2) { digits in
            let count = encode(bytes, into: digits)
            text.append(contentsOf: digits[..<count])
        }
    }

    /// Writes the text of bytes.
    ///
    /// - Returns: how many digits there are.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into digits: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var index = 0
        for byte in bytes {
            digits.initializeElement(at: index, to: digit(byte >> 4))
            digits.initializeElement(at: index + 1, to: digit(byte & 15))
            index += 2
        }
        return index
    }

    /// The first 8 bytes as 16 digits, with an ellipsis if there are more, and words if there are none: for sentences in which digests are
    /// compared.
    package static func short(_ bytes: some Collection<UInt8>) -> String {
        bytes.isEmpty ? "no bytes" : encode(bytes.prefix(8)) + (bytes.count > 8 ? "…" : "")
    }

    /// Both cases are read; `nil` for an odd length or anything that is not a digit.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: Array(text.utf8)) }

    /// Decodes a text that is at hand as its UTF-8.
    package static func decode(utf8 digits: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for character in digits {
            guard let value = value(character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Collection<UInt8> {
    /// The bytes where they lie, or a copy of a collection that has them in no one place: what works on them is compiled once, not for each kind of
    /// collection.
    fileprivate func withContiguousBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) } ?? Array(self).withUnsafeBytes(body)
    }
}
