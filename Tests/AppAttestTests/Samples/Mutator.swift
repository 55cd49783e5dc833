/// Reproducible changes to bytes: SplitMix64 from a seed.
struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    func randomBytes(_ count: Int) -> [UInt8] {
        var generator = self
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// A copy with one change: a byte dropped, doubled, inserted, set, exchanged with another, or a range moved, cut out or
    /// repeated.
    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var mutant = bytes
        let (a, b) = (Int.random(in: bytes.indices, using: &self), Int.random(in: bytes.indices, using: &self))
        let stretch = min(a, b)..<min(max(a, b), min(a, b) + 64)
        switch Int.random(in: 0..<8, using: &self) {
        case 0: mutant.remove(at: a)
        case 1: mutant.insert(bytes[a], at: a)
        case 2: mutant.insert(.random(in: .min ... .max, using: &self), at: a)
        case 3: mutant[a] = .random(in: .min ... .max, using: &self)
        case 4: mutant.swapAt(a, b)
        case 5: mutant.removeSubrange(stretch)
        case 6: mutant.insert(contentsOf: bytes[stretch], at: b)
        default: mutant[a] &+= 1
        }
        return mutant
    }
}
