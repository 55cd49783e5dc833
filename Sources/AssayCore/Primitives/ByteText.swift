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
