import AssayCore
import Crypto
import Testing

@testable import AssayResults

@Suite("JSON Web Keys")
struct JSONWebKeyTests {
    @Test("a key of P-256 has the thumbprint that RFC 9449 §6.1 states")
    func thumbprintOfP256() throws {
        let x = try #require(Base64.url.decode("l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"))
        let y = try #require(Base64.url.decode("9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"))
        let key = try #require(JSONWebKey(.p256, coordinates: x + y))
        #expect(Base64.url.encode(key.thumbprint) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test("a key of Ed25519 has the thumbprint that RFC 8037 A.3 states")
    func thumbprintOfEd25519() throws {
        let x = try #require(Base64.url.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
        let key = try #require(JSONWebKey(.ed25519, coordinates: x))
        #expect(Base64.url.encode(key.thumbprint) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test("a key of each curve is read from its SubjectPublicKeyInfo and written back as the same bytes")
    func subjectPublicKeyInfo() throws {
        let p384 = Array(P384.Signing.PrivateKey().publicKey.derRepresentation)
        let p256 = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        let raw = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let ed25519: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + raw
        for (der, curve) in [(p256, JSONWebKey.Curve.p256), (p384, .p384), (ed25519, .ed25519)] {
            let key = try #require(JSONWebKey(subjectPublicKeyInfo: der))
            #expect(key.curve == curve)
            #expect(key.subjectPublicKeyInfo == der)
        }
    }

    @Test("no key is read from another length or another kind of key")
    func others() {
        let der = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        #expect(JSONWebKey(subjectPublicKeyInfo: Array(der.dropLast())) == nil)
        #expect(JSONWebKey(subjectPublicKeyInfo: der + [0]) == nil)
        #expect(JSONWebKey(subjectPublicKeyInfo: []) == nil)
        #expect(JSONWebKey(subjectPublicKeyInfo: Array(P521.Signing.PrivateKey().publicKey.derRepresentation)) == nil)
        #expect(JSONWebKey(subjectPublicKeyInfo: [0x30, 0x59] + der.dropFirst(2).map { $0 ^ 1 }) == nil)
    }

    @Test("a point of App Attest and its SubjectPublicKeyInfo are one key")
    func registered() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let point = try #require(JSONWebKey(registered: Array(key.x963Representation)))
        #expect(point == JSONWebKey(registered: Array(key.derRepresentation)))
        #expect(point.subjectPublicKeyInfo == Array(key.derRepresentation))
    }
}
