/// Two bits that a platform keeps for a developer about a device. They survive reinstalling, and the developer defines their
/// meaning.
public struct DeviceBits: Hashable, Sendable {
    public let bit0: Bool
    public let bit1: Bool
    /// The month in which they were last set, `YYYY-MM`; `nil` if the platform does not state it.
    public let lastSetIn: String?

    public init(bit0: Bool, bit1: Bool, lastSetIn: String? = nil) {
        (self.bit0, self.bit1, self.lastSetIn) = (bit0, bit1, lastSetIn)
    }
}

/// A platform's answer about the bits, in the encoding that passes from the vendor's client to the verifier.
public enum DeviceBitsAnswer: Hashable, Sendable {
    /// The device is known and its bits were never set.
    case neverSet
    case set(DeviceBits)

    /// `unset`; or a `0` or `1` for each bit, and after a space the month if it is known. Internal.
    public var encoded: [UInt8] {
        switch self {
        case .neverSet: return Array("unset".utf8)
        case .set(let bits):
            let digits = (bits.bit0 ? "1" : "0") + (bits.bit1 ? "1" : "0")
            return Array((digits + (bits.lastSetIn.map { " " + $0 } ?? "")).utf8)
        }
    }

    /// `nil` unless `encoded` made the text.
    public init?(decoding bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), text.utf8.count <= 10 else { return nil }
        if text == "unset" {
            self = .neverSet
            return
        }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard let digits = parts.first, parts.count <= 2, ["00", "01", "10", "11"].contains(digits) else { return nil }
        let month = parts.count == 2 ? parts.last.map(String.init) : nil
        guard month.map(Self.isMonth) ?? true else { return nil }
        self = .set(DeviceBits(bit0: digits.hasPrefix("1"), bit1: digits.hasSuffix("1"), lastSetIn: month))
    }

    /// `YYYY-MM`.
    public static func isMonth(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
            parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let year = Int64(parts[0]), let month = Int64(parts[1])
        else { return false }
        return CivilDate(year: year, month: month, day: 1) != nil
    }
}
