import AssayCore
import Crypto
import Testing

@testable import AssayResults

@Suite("The permutation of a status list")
struct StatusListPermutationTests {
    private static func permutation(_ secret: UInt8, _ list: UInt32 = 0) -> StatusListPermutation {
        StatusListPermutation(secret: SymmetricKey(data: [UInt8](repeating: secret, count: 32)), list: list)
    }

    @Test("each of the 131,072 positions has an index of its own, below 131,072", arguments: [0, 1, UInt32.max])
    func bijection(_ list: UInt32) {
        let permutation = Self.permutation(7, list)
        var isTaken = [Bool](repeating: false, count: Int(ResultStatusPlace.listSize))
        for position in 0..<ResultStatusPlace.listSize {
            let index = Int(permutation.index(of: position))
            #expect(index < isTaken.count && !isTaken[index])
            isTaken[index] = true
        }
    }

    @Test("the same secret and list give the same index in every process")
    func vector() {
        let permutation = Self.permutation(7)
        // Computed apart from this code, by Python's hmac.
        #expect((0..<4).map { permutation.index(of: $0) } == [128_688, 11_333, 11_517, 84_444])
    }

    @Test("another secret, and another list of one secret, share no more than chance does")
    func keys() {
        for other in [Self.permutation(8), Self.permutation(7, 1)] {
            let permutation = Self.permutation(7)
            let same = (0..<ResultStatusPlace.listSize).count { permutation.index(of: $0) == other.index(of: $0) }
            // 1 is expected.
            #expect(same < 12)
        }
    }

    @Test("positions given out one after the other lie as far apart as any two")
    func neighbours() {
        let permutation = Self.permutation(7)
        let size = Int(ResultStatusPlace.listSize)
        let indexes = (0..<ResultStatusPlace.listSize).map { Int(permutation.index(of: $0)) }
        let distances = zip(indexes, indexes.dropFirst()).map { abs($0 - $1) }
        // Of two independent places the distance is a third of the size on average, and below a hundredth in one of fifty.
        let mean = distances.reduce(0, +) / distances.count
        #expect((size / 3 - size / 50...size / 3 + size / 50).contains(mean))
        let near = distances.count { $0 < size / 100 }
        #expect((size / 60...size / 42).contains(near))
        // As many go up as down.
        let rising = zip(indexes, indexes.dropFirst()).count { $0 < $1 }
        #expect((size / 2 - size / 100...size / 2 + size / 100).contains(rising))
    }

    @Test("every bit of an index depends on every bit of the position")
    func avalanche() {
        let permutation = Self.permutation(7)
        for bit in 0..<17 as Range<UInt32> {
            var flips = [Int](repeating: 0, count: 17)
            for position in 0..<4096 as Range<UInt32> {
                let change = permutation.index(of: position &* 31) ^ permutation.index(of: (position &* 31) ^ (1 << bit))
                for output in 0..<17 where change >> output & 1 == 1 { flips[output] += 1 }
            }
            // Half of 4096 is expected, with a deviation of 32.
            #expect(flips.allSatisfy { (1850...2250).contains($0) })
        }
    }
}
