import CryptoExtras
import Synchronization

/// Generates RSA keys, which takes a while, and caches named ones: a test suite needs few, and many times.
enum RSAKeys {
    private static let made = Mutex<[String: _RSA.Signing.PrivateKey]>([:])

    static func make(bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        do { return try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)) } catch { throw .invalidKey }
    }

    /// The key with this name and size; generated at the first call.
    static func named(_ name: String, bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        let name = "\(bits)\n\(name)"
        // Locked while the key is generated, so that simultaneous calls get the same one.
        return try made.withLock { made throws(SimulatorError) in
            if let key = made[name] { return key }
            let key = try make(bits: bits)
            made[name] = key
            return key
        }
    }
}
