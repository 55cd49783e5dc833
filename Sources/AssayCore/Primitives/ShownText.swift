extension String {
    /// Text from evidence for a sentence: quoted, if it is at most 64 visible ASCII characters; otherwise only its length. So a sentence stays
    /// one line whatever a device states.
    package var shown: String {
        guard (1...64).contains(utf8.count), utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
            return "a text of \(utf8.count) bytes"
        }
        return "\"\(self)\""
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
    package var shownShort: String {
        let all = map(Hex.short).sorted()
        guard !all.isEmpty else { return "none" }
        let rest = all.count > 4 ? " and \(all.count - 4) more" : ""
        return all.prefix(4).joined(separator: ", ") + rest
    }
}
