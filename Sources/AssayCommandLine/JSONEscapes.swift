import AssayCore

/// JSON for a terminal, whatever files, daemons and devices put into it.
package enum JSONEscapes {
    /// The same JSON, with escapes for invisible characters, which stand in its texts alone.
    package static func escaped(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { $0 != "\n" && $0.isInvisible }) else { return json }
        var text = ""
        for scalar in json.unicodeScalars {
            guard scalar != "\n", scalar.isInvisible else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }
}
