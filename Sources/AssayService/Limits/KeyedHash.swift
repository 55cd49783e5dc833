import Crypto

/// A 128-bit hash by secret keys: two of SipHash-2-4 (Aumasson and Bernstein, 2012). It allocates nothing and takes some tens of
/// nanoseconds, so that it can name buckets on the path of every request; without the keys a hash tells nothing of what was hashed.
struct KeyedHash: Sendable {
    /// The result.
    struct Value: Hashable, Sendable {
        var first: UInt64
        var second: UInt64
    }

    private let keys: (SIMD2<UInt64>, SIMD2<UInt64>)

    /// - Parameter secret: the keys are derived from it.
    init(secret: [UInt8]) {
        let key = SymmetricKey(data: secret)
        func derive(_ label: String) -> SIMD2<UInt64> {
            let code = HMAC<SHA256>.authenticationCode(for: Array(label.utf8), using: key)
            return code.withUnsafeBytes { bytes in
                SIMD2(
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
            }
        }
        keys = (derive("assay.rates.first.v1"), derive("assay.rates.second.v1"))
    }

    /// Of four words. Their meaning is the caller's, who puts what tells kinds apart into the first.
    func of(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) -> Value {
        func half(_ key: SIMD2<UInt64>) -> UInt64 {
            var state = SipHash(key)
            state.add(a)
            state.add(b)
            state.add(c)
            state.add(d)
            return state.finish(32 << 56)
        }
        return Value(first: half(keys.0), second: half(keys.1))
    }

    /// Of a text, after a word that tells what it is.
    func of(_ kind: UInt64, _ text: String) -> Value {
        func half(_ key: SIMD2<UInt64>) -> UInt64 {
            var (state, word, count) = (SipHash(key), UInt64(0), 0)
            state.add(kind)
            for byte in text.utf8 {
                word |= UInt64(byte) << UInt64(8 * (count % 8))
                count += 1
                guard count % 8 == 0 else { continue }
                state.add(word)
                word = 0
            }
            return state.finish(word | UInt64(truncatingIfNeeded: count + 8) << 56)
        }
        return Value(first: half(keys.0), second: half(keys.1))
    }
}

/// SipHash-2-4 over words of eight bytes, little-endian.
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: SIMD2<UInt64>) {
        v0 = key.x ^ 0x736f_6d65_7073_6575
        v1 = key.y ^ 0x646f_7261_6e64_6f6d
        v2 = key.x ^ 0x6c79_6765_6e65_7261
        v3 = key.y ^ 0x7465_6462_7974_6573
    }

    mutating func add(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    /// - Parameter last: the bytes after the last whole word, and the length of the input modulo 256 in the highest byte.
    consuming func finish(_ last: UInt64) -> UInt64 {
        add(last)
        v2 ^= 0xFF
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
        func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }
}
