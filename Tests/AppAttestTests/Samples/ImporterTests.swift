import AppAttest
import AssayCore
import AssaySimulator
import Testing

@Suite("Importer of App Attest keys")
struct ImporterTests {
    private func key() -> VirtualKey {
        var phone = Sample.phone()
        return phone.makeKey()
    }

    private func importer(_ identities: [AppAttestIdentity] = [Sample.identity()]) throws -> any DeviceImporter {
        try #require(try Sample.attestationVerifier(identities, policy: AppAttestPolicy(acceptImported: true)).importer)
    }

    private func device(
        _ key: VirtualKey, publicKey: [UInt8]? = nil, keyID: [UInt8] = [], app: String = Sample.appID,
        environment: String = "production"
    ) -> ImportedDevice {
        ImportedDevice(
            format: .appAttestAttestation, publicKey: publicKey ?? key.publicKey, keyID: keyID, platformApp: app,
            environment: environment, counter: 3)
    }

    @Test("An importer exists only if the app accepts imported devices")
    func policy() throws {
        #expect(try Sample.attestationVerifier().importer == nil)
        #expect(try Sample.assertionVerifier(policy: AppAttestPolicy(acceptImported: true)).importer == nil)
    }

    @Test("An import registers the facts of an attestation, as far as they can be known")
    func registration() throws {
        let key = key()
        let attested = try Sample.register(key)
        for keyID in [[], key.keyID] {
            let imported = try importer().registration(of: device(key, keyID: keyID))
            #expect(imported.imported && !imported.simulated && !attested.imported)
            #expect(imported.format == attested.format && imported.keyID == attested.keyID)
            #expect(imported.publicKey == attested.publicKey && imported.environment == attested.environment)
            for claim in imported.claims.all where claim.name != "imported" {
                #expect(attested.claims[claim.name] == claim.value, "\(claim.name)")
            }
            #expect(imported.anchor.isEmpty && imported.chainSerials.isEmpty && imported.receipt.isEmpty)
        }
    }

    @Test("An import refuses what the app's identities would not register")
    func refusals() throws {
        let key = key()
        let importer = try importer()
        let cases: [(ReasonCode, ImportedDevice)] = [
            (.unsupportedKey, device(key, publicKey: [])),
            (.unsupportedKey, device(key, publicKey: [4] + key.keyID + key.keyID)),
            (.unsupportedKey, device(key, publicKey: Array(key.publicKey.dropLast()))),
            (.keyIDMismatch, device(key, keyID: Array(key.keyID.reversed()))), (.keyIDMismatch, device(key, keyID: [1])),
            (.appIDMismatch, device(key, app: Sample.otherAppID)), (.appIDMismatch, device(key, app: "")),
            (.environmentMismatch, device(key, environment: "development")),
            (.environmentMismatch, device(key, environment: "Production")),
            (.environmentMismatch, device(key, environment: "")),
        ]
        for (code, device) in cases {
            let rejection = #expect(throws: Rejection.self) { try importer.registration(of: device) }
            #expect(rejection?.code.builtIn == code)
        }
    }
}
