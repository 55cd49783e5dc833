/// Which characters of text from outside are shown: the one rule, for logs, sentences of plugins, terminals, names in certificates, and serial
/// numbers of devices.
extension Unicode.Scalar {
    /// Whether the character cannot be seen, or changes how others are shown: control and format characters (Cc, Cf), separators of lines and
    /// paragraphs (Zl, Zp), surrogates, characters for private use, unassigned ones (Cs, Co, Cn), and those that are ignored by default, such as
    /// variation selectors and Hangul fillers.
    package var isInvisible: Bool {
        if value < 0x7F { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// What the character is, for a sentence: `U+200B ZERO WIDTH SPACE`.
    package var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        guard let name = properties.nameAlias ?? properties.name else { return number }
        return number + " " + name
    }
}

extension StringProtocol {
    /// The text with U+FFFD for what is invisible, which could hide or overwrite the text beside it.
    package var visible: String {
        // Most texts are visible ASCII.
        let isPlain = utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).isVisibleASCII() }
        guard isPlain != true, unicodeScalars.contains(where: { $0.isInvisible }) else { return String(self) }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isInvisible ? "\u{FFFD}" : scalar) }
        return String(text)
    }

    /// The first invisible character, and its place: 1 for the first character.
    package var firstInvisible: (place: Int, scalar: Unicode.Scalar)? {
        unicodeScalars.enumerated().first { $0.element.isInvisible }.map { ($0.offset + 1, $0.element) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are visible ASCII, or spaces.
    ///
    /// - Parameter lowest: 0x21 allows no spaces.
    package func isVisibleASCII(from lowest: UInt8 = 0x20) -> Bool {
        var index = 0
        // Eight at a time: the high bit of a byte is set by one below the lowest (which borrows), by one from 0x7F on (which carries), or by itself.
        let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
        while index &+ 8 <= count {
            let word = loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let found = (word &- ones &* UInt64(lowest)) & ~word | (word &+ ones) | word
            guard found & highs == 0 else { return false }
            index &+= 8
        }
        return self[index...].allSatisfy { (lowest...0x7E).contains($0) }
    }
}
