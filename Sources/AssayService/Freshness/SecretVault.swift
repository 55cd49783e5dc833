package import AssayCore
import Crypto

/// Wraps the ledger's secrets by a key that does not lie in the ledger (AES key wrap, RFC 3394), so that a copy of the
/// ledger alone neither issues challenges nor tells subjects.
package struct SecretVault: Sendable {
    /// The length of secrets and of the wrapping key, in bytes.
    package static let secretLength = 32
    private let key: SymmetricKey

    /// `key` has 32 bytes.
    package init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

    package func wrap(_ secret: [UInt8]) throws(VaultError) -> [UInt8] {
        do {
            return Array(try AES.KeyWrap.wrap(SymmetricKey(data: secret), using: key))
        } catch {
            throw VaultError.cannotWrap
        }
    }

    package func unwrap(_ secret: WrappedSecret) throws(VaultError) -> [UInt8] {
        do {
            return try AES.KeyWrap.unwrap(secret.wrapped, using: key).withUnsafeBytes { Array($0) }
        } catch {
            throw VaultError.wrongKey(secret: secret.name, number: secret.number)
        }
    }
}

package enum VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    case cannotWrap
    case wrongKey(secret: String, number: UInt32)

    package var description: String {
        switch self {
        case .cannotWrap: "a secret could not be wrapped"
        case .wrongKey(let secret, let number):
            "the key file does not open the ledger's secret \(secret) \(number): it belongs to another ledger"
        }
    }
}
