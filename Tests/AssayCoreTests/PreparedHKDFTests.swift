import Crypto
import Testing

@testable import AssayCore

@Suite("Prepared HKDF")
struct PreparedHKDFTests {
    @Test("The prepared HKDF equals the library's for material and info of every length around a block")
    func agrees() {
        for materialLength in [0, 1, 31, 32, 33, 63, 64, 65, 200] {
            let material = (0..<materialLength).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ materialLength) }
            let prepared = PreparedHKDF(material: material)
            for infoLength in 0...130 {
                let info = (0..<infoLength).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ infoLength) }
                let expected = HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: material), info: info, outputByteCount: 32)
                #expect(SymmetricKey(data: prepared.key(info)) == expected)
                #expect(SymmetricKey(data: prepared.key(info)) == expected, "a key changes nothing in the prepared state")
            }
        }
    }

    @Test("The keys of RFC 5869, appendix A.3, which has no salt")
    func vector() {
        // The first 32 of its 42 bytes.
        let prepared = PreparedHKDF(material: [UInt8](repeating: 0x0B, count: 22))
        #expect(
            Hex.encode(Array(prepared.key([])))
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    }
}
