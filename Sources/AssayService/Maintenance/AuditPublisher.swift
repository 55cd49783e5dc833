package import AssayCore
import Crypto
package import Logging
import Synchronization

/// Writes the signed head of the daemon's audit chain into the log: at the start, once an hour, and when the daemon stops. Anyone who
/// collects the log thereby keeps heads where the one who could change the ledger cannot reach them.
package final class AuditPublisher: MaintenanceTask {
    /// In milliseconds.
    package static let period: Int64 = 3_600_000

    private let ledger: any LedgerStatusSource
    private let signer: AuditSigner
    private let clock: any WallClock
    private let logger: Logger
    private let publishedAt = Mutex<Timestamp?>(nil)

    package init(ledger: any LedgerStatusSource, signer: AuditSigner, clock: any WallClock, logger: Logger) {
        self.ledger = ledger
        self.signer = signer
        self.clock = clock
        self.logger = logger
    }

    package func perform() async throws {
        let now = clock.now()
        // A clock that was set back does not silence it.
        let isDue = publishedAt.withLock { $0.map { abs(now.milliseconds(since: $0)) >= Self.period } ?? true }
        if isDue { try await publish(at: now) }
    }

    package func conclude() async throws { try await publish(at: clock.now()) }

    private func publish(at now: Timestamp) async throws {
        let status = try await ledger.status()
        let head = try signer.sign(status.auditEnd, of: status.writer, from: status.auditStart, at: now)
        logger.notice(
            "audit head", metadata: ["head": "\(head)", "public_key": "\(Base64.url.encode(signer.publicKey))"])
        publishedAt.withLock { $0 = now }
    }
}

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

    /// - Parameter start: where the log begins; `nil` for a head of version 1, which says nothing of it and of no writer.
    package func sign(
        _ chain: AuditChain, of writer: AuditWriter = .only, from start: AuditChain?, at time: Timestamp
    ) throws -> SignedAuditHead {
        let signature = try key.signature(for: SignedAuditHead.message(chain, of: writer, from: start, at: time))
        return SignedAuditHead(chain, of: writer, from: start, at: time, signature: Array(signature))
    }
}
