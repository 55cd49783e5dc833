/// Strict Base64 (RFC 4648): one alphabet, no line breaks, unused bits zero. `nil` for anything else.
package enum Base64 {
    package enum Alphabet: Sendable {
        /// §4, padding required.
        case standard
        /// §5, padding refused.
        case url
    }

    package static func encode(_ bytes: some Sequence<UInt8>, _ alphabet: Alphabet = .standard) -> String {
        var text: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer & 0x3F) << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(digit(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)) & 0x3F, alphabet))
            }
        }
        if bits > 0 { text.append(digit(UInt8(truncatingIfNeeded: buffer << UInt32(6 - bits)) & 0x3F, alphabet)) }
        if alphabet == .standard {
            while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: some StringProtocol, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        decode(Array(text.utf8)[...], alphabet)
    }

    package static func decode(_ text: ArraySlice<UInt8>, _ alphabet: Alphabet = .standard) -> [UInt8]? {
        var digits = text
        if alphabet == .standard {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits = digits.dropLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3 + 2)
        var buffer: UInt32 = 0
        var bits = 0
        for character in digits {
            guard let value = value(character, alphabet) else { return nil }
            buffer = (buffer & 0xFF) << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        let unused: UInt32 = (1 << UInt32(bits)) - 1
        guard buffer & unused == 0 else { return nil }
        return bytes
    }

    private static func digit(_ value: UInt8, _ alphabet: Alphabet) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: alphabet == .standard ? "+" : "-")
        default: UInt8(ascii: alphabet == .standard ? "/" : "_")
        }
    }

    private static func value(_ character: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch (character, alphabet) {
        case (UInt8(ascii: "A")...UInt8(ascii: "Z"), _): character - UInt8(ascii: "A")
        case (UInt8(ascii: "a")...UInt8(ascii: "z"), _): character - UInt8(ascii: "a") + 26
        case (UInt8(ascii: "0")...UInt8(ascii: "9"), _): character - UInt8(ascii: "0") + 52
        case (UInt8(ascii: "+"), .standard), (UInt8(ascii: "-"), .url): 62
        case (UInt8(ascii: "/"), .standard), (UInt8(ascii: "_"), .url): 63
        default: nil
        }
    }
}
