import Crypto
import Testing

@testable import AssayCore

@Suite("Prepared MAC")
struct PreparedMACTests {
    @Test("The prepared MAC equals the library's HMAC for keys and inputs of every length around a block")
    func agrees() {
        for keyLength in [0, 1, 31, 32, 63, 64, 65, 130] {
            let key = (0..<keyLength).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ keyLength) }
            for prefixLength in [0, 18, 63, 64, 65] {
                let prefix = [UInt8](repeating: 0x5A, count: prefixLength)
                let mac = PreparedMAC(key: key, prefix: prefix)
                for inputLength in [0, 1, 55, 56, 64, 200] {
                    let input = (0..<inputLength).map { UInt8(truncatingIfNeeded: $0) }
                    let expected = HMAC<SHA256>.authenticationCode(for: prefix + input, using: SymmetricKey(data: key))
                    #expect(mac.tag(over: input) == Array(expected))
                    #expect(mac.tag(over: input) == Array(expected), "a tag changes nothing in the prepared state")
                }
            }
        }
    }
}
