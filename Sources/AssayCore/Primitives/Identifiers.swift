/// The name of an app, the unit of policy: one product with all its platform identities. `[a-z0-9._-]{1,64}`.
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// `nil` if `text` does not have this form.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isOfName) else { return nil }
        self.text = text
    }

    public var description: String { text }
}

/// The identifier of a device record: 16 random bytes from the registry. Shown as `dev_` and 32 lower-case hex digits.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    public static let length = 16
    public let bytes: [UInt8]

    /// `nil` unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Reads what people write: `dev_` and the digits, or the 16 bytes in any form of `ByteText`. `nil` for anything else.
    public init?(_ text: String) {
        let digits = text.utf8.starts(with: "dev_".utf8) ? String(text.dropFirst(4)) : text
        guard let bytes = ByteText.decode(digits, count: Self.length) ?? ByteText.decode(text, count: Self.length) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// A new identifier from the system's random number generator. It has as many bytes as ``SecureRandom/identifier()`` gives.
    public static func random() -> DeviceID { DeviceID(unchecked: SecureRandom.identifier()) }
    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    public var description: String { "dev_" + Hex.encode(bytes) }
}

extension DeviceID {
    // As one piece of memory: an array hashes and compares each byte by itself, and registries look devices up by their names.
    public static func == (a: DeviceID, b: DeviceID) -> Bool { a.bytes.equals(b.bytes) }
    public func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension UInt8 {
    /// Whether the byte may stand in the name of a signal or a flag: `a`-`z`, `0`-`9` or `_`.
    package var isOfWord: Bool { isOfName && self != UInt8(ascii: ".") && self != UInt8(ascii: "-") }

    /// Whether the byte may stand in a name of ours (of an app, a format, a code): `a`-`z`, `0`-`9`, `.`, `_` or `-`.
    package var isOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
