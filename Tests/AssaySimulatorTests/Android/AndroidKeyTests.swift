import AssayCore
import AssaySimulator
import Testing

@Suite("Android keys")
struct AndroidKeyTests {
    private static let schemes: [(TestKey.Kind, KeySignatureAlgorithm, String)] = [
        (.p256, .ecdsaP256SHA256, "ecdsa-p256-sha256"), (.p384, .ecdsaP384SHA384, "ecdsa-p384-sha384"),
        (.p384, .ecdsaP384SHA256, "ecdsa-p384-sha256"), (.rsa2048, .rsaPSSSHA256, "rsa-pss-sha256"),
        (.rsa2048, .rsaPKCS1SHA256, "rsa-pkcs1-sha256"), (.ed25519, .ed25519, "ed25519"),
        (.mlDSA65, .mlDSA65, "ml-dsa-65"), (.mlDSA87, .mlDSA87, "ml-dsa-87"),
    ]

    @Test("Keys of every kind are in their certificates, and sign", arguments: 0..<schemes.count)
    func signing(_ index: Int) throws {
        let (kind, scheme, name) = Self.schemes[index]
        var device = try android()
        let key = try device.makeKey(kind)
        let chain = try key.attest(challenge: [1], at: androidTime)
        #expect(try PlainVerification.links(chain))
        let leaf = try PlainCertificate(chain[0])
        #expect(try leaf.subjectPublicKeyInfo == key.key.subjectPublicKeyInfo)
        let message = Array("an upload".utf8)
        let signature = try key.sign(message, by: scheme)
        #expect(PlainVerification.holds(signature, over: message, by: try leaf.subjectPublicKeyInfo, scheme: name))
        #expect(!PlainVerification.holds(signature, over: message + [0], by: try leaf.subjectPublicKeyInfo, scheme: name))
    }

    @Test("Keys are described in the terms of the key description")
    func descriptions() throws {
        func hardware(_ kind: TestKey.Kind) throws -> [Int: PlainDER] {
            var device = try android()
            return try PlainDescription(leaf: try device.makeKey(kind).attest(challenge: [1], at: androidTime)[0]).hardware
        }
        #expect(try hardware(.p384)[10]?.integer == 2)
        #expect(try hardware(.p384)[3]?.integer == 384)
        #expect(try hardware(.rsa2048)[2]?.integer == 1)
        #expect(try hardware(.rsa2048)[200]?.integer == 65537)
        #expect(try hardware(.ed25519)[10]?.integer == 4)
        #expect(try hardware(.mlDSA65)[2]?.integer == 4)
        #expect(try hardware(.mlDSA65)[3] == nil)
        #expect(try hardware(.mlDSA87)[11]?.integer == 2)
    }

    @Test("A key signs only with the algorithms of its kind")
    func wrongScheme() throws {
        var device = try android()
        let key = try device.makeKey()
        for scheme in KeySignatureAlgorithm.allCases where scheme != .ecdsaP256SHA256 {
            #expect(throws: SimulatorError.invalidKey) { try key.sign([1], by: scheme) }
        }
    }

    @Test("A seed makes the same keys each time")
    func seeds() throws {
        for kind in TestKey.Kind.allCases where kind != .rsa3072 && kind != .rsa4096 {
            var (one, two) = (try android(), try android())
            let (first, second) = (try one.makeKey(kind), try one.makeKey(kind))
            #expect(first.keyID != second.keyID)
            #expect(try two.makeKey(kind).keyID == first.keyID)
        }
        // Pinned: a seed in a fixture must give the same key in every version.
        var device = try android()
        #expect(Hex.encode(try device.makeKey().keyID) == "0cc3fb6845ea5d7fe1295d752e40828888782711787cab0720137357af61948e")
    }

    @Test("A saved key is restored with its device, and attests under the same roots")
    func keeping() throws {
        let authority = AndroidAuthority()
        var device = VirtualAndroid(authority: authority, application: androidApp, level: .strongBox, root: .rsa)
        device.attestationVersion = 300
        device.rootOfTrust = .selfSigned(key: [UInt8](repeating: 3, count: 32))
        device.rootOfTrust.lockedOctet = 1
        device.vendorPatchLevel = nil
        device.identifiers = [.model: "Model: 9", .secondIMEI: "1"]
        device.application.packages.append(.init("com.example.other", version: 9))
        for kind in [TestKey.Kind.p256, .rsa2048, .ed25519, .mlDSA65] {
            let key = try device.makeKey(kind)
            let restored = try AndroidKey(saved: key.saved, authority: try AndroidAuthority(saved: try authority.saved()))
            #expect(restored.saved == key.saved)
            #expect(restored.keyID == key.keyID)
            let (chain, again) = (
                try key.attest(challenge: [1], at: androidTime), try restored.attest(challenge: [1], at: androidTime)
            )
            #expect(try chain.map { try PlainCertificate($0).subject } == again.map { try PlainCertificate($0).subject })
            #expect(
                try chain.map { try PlainCertificate($0).subjectPublicKeyInfo }
                    == again.map { try PlainCertificate($0).subjectPublicKeyInfo })
            #expect(try PlainDescription(leaf: chain[0]).elements == PlainDescription(leaf: again[0]).elements)
        }
        let text = try device.makeKey().saved
        for damaged in ["", text.replacing("level: 2", with: "level: 3"), text.replacing("kind: p256", with: "kind: p257")] {
            #expect(throws: SimulatorError.self) { try AndroidKey(saved: damaged, authority: authority) }
        }
    }
}
