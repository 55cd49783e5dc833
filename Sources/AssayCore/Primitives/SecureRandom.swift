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
    private static let longest = 256

    /// Ends the process if the system has none to give, as the standard library's generator does: nothing is safe then.
    public static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let part = min(longest, count - initialized)
                guard getentropy(buffer.baseAddress.map { $0 + initialized }, part) == 0 else {
                    fatalError("the system gives no random bytes")
                }
                initialized += part
            }
        }
    }
}
