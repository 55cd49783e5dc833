/// Base64 text (RFC 4648), strict: one alphabet, the right padding, no white space, and no bits left over.
public enum Base64: Sendable {
    /// §4, with padding.
    case standard
    /// §5, without padding: Assay's text form of bytes.
    case url

    public func encode(_ bytes: some Collection<UInt8>) -> String {
        let digits = digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 63)]) }
        if self == .standard { while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless `encode` makes this text.
    public func decode(_ text: some StringProtocol) -> [UInt8]? {
        var symbols = Array(text.utf8)
        if self == .standard {
            guard symbols.count % 4 == 0 else { return nil }
            for _ in 0..<2 where symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
        }
        guard symbols.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count * 3 / 4)
        var (bits, count) = (UInt32(0), 0)
        for symbol in symbols {
            guard let value = value(symbol) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
                bits &= 1 << UInt32(count) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    private var digits: [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            + (self == .standard ? Array("+/".utf8) : Array("-_".utf8))
    }

    private func value(_ symbol: UInt8) -> UInt32? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(symbol - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(symbol - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(symbol - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+") where self == .standard, UInt8(ascii: "-") where self == .url: 62
        case UInt8(ascii: "/") where self == .standard, UInt8(ascii: "_") where self == .url: 63
        default: nil
        }
    }
}
