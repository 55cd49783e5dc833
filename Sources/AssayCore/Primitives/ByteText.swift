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

    /// One alphabet, with complete padding or none.
    private static func base64(_ text: Substring) -> [UInt8]? {
        let symbols = text.utf8.contains(UInt8(ascii: "=")) ? text.prefix { $0 != "=" } : text
        let padding = text.utf8.count - symbols.utf8.count
        guard padding == 0 || (text.utf8.count % 4 == 0 && padding <= 2 && text.suffix(padding).allSatisfy { $0 == "=" })
        else { return nil }
        let standard = String(symbols) + String(repeating: "=", count: (4 - symbols.utf8.count % 4) % 4)
        return Base64.url.decode(symbols) ?? Base64.standard.decode(standard)
    }
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
        let digits = digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        if self == .standard { while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless `encode` makes this text.
    public func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: Array(text.utf8)) }

    /// Decodes a text that is at hand as its UTF-8; `nil` unless `encode` makes this text.
    public func decode(utf8 text: [UInt8]) -> [UInt8]? {
        var symbols = text[...]
        if self == .standard {
            guard symbols.count % 4 == 0 else { return nil }
            for _ in 0..<2 where symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
        }
        guard symbols.count % 4 != 1 else { return nil }
        let values = self == .standard ? Self.standardValues : Self.urlValues
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count * 3 / 4)
        var (bits, count, seen) = (UInt32(0), 0, UInt8(0))
        for symbol in symbols {
            // A table, and one test at the end: the symbols of random bytes would mislead a branch for each.
            let value = values[Int(symbol)]
            seen |= value
            bits = bits << 6 | UInt32(value & 63)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return seen < 64 && bits == 0 ? bytes : nil
    }

    private var digits: [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            + (self == .standard ? Array("+/".utf8) : Array("-_".utf8))
    }

    /// The value of each symbol, 0 to 63, and 255 for bytes that are none.
    private static let standardValues = Base64.standard.values
    private static let urlValues = Base64.url.values

    private var values: [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, symbol) in digits.enumerated() { values[Int(symbol)] = UInt8(value) }
        return values
    }
}

/// Lower-case hexadecimal text.
public enum Hex {
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { out in
            var index = 0
            for byte in bytes {
                out[index] = digit(byte >> 4)
                out[index + 1] = digit(byte & 15)
                index += 2
            }
            return index
        }
    }

    /// The first 8 bytes as 16 digits, with an ellipsis if there are more, and words if there are none: for sentences in which digests are
    /// compared.
    package static func short(_ bytes: some Collection<UInt8>) -> String {
        bytes.isEmpty ? "no bytes" : encode(bytes.prefix(8)) + (bytes.count > 8 ? "…" : "")
    }

    /// Both cases are read; `nil` for an odd length or anything that is not a digit.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
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
