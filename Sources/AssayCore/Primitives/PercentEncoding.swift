/// Percent-encoded text (RFC 3986 §2.1).
package enum PercentEncoding {
    /// The bytes that the text stands for; `nil` if two hexadecimal digits do not follow each `%`.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = Hex.decode(String(decoding: digits, as: UTF8.self))?.first else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
