/// What happens to text on its way through forms, JSON and shells: each is a change that a transport makes and its receiver forgets to undo.
package enum TransportSlip: String, CaseIterable, Hashable, Sendable {
    case quotationMarks
    case percentEncoding
    case escapedLineBreaks
    case dataURL
    case spaceForPlus
    case twiceEncoded
    case joinedValues
    case lossyText

    /// Says for people what was found.
    package var sentence: String {
        switch self {
        case .quotationMarks: "it has the quotation marks of JSON"
        case .percentEncoding: "it is percent-encoded"
        case .escapedLineBreaks: "its line breaks are written as \\n"
        case .dataURL: "it begins with \"data:\""
        case .spaceForPlus: "each '+' was turned into a space, as by a form that was not percent-encoded"
        case .twiceEncoded: "it was encoded twice"
        case .joinedValues: "two values are joined by \"::\""
        case .lossyText: "its bytes were converted to text on the way: what was not UTF-8 is lost"
        }
    }

    /// The text without what a transport added, and what that was. The text may still be in any encoding of bytes.
    package static func undo(_ text: String) -> (text: String, slips: [TransportSlip]) {
        var (rest, slips) = (trimmed(text[...]), [TransportSlip]())
        // Each step removes one layer.
        for _ in 0..<4 {
            guard let (slip, inner) = layer(of: rest) else { break }
            if !slips.contains(slip) { slips.append(slip) }
            rest = trimmed(inner[...])
        }
        return (rest, slips)
    }

    private static func layer(of text: String) -> (TransportSlip, String)? {
        // A JSON object is no encoding of bytes, and may have any text in it.
        guard !text.hasPrefix("{") else { return nil }
        if let inner = unquoted(text) { return (.quotationMarks, inner) }
        if let inner = percentDecoded(text) { return (.percentEncoding, inner) }
        if text.hasPrefix("-----BEGIN"), text.contains("\\n"), !text.contains("\n") {
            return (.escapedLineBreaks, text.replacing("\\r", with: "").replacing("\\n", with: "\n"))
        }
        if text.hasPrefix("data:"), let comma = text.firstIndex(of: ",") {
            return (.dataURL, String(text[text.index(after: comma)...]))
        }
        guard text.contains(" "), !text.contains("+"), !text.contains("-"), !text.contains("_") else { return nil }
        let filled = text.replacing(" ", with: "+")
        guard !isInLines(text), Base64.standard.decode(filled) != nil else { return nil }
        return (.spaceForPlus, filled)
    }

    /// Whether the spaces stand where lines were broken: between parts of one length, as encoders write them.
    private static func isInLines(_ text: String) -> Bool {
        let lines = text.split(separator: " ", omittingEmptySubsequences: false).map(\.utf8.count)
        guard let first = lines.first, (60...80).contains(first), first % 4 == 0, let last = lines.last else { return false }
        return lines.dropLast().allSatisfy { $0 == first } && last <= first
    }

    /// The content of a JSON text, or of a text in single quotation marks.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count >= 2, let quote = text.first, quote == "\"" || quote == "'", text.last == quote else {
            return nil
        }
        guard quote == "\"", case .string(let bytes)? = try? JSONReader.parse(Array(text.utf8)[...], code: .malformed) else {
            return String(text.dropFirst().dropLast())
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// `nil` if nothing is encoded, or something is not of the form.
    private static func percentDecoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")), let bytes = PercentEncoding.decode(text) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension TransportSlip {
    /// Bytes as text in a form of ``ByteText``, with what was undone to read them; `nil` for a text in none of its forms.
    ///
    /// - Parameter count: the expected number of bytes; `nil`: any.
    package static func decode(_ text: String, count: Int? = nil) -> (bytes: [UInt8], slips: [TransportSlip])? {
        var (plain, slips) = undo(text)
        plain = plain.filter { !$0.isWhitespace }
        if let bytes = ByteText.decode(plain, count: count), count != nil || inner(bytes) == nil { return (bytes, slips) }
        guard let outer = ByteText.decode(plain), let again = inner(outer), let bytes = ByteText.decode(again, count: count)
        else { return nil }
        return (bytes, slips + [.twiceEncoded])
    }

    /// The text that the bytes are, if it is Base64 or hexadecimal again. Short bytes may be such a text by chance.
    private static func inner(_ bytes: [UInt8]) -> String? {
        guard bytes.count >= 32, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let plain = text.filter { !$0.isWhitespace }
        return ByteText.decode(plain) == nil ? nil : plain
    }

    /// What bytes are that no reader of a binary format can read, for the end of a sentence; empty if they are not a known slip.
    package static func hint(_ bytes: ArraySlice<UInt8>) -> String {
        if isLossy(bytes) { return ": " + lossyText.sentence }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.isEmpty else { return "" }
        guard let (_, slips) = decode(text) else { return "" }
        let words = slips.map(\.sentence).joined(separator: ", ")
        return ": they are text, in Base64 or hexadecimal, that was not decoded" + (words.isEmpty ? "" : " (\(words))")
    }

    /// Whether bytes were text once that replaced what was not UTF-8 (U+FFFD).
    package static func isLossy(_ bytes: some Collection<UInt8>) -> Bool {
        var (found, matched) = (0, 0)
        let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
        for byte in bytes {
            matched = byte == replacement[matched] ? matched + 1 : byte == replacement[0] ? 1 : 0
            guard matched == replacement.count else { continue }
            (found, matched) = (found + 1, 0)
        }
        return found >= 3
    }
}
