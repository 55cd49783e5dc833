extension String {
    /// Text from evidence for a sentence: quoted, if it is visible ASCII, with its ends alone if it has more than 64 characters; otherwise
    /// only its length. So a sentence stays one line whatever a device states.
    package var shown: String {
        guard !isEmpty else { return "an empty text" }
        guard utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
            return "a text of \(utf8.count) bytes with other characters than visible ASCII"
        }
        guard utf8.count > 64 else { return "\"\(self)\"" }
        return "\"\(prefix(32))…\(suffix(24))\" (\(utf8.count) bytes)"
    }
}

extension String {
    /// A certificate's name for a sentence: its visible ASCII and spaces, cut after 80 characters.
    package var shownName: String {
        guard !isEmpty else { return "an empty name" }
        let text = String(decoding: utf8.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        return text.utf8.count > 80 ? text.prefix(80) + "…" : text
    }
}

extension Sequence<String> {
    /// At most four texts, as ``String/shown``, and how many more there are.
    package var shown: String {
        let all = Array(self)
        guard !all.isEmpty else { return "none" }
        let rest = all.count > 4 ? " and \(all.count - 4) more" : ""
        return all.prefix(4).map(\.shown).joined(separator: ", ") + rest
    }
}

extension Sequence<[UInt8]> {
    /// At most four digests, shortened, and how many more there are; in the order of their bytes.
    package var shownShort: String { Self.list(map(Hex.short)) }

    /// The same in a sentence with other digests: whole, if one that differs from all of them would look like one of them.
    package func shownShort(beside others: some Sequence<[UInt8]>) -> String {
        let others = Array(others)
        let looks = Set(others.map(Hex.short))
        let isMistakable = contains { looks.contains(Hex.short($0)) && !others.contains($0) }
        return isMistakable ? Self.list(map(Hex.encode)) : shownShort
    }

    private static func list(_ digests: [String]) -> String {
        let all = digests.sorted()
        guard !all.isEmpty else { return "none" }
        let rest = all.count > 4 ? " and \(all.count - 4) more" : ""
        return all.prefix(4).joined(separator: ", ") + rest
    }
}
