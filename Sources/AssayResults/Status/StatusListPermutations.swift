import Crypto
import Synchronization

/// The permutations of a ledger's lists, each made when it is asked for first.
package final class StatusListPermutations: Sendable {
    /// So many are kept, of about 8 KB each.
    private static let limit = 256

    private let secret: SymmetricKey
    private let made = Mutex<[UInt32: StatusListPermutation]>([:])

    /// - Parameter secret: of the ledger, 32 bytes.
    package init(secret: [UInt8]) { self.secret = SymmetricKey(data: secret) }

    package subscript(list: UInt32) -> StatusListPermutation {
        if let kept = made.withLock({ $0[list] }) { return kept }
        let permutation = StatusListPermutation(secret: secret, list: list)
        made.withLock { made in
            if made.count >= Self.limit { made = [:] }
            made[list] = permutation
        }
        return permutation
    }
}
