import AssayCore
import AssaySimulator
import Testing

@Suite("Seeds and saved forms")
struct KeepingTests {
    @Test("A seed always gives the same keys")
    func seeds() {
        let (one, two) = (TestAuthority(seed: "demo"), TestAuthority(seed: "demo"))
        #expect(one.rootKey.scalar == two.rootKey.scalar)
        #expect(one.intermediateKey.scalar == two.intermediateKey.scalar)
        #expect(one.rootKey.scalar != TestAuthority(seed: "other").rootKey.scalar)
        #expect(one.rootKey.scalar != one.intermediateKey.scalar)

        var (phone, same) = (
            VirtualPhone(authority: one, appID: testAppID, seed: "phone"),
            VirtualPhone(authority: two, appID: testAppID, seed: "phone")
        )
        let (first, second) = (phone.makeKey(), phone.makeKey())
        #expect(first.keyID != second.keyID)
        #expect(first.keyID == same.makeKey().keyID)
        #expect(second.keyID == same.makeKey().keyID)
        // Pinned: a seed in a fixture must give the same key in every version.
        #expect(Hex.encode(first.keyID) == "8c0ccc84f03e6710562afeff286db19a83f9d30198d6f58dddbe48540b9a28b3")
    }

    @Test("Without a seed everything is random")
    func random() {
        let authority = TestAuthority()
        #expect(authority.rootKey.scalar != TestAuthority().rootKey.scalar)
        var phone = VirtualPhone(authority: authority, appID: testAppID)
        #expect(phone.makeKey().keyID != phone.makeKey().keyID)
    }

    @Test("A saved authority is restored byte for byte")
    func authority() throws {
        let authority = TestAuthority()
        let restored = try TestAuthority(saved: authority.saved)
        #expect(restored.rootCertificate == authority.rootCertificate)
        #expect(restored.intermediateCertificate == authority.intermediateCertificate)
        #expect(restored.rootPEM == authority.rootPEM)
        #expect(restored.saved == authority.saved)
        #expect(authority.rootPEM.hasPrefix("-----BEGIN CERTIFICATE-----\nMII"))
        #expect(authority.rootPEM.split(separator: "\n").dropFirst().allSatisfy { $0.utf8.count <= 64 })
    }

    @Test("A saved key is restored with its counter and its phone", arguments: [nil, "seed"])
    func key(_ seed: String?) throws {
        let authority = TestAuthority(seed: "keeping")
        var phone = VirtualPhone(
            authority: authority, appID: testAppID, environment: .development, platform: .macOS, osVersion: "27.1", seed: seed)
        phone.bundleVersion = "3.1: beta"
        phone.validationCategory = 9
        var key = phone.makeKey()
        _ = try key.assert(clientDataHash: clientDataHash)
        var restored = try VirtualKey(saved: key.saved, authority: authority)
        #expect(restored.keyID == key.keyID)
        #expect(restored.counter == 1)
        #expect(restored.saved == key.saved)
        #expect(restored.phone.bundleVersion == "3.1: beta")
        _ = try restored.assert(clientDataHash: clientDataHash)
        #expect(restored.counter == 2)

        var restoredPhone = try VirtualPhone(saved: phone.saved, authority: authority)
        #expect(restoredPhone.saved == phone.saved)
        #expect((restoredPhone.makeKey().keyID == phone.makeKey().keyID) == (seed != nil))
    }

    @Test("Text that is not a saved form is refused")
    func damage() throws {
        let authority = TestAuthority(seed: "keeping")
        var phone = VirtualPhone(authority: authority, appID: testAppID)
        let text = phone.makeKey().saved
        for damaged in [
            "", "assay virtual key 2\n", text.replacing("counter: 0", with: "counter: 4294967296"),
            text.replacing("key: ", with: "key: zz"), text.replacing("production", with: "sandbox"),
            text.replacing("counter: 0", with: "counter"), text.replacing("os-version", with: "version"),
        ] {
            #expect(throws: SimulatorError.self) { try VirtualKey(saved: damaged, authority: authority) }
        }
        #expect(throws: SimulatorError.self) { try TestAuthority(saved: text) }
        #expect(throws: SimulatorError.invalidKey) { try TestSigningKey(.p256, scalar: [1, 2, 3]) }
    }
}
