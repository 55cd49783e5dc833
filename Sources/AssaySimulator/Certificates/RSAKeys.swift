import CryptoExtras
import Synchronization

/// Makes RSA keys, which takes a while, and keeps those that have a name: a test suite needs few, and many times.
enum RSAKeys {
    private static let made = Mutex<[String: _RSA.Signing.PrivateKey]>([:])

    static func make(bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        do { return try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)) } catch { throw .invalidKey }
    }

    /// The key of that name and size; made when it is first asked for.
    static func named(_ name: String, bits: Int) throws(SimulatorError) -> _RSA.Signing.PrivateKey {
        let name = "\(bits)\n\(name)"
        // Held while the key is made, so that two who ask at once get the same one.
        return try made.withLock { made throws(SimulatorError) in
            if let key = made[name] { return key }
            let key = try make(bits: bits)
            made[name] = key
            return key
        }
    }
}
