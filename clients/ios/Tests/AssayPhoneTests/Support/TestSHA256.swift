import AssayPhone
import Foundation

/// SHA-256 (FIPS 180-4), slow and short. It remembers what was hashed, so that a stand-in for Apple can tell which client data a hash is of.
final class TestSHA256: SHA256Hashing {
    private let seen = Locked<[Data: Data]>([:])

    func hash(_ data: Data) -> Data {
        let digest = Self.digest(data)
        seen.with { $0[digest] = data }
        return digest
    }

    func preimage(of digest: Data) -> Data? { seen.with { $0[digest] } }

    static func digest(_ data: Data) -> Data {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var message = [UInt8](data) + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        append(UInt64(data.count) * 8, bytes: 8, to: &message)
        for block in stride(from: 0, to: message.count, by: 64) { mix(message[block..<block + 64], into: &state) }
        var digest: [UInt8] = []
        for word in state { append(UInt64(word), bytes: 4, to: &digest) }
        return Data(digest)
    }

    private static func append(_ number: UInt64, bytes: Int, to message: inout [UInt8]) {
        for byte in 1...bytes { message.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (bytes - byte)))) }
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words: [UInt32] = []
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            var word: UInt32 = 0
            for byte in block[start..<start + 4] { word = word << 8 | UInt32(byte) }
            words.append(word)
        }
        for index in 16..<64 {
            let two: UInt32 = words[index - 2]
            let fifteen: UInt32 = words[index - 15]
            let low: UInt32 = turned(fifteen, 7) ^ turned(fifteen, 18) ^ (fifteen >> 3)
            let high: UInt32 = turned(two, 17) ^ turned(two, 19) ^ (two >> 10)
            let sum: UInt32 = words[index - 16] &+ low
            words.append(sum &+ words[index - 7] &+ high)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice: UInt32 = (e & f) ^ (~e & g)
            let majority: UInt32 = (a & b) ^ (a & c) ^ (b & c)
            let upper: UInt32 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
            let lower: UInt32 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
            let first: UInt32 = h &+ upper &+ choice
            let added: UInt32 = first &+ constants[index] &+ words[index]
            (h, g, f, e) = (g, f, e, d &+ added)
            (d, c, b, a) = (c, b, a, added &+ lower &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] = state[index] &+ word }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = {
        let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
        return primes.map { prime in
            // The greatest number whose cube is at most prime · 2^96, by bits, in 128-bit arithmetic: its low 32 bits.
            var root: UInt64 = 0
            for bit in (0..<36).reversed() {
                let tried = root | 1 << UInt64(bit)
                if isCube(of: tried, atMost: prime) { root = tried }
            }
            return UInt32(truncatingIfNeeded: root)
        }
    }()

    /// root³ ≤ prime · 2^96, for a root below 2^36.
    private static func isCube(of root: UInt64, atMost prime: Int) -> Bool {
        let square = root.multipliedFullWidth(by: root)
        let low = square.low.multipliedFullWidth(by: root)
        let high = square.high * root
        let (middle, isCarried) = low.high.addingReportingOverflow(high)
        let top = UInt64(isCarried ? 1 : 0)
        // prime · 2^96 is, in words of 64 bits: 0, prime · 2^32, 0.
        let bound = UInt64(prime) << 32
        return top == 0 && (middle < bound || (middle == bound && low.low == 0))
    }
}
