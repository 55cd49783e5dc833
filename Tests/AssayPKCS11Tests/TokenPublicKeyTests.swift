import AssayPKCS11
import Crypto
import Testing

@Suite("Public keys of tokens")
struct TokenPublicKeyTests {
    @Test("A point on P-256 or P-384 and its SubjectPublicKeyInfo are one key")
    func forms() throws {
        let small = P256.Signing.PrivateKey().publicKey
        let large = P384.Signing.PrivateKey().publicKey
        for (curve, x963, der) in [
            (TokenCurve.p256, Array(small.x963Representation), Array(small.derRepresentation)),
            (.p384, Array(large.x963Representation), Array(large.derRepresentation)),
        ] {
            let key = try #require(TokenPublicKey(curve: curve, x963: x963))
            #expect(key.der == der && TokenPublicKey(der: der) == key)
            for length in 0..<x963.count { #expect(TokenPublicKey(curve: curve, x963: Array(x963.prefix(length))) == nil) }
            for length in 0..<der.count { #expect(TokenPublicKey(der: Array(der.prefix(length))) == nil) }
            #expect(TokenPublicKey(der: der + [0]) == nil)
            var off = x963
            off[off.count - 1] ^= 1
            #expect(TokenPublicKey(curve: curve, x963: off) == nil)
        }
        #expect(TokenPublicKey(curve: .p384, x963: Array(small.x963Representation)) == nil)
        #expect(TokenPublicKey(der: Array(P521.Signing.PrivateKey().publicKey.derRepresentation)) == nil)
    }
}
