public import Foundation

/// SHA-256, as a protocol: on Apple's platforms it is CryptoKit's, and the product has no implementation of its own that only
/// tests would run. Tests on Linux bring one, which also remembers what was hashed.
public protocol SHA256Hashing: Sendable {
    /// The 32 bytes of the digest.
    func hash(_ data: Data) -> Data
}
