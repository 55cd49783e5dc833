/// A private key that signs, in a file or in a token: that of a CA, or of a service that signs its results.
///
/// - `sign` never blocks a thread of the concurrency pool: a signer that waits for a device does so on a thread of its own.
/// - `sign` ends within the signer's own deadline. An answer of the device that comes later is discarded.
/// - Calls may run at the same time.
package protocol Signer: Sendable {
    /// SubjectPublicKeyInfo (DER), with an uncompressed point, or that of Ed25519 (RFC 8410 §4). It never changes.
    var publicKey: [UInt8] { get }
    var algorithm: SigningAlgorithm { get }
    /// Why the key cannot be used now, in a sentence without secrets; `nil` if nothing is known against it.
    var problem: String? { get }
    /// Whether signing waits for a device, so that several signatures should wait together.
    var waits: Bool { get }

    /// Signs bytes: ECDSA over their digest, or Ed25519 over the bytes themselves.
    ///
    /// - Returns: an ECDSA-Sig-Value (DER), or the 64 bytes of Ed25519, that verify under `publicKey`.
    func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8]

    /// Signs as ``sign(_:)`` does.
    ///
    /// - Returns: the signature as JOSE and COSE have it (`SigningAlgorithm.rawSignature`), 64 or 96 bytes.
    func signRaw(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8]
}

extension Signer {
    package var waits: Bool { true }

    package func signRaw(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] {
        guard let raw = algorithm.rawSignature(try await sign(bytes)) else {
            throw SigningError("the key gives signatures that are none of \(algorithm.name)")
        }
        return raw
    }
}
