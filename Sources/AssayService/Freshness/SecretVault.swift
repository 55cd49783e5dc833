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

extension SecretVault {
    /// The ledger's one secret of a name, made on first use: 32 random bytes. It is never rotated.
    package func kept(_ name: String, in ledger: any SecretStore, at now: Timestamp) async throws -> [UInt8] {
        if let stored = try await ledger.secrets().first(where: { $0.name == name }) { return try unwrap(stored) }
        let fresh = try wrap(SecureRandom.bytes(Self.secretLength))
        // If another process was faster, its secret is used.
        return try unwrap(try await ledger.add(WrappedSecret(name: name, number: 0, wrapped: fresh, createdAt: now)))
    }
}

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

    /// A value of a kind that is not a subject, for those who compare verdicts and must not learn it: 32 bytes; empty for no value.
    func hash(_ value: [UInt8], of kind: ObservedKind, app: AppID) -> [UInt8] {
        guard !value.isEmpty else { return [] }
        var fields = FieldDigest(kind.rawValue)
        fields.append(app.text)
        fields.append(value)
        return Array(HMAC<SHA256>.authenticationCode(for: fields.finalize(), using: key))
    }

    /// Kinds of values, each with the tag of its hashes.
    enum ObservedKind: String { case address = "assay.observed.address.v1", key = "assay.observed.key.v1" }
}
