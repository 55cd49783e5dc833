/// The purpose of a challenge and of the device's signature over it. The raw value is the byte in challenge and client data.
public enum Purpose: UInt8, CaseIterable, Hashable, Sendable {
    /// A new key is attested and the device registered.
    case register = 1
    /// A registered device proves itself.
    case assert = 2
    /// A device certificate is issued.
    case provision = 3
    /// A device certificate is renewed.
    case renew = 4

    public var name: String {
        switch self {
        case .register: "register"
        case .assert: "assert"
        case .provision: "provision"
        case .renew: "renew"
        }
    }
}
