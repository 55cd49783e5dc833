package import AssayCore
import Crypto

/// Hashes subjects by a key of the ledger, so that records can be tied together without telling who they belong to.
package struct SubjectKey: Sendable {
    private let key: SymmetricKey

    /// The ledger's key, made on first use. It is never rotated: a subject must keep its hash.
    package init(ledger: any Ledger, vault: SecretVault, clock: any WallClock) async throws {
        let name = "subject"
        if let stored = try await ledger.secrets().first(where: { $0.name == name }) {
            key = SymmetricKey(data: try vault.unwrap(stored))
            return
        }
        let fresh = try vault.wrap(SecureRandom.bytes(SecretVault.secretLength))
        let stored = try await ledger.add(WrappedSecret(name: name, number: 0, wrapped: fresh, createdAt: clock.now()))
        key = SymmetricKey(data: try vault.unwrap(stored))
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
