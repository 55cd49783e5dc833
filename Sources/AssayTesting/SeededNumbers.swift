/// SplitMix64: pseudo-random numbers from a seed, so that a test with random input can be repeated.
public struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension SeededNumbers {
    /// The bytes of a text of which up to four were changed, removed or inserted.
    package mutating func mutated(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &self) {
            let index = Int.random(in: 0...bytes.count, using: &self)
            let byte = UInt8.random(in: 0...255, using: &self)
            switch Int.random(in: 0...2, using: &self) {
            case 0 where index < bytes.count: bytes[index] = byte
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes.insert(byte, at: index)
            }
        }
        return bytes
    }
}
