import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Random bytes from the system's cryptographically secure generator.
public enum SecureRandom {
    /// What one call of the system's gives at most (getentropy(3)).
    fileprivate static let longest = 256

    /// Ends the process if the system has none to give, as the standard library's generator does: nothing is safe then.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8].filled(capacity: count) { buffer, initialized in
            while initialized < count {
                let part = min(longest, count - initialized)
                guard getentropy(buffer.baseAddress.map { $0 + initialized }, part) == 0 else {
                    fatalError("the system gives no random bytes")
                }
                initialized += part
            }
        }
    }

    /// 16 random bytes for a name or a salt, of which each verdict needs some. They are drawn from the system for several at once, since a call of it costs
    /// as much as hashing a kilobyte; what was given is wiped. Keys and secrets come from ``bytes(_:)``.
    public static func identifier() -> [UInt8] { pool.withLock { $0.next() } }

    private static let pool = Mutex(Pool())

    private struct Pool {
        private static let size = 16
        private var bytes: [UInt8] = []
        private var used = SecureRandom.longest

        mutating func next() -> [UInt8] {
            if used == SecureRandom.longest { (bytes, used) = (SecureRandom.bytes(SecureRandom.longest), 0) }
            let range = used..<used + Self.size
            let name = Array(bytes[range])
            for index in range { bytes[index] = 0 }
            used = range.upperBound
            return name
        }
    }
}
