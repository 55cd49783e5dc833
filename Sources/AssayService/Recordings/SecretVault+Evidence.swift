package import AssayCore
import Crypto

/// Kept evidence, encrypted by AES-GCM under a random key of each recording, which is wrapped as the ledger's secrets are. A recording that is
/// deleted takes its key along.
extension SecretVault {
    /// - Parameter recording: what the evidence belongs to; it opens beside no other recording.
    package func seal(_ evidence: [UInt8], of recording: [UInt8]) throws -> SealedEvidence {
        let key = SecureRandom.bytes(Self.secretLength)
        let box = try AES.GCM.seal(evidence, using: SymmetricKey(data: key), authenticating: recording)
        guard let sealed = box.combined else { throw VaultError.cannotWrap }
        return SealedEvidence(key: try wrap(key), sealed: Array(sealed))
    }

    package func open(_ evidence: SealedEvidence, of recording: [UInt8]) throws -> [UInt8] {
        let wrapped = WrappedSecret(name: "evidence", number: 0, wrapped: evidence.key, createdAt: .distantPast)
        let key = SymmetricKey(data: try unwrap(wrapped))
        return Array(try AES.GCM.open(try AES.GCM.SealedBox(combined: evidence.sealed), using: key, authenticating: recording))
    }
}
