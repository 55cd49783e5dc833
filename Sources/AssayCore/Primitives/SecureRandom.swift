/// Random bytes from the system's cryptographically secure generator.
public enum SecureRandom {
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for index in 0..<count {
                if index % 8 == 0 { word = generator.next() }
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
            initialized = count
        }
    }
}
