/// What a key may be used for (tag `purpose`). 4 was never in use.
package enum KeyPurpose: UInt64, CaseIterable, Hashable, Sendable {
    case encrypt = 0
    case decrypt = 1
    case sign = 2
    case verify = 3
    case wrapKey = 5
    case agreeKey = 6
    case attestKey = 7

    /// As the configuration has it.
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
