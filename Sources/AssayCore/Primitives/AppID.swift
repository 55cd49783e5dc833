/// The name of an app, the unit of policy: one product with all its platform identities. `[a-z0-9._-]{1,64}`.
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// `nil` if `text` does not have this form.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count) else { return nil }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return nil
            }
        }
        self.text = text
    }

    public var description: String { text }
}
