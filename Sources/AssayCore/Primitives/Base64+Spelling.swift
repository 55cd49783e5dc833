extension Base64 {
    /// Why a text is not base64url, for a sentence of the form "the nonce is not base64url (…)"; `nil` if it is, without padding.
    ///
    /// A value that could not be decoded is not compared with anything, so a sentence says how it is spelt and shows no bytes.
    ///
    /// - Parameter allowsPadding: complete padding is no fault.
    package static func misspelling(ofURL text: String, allowsPadding: Bool = false) -> String? {
        guard url.decode(text) == nil || text.isEmpty else { return nil }
        let bytes = Array(text.utf8)
        let symbols = Set(bytes)
        func has(_ characters: String) -> Bool { !symbols.isDisjoint(with: characters.utf8) }
        if bytes.isEmpty { return "it is empty" }
        if has("%") { return "it is percent-encoded" }
        if has("\r\n") { return "it has a line break" }
        if has(" \t") { return "it has white space" }
        if has("\"'") { return "it has quotation marks" }
        if has("+/") { return "it has '+' or '/'" }
        if has(":"), ByteText.decode(text) != nil { return "it is hexadecimal with colons" }
        if has("=") {
            guard allowsPadding || url.decode(text.prefix { $0 != "=" }) == nil else { return "it has padding" }
            return decodeURL(optionallyPadded: text) == nil || !allowsPadding ? "its padding is wrong" : nil
        }
        guard url.holdsAll(bytes) else { return "it has a character of another alphabet" }
        return "it is cut off, or has bits left over"
    }

    private func holdsAll(_ symbols: [UInt8]) -> Bool {
        // A group of four has no bits left over.
        symbols.allSatisfy { decode(utf8: [$0, 65, 65, 65]) != nil }
    }

    /// Decodes base64url with complete padding or none: versions of clients' libraries differ in whether they keep it.
    package static func decodeURL(optionallyPadded text: String) -> [UInt8]? {
        guard text.hasSuffix("=") else { return url.decode(text) }
        guard text.utf8.count % 4 == 0 else { return nil }
        return url.decode(text.dropLast(text.hasSuffix("==") ? 2 : 1))
    }
}
