import AssayCore
package import Crypto

/// Which index of a published list stands for which position, so that an index does not tell when its place was given out, or beside which
/// other.
///
/// A Feistel network over the 17 bits of a position: the upper 9 and the lower 8 are changed in turn, each by a function of the other half. The functions
/// are HMAC-SHA256 under a secret of the ledger, over the list's number and the round. They are tables, made once, since a list has 131,072 positions.
package struct StatusListPermutation: Sendable {
    /// As many as FF1 has (NIST SP 800-38G), whose halves are as short.
    private static let rounds: UInt8 = 10
    private static let lowBits: UInt32 = 8
    private static let highBits: UInt32 = 9

    /// For each round what the changed half is combined with, by the other half.
    private let functions: [[UInt16]]

    /// Computes 240 HMACs.
    ///
    /// - Parameter secret: of the ledger, the same for all daemons on it.
    package init(secret: SymmetricKey, list: UInt32) {
        functions = (0..<Self.rounds).map { round in
            let changesHigh = round.isMultiple(of: 2)
            let (from, to) = changesHigh ? (Self.lowBits, Self.highBits) : (Self.highBits, Self.lowBits)
            return Self.function(of: round, list, secret, inputs: 1 << from, mask: 1 << to - 1)
        }
    }

    /// Sixteen values from each HMAC.
    private static func function(
        of round: UInt8, _ list: UInt32, _ secret: SymmetricKey, inputs: Int, mask: UInt16
    ) -> [UInt16] {
        let head = Array("assay.status-list.v1".utf8) + (0..<4).reversed().map { UInt8(truncatingIfNeeded: list >> (8 * $0)) }
        return (0..<UInt8(inputs / 16)).flatMap { block in
            let bytes = Array(HMAC<SHA256>.authenticationCode(for: head + [round, block], using: secret))
            return stride(from: 0, to: bytes.count, by: 2).map { (UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])) & mask }
        }
    }

    /// The index of a position, which is below `ResultStatusPlace.listSize`, as the index is.
    package func index(of position: UInt32) -> UInt32 {
        var (high, low) = (Int(position >> Self.lowBits), Int(position & (1 << Self.lowBits - 1)))
        for (round, function) in functions.enumerated() {
            if round.isMultiple(of: 2) { high ^= Int(function[low]) } else { low ^= Int(function[high]) }
        }
        return UInt32(high) << Self.lowBits | UInt32(low)
    }
}
