/// The allowed uses of a key (tag `purpose`). 4 was never assigned.
package enum KeyPurpose: UInt64, CaseIterable, Hashable, Sendable {
    case encrypt = 0
    case decrypt = 1
    case sign = 2
    case verify = 3
    case wrapKey = 5
    case agreeKey = 6
    case attestKey = 7

    /// The name in the configuration.
    package var name: String {
        switch self {
        case .encrypt: "encrypt"
        case .decrypt: "decrypt"
        case .sign: "sign"
        case .verify: "verify"
        case .wrapKey: "wrap_key"
        case .agreeKey: "agree_key"
        case .attestKey: "attest_key"
        }
    }
}
