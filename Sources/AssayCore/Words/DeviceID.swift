/// The name of a device record: 16 random bytes, given by the registry. Shown as `dev_` and 32 lower-case hex digits.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    public static let length = 16
    public let bytes: [UInt8]

    /// `nil` unless there are 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The form people see, `dev_…`; `nil` for anything else.
    public init?(_ text: String) {
        guard text.utf8.count == 4 + 2 * Self.length, text.hasPrefix("dev_"), let bytes = Hex.decode(text.dropFirst(4)) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    /// A new name from the system's random number generator.
    public static func random() -> DeviceID { DeviceID(unchecked: SecureRandom.bytes(length)) }
    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    public var description: String { "dev_" + Hex.encode(bytes) }
}
