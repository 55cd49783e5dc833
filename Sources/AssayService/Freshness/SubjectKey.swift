package import AssayCore
import Crypto

/// Hashes subjects by a key of the ledger, so that records can be tied together without telling who they belong to.
package struct SubjectKey: Sendable {
    private let key: SymmetricKey

    /// The ledger's key, made on first use. It is never rotated: a subject must keep its hash.
    package init(ledger: any SecretStore, vault: SecretVault, clock: any WallClock) async throws {
        key = SymmetricKey(data: try await vault.kept("subject", in: ledger, at: clock.now()))
    }

    /// 32 bytes; `nil` for no subject. The app is part of it: two apps cannot compare their subjects.
    package func hash(_ subject: [UInt8], app: AppID) -> [UInt8]? {
        guard !subject.isEmpty else { return nil }
        var fields = FieldDigest("assay.subject.v1")
        fields.append(app.text)
        fields.append(subject)
        return Array(HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: key))
    }
}
