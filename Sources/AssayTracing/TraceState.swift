/// What tracing systems pass along with a trace: the field `tracestate` of W3C Trace Context. It is exported with the call's span and not
/// interpreted.
package struct TraceState: Hashable, Sendable {
    /// The key of a call's metadata.
    package static let key = "tracestate"
    /// Longer fields are dropped, in bytes: every system must pass on that many (W3C Trace Context, "tracestate Limits").
    package static let lengthLimit = 512
    /// More members make the field invalid ("list").
    static let memberLimit = 32

    /// The members, separated by commas, without white space around them.
    package let text: String

    /// `nil` for a field without members, and for one that is not of the form, which is dropped as a whole.
    package init?(parsing text: String) {
        guard text.utf8.count <= Self.lengthLimit else { return nil }
        var members: [Substring.UTF8View] = []
        var keys: Set<[UInt8]> = []
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let member = Self.trimmed(part)
            guard !member.isEmpty else { continue }
            guard let end = member.firstIndex(of: UInt8(ascii: "=")), Self.isKey(member[..<end]),
                Self.isValue(member[member.index(after: end)...]), keys.insert(Array(member[..<end])).inserted
            else { return nil }
            members.append(member)
        }
        guard !members.isEmpty, members.count <= Self.memberLimit else { return nil }
        self.text = members.map { String(Substring($0)) }.joined(separator: ",")
    }

    private static func trimmed(_ part: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = part.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
        return rest
    }

    /// 1 to 256 bytes: a lower-case letter or digit, then also `_-*/@` (Level 2, "key").
    private static func isKey(_ key: Substring.UTF8View) -> Bool {
        guard let first = key.first, isLetterOrDigit(first), key.count <= 256 else { return false }
        return key.allSatisfy { isLetterOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// 1 to 256 printable bytes without comma and equals sign; the last one is no space, since it was trimmed ("value").
    private static func isValue(_ value: Substring.UTF8View) -> Bool {
        guard !value.isEmpty, value.count <= 256 else { return false }
        return value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }
}
