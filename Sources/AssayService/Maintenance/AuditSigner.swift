package import AssayCore
import Crypto

/// Signs heads of the audit chain by a key of the ledger (Ed25519), which lies in it wrapped and is never rotated: heads that
/// were signed years ago are to be verified by the key that the operator wrote down then.
package struct AuditSigner: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// The ledger's key, made on first use.
    package init(ledger: any SecretStore, vault: SecretVault, clock: any WallClock) async throws {
        key = try Curve25519.Signing.PrivateKey(
            rawRepresentation: await vault.kept("audit", in: ledger, at: clock.now()))
    }

    /// 32 bytes.
    package var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    /// - Parameter start: where the log begins; `nil` for a head of version 1, which says nothing of it.
    package func sign(_ chain: AuditChain, from start: AuditChain?, at time: Timestamp) throws -> SignedAuditHead {
        let signature = try key.signature(for: SignedAuditHead.message(chain, from: start, at: time))
        return SignedAuditHead(chain, from: start, at: time, signature: Array(signature))
    }
}
