package import AssayCore

extension SecretVault {
    /// The ledger's one secret of a name, made on first use: 32 random bytes. It is never rotated.
    package func kept(_ name: String, in ledger: any SecretStore, at now: Timestamp) async throws -> [UInt8] {
        if let stored = try await ledger.secrets().first(where: { $0.name == name }) { return try unwrap(stored) }
        let fresh = try wrap(SecureRandom.bytes(Self.secretLength))
        // If another process was faster, its secret is used.
        return try unwrap(try await ledger.add(WrappedSecret(name: name, number: 0, wrapped: fresh, createdAt: now)))
    }
}
