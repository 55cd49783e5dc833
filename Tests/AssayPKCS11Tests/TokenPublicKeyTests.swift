import AssayCore
import AssayPKCS11
import Crypto
import Testing

@Suite("Public keys of tokens")
struct TokenPublicKeyTests {
    @Test("A point on P-256 or P-384 and its SubjectPublicKeyInfo are one key")
    func forms() throws {
        let small = P256.Signing.PrivateKey().publicKey
        let large = P384.Signing.PrivateKey().publicKey
        for (curve, point, der) in [
            (TokenCurve.p256, Array(small.x963Representation), Array(small.derRepresentation)),
            (.p384, Array(large.x963Representation), Array(large.derRepresentation)),
        ] {
            let key = try #require(TokenPublicKey(curve: curve, point: point))
            #expect(key.der == der && TokenPublicKey(der: der) == key)
            for length in 0..<point.count { #expect(TokenPublicKey(curve: curve, point: Array(point.prefix(length))) == nil) }
            for length in 0..<der.count { #expect(TokenPublicKey(der: Array(der.prefix(length))) == nil) }
            #expect(TokenPublicKey(der: der + [0]) == nil)
            var off = point
            off[off.count - 1] ^= 1
            #expect(TokenPublicKey(curve: curve, point: off) == nil)
        }
        #expect(TokenPublicKey(curve: .p384, point: Array(small.x963Representation)) == nil)
        #expect(TokenPublicKey(der: Array(P521.Signing.PrivateKey().publicKey.derRepresentation)) == nil)
    }

    @Test("The 32 bytes of a key of Ed25519 and the SubjectPublicKeyInfo of RFC 8410 §10.1 are one key")
    func edwards() throws {
        let point = try #require(Hex.decode("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"))
        let der = try #require(Base64.standard.decode("MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="))
        let key = try #require(TokenPublicKey(curve: .ed25519, point: point))
        #expect(key.der == der && TokenPublicKey(der: der) == key && key.point == point)
        for length in 0..<point.count {
            #expect(TokenPublicKey(curve: .ed25519, point: Array(point.prefix(length))) == nil)
        }
        for length in 0..<der.count { #expect(TokenPublicKey(der: Array(der.prefix(length))) == nil) }
        #expect(TokenPublicKey(der: der + [0]) == nil)
        #expect(TokenPublicKey(curve: .p256, point: point) == nil)
    }
}
