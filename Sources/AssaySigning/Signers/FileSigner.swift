/// A signer whose private key is in the daemon's memory, read from a file or made there. Signing takes below a millisecond, so it needs no thread of its own.
package struct FileSigner: Signer {
    private let key: SigningKey
    package let publicKey: [UInt8]

    package init(_ key: SigningKey) { (self.key, publicKey) = (key, key.publicKey) }

    package var algorithm: SigningAlgorithm { key.algorithm }
    package var problem: String? { nil }
    package var waits: Bool { false }

    package func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        do throws(SigningKeyError) { return try key.sign(bytes) } catch { throw Self.failure }
    }

    package func signRaw(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        do throws(SigningKeyError) { return try key.signRaw(bytes) } catch { throw Self.failure }
    }

    private static let failure = SigningError("the key cannot sign")
}
