import AppAttest
import AssayCore
import AssaySimulator
import Crypto
import Testing

/// The mistakes that apps make with the hash that they pass to App Attest.
@Suite("Slips with the client data hash")
struct SlipTests {
    static let clientData = Array("app data ?>?>".utf8) + [0xFB, 0xFF]
    private static let hash = SHA256.bytes(of: clientData)

    /// What the app passes, and what it did.
    static let slips: [(passed: [UInt8], words: String)] = [
        (digest(Base64.standard.encode(clientData)), "the app hashed the Base64 text of the client data"),
        (digest(Base64.url.encode(clientData)), "the app hashed the base64url text of the client data"),
        (digest(Hex.encode(clientData)), "the app hashed the hexadecimal text of the client data"),
        (clientData, "the app passed the client data without hashing it"),
        (SHA256.bytes(of: hash), "the app hashed the client data twice"),
    ]
    static let rareSlips: [(passed: [UInt8], words: String)] = [
        (digest(Hex.encode(clientData).uppercased()), "the app hashed the hexadecimal text of the client data, in capitals"),
        (Array(Hex.encode(hash).utf8), "the app passed the hexadecimal text of the hash of the client data"),
        (digest(Base64.standard.encode(hash)), "the app hashed the Base64 text of the hash of the client data"),
        (SHA256.bytes(of: clientData + [10]), "the app hashed the client data with a line feed after it"),
        (SHA256.bytes(of: []), "the app hashed nothing"),
    ]

    private static func digest(_ text: String) -> [UInt8] { SHA256.bytes(of: Array(text.utf8)) }

    private func attest(_ passed: [UInt8], changes: AttestationChanges = .genuine, binding: Binding) throws -> String {
        var phone = Sample.phone()
        let key = phone.makeKey()
        let evidence = Evidence(
            format: .appAttestAttestation, keyID: key.keyID,
            body: try key.attest(clientDataHash: passed, at: Sample.now, changes: changes))
        let failure = try #require(
            try Sample.attestationVerifier().appraise(evidence, in: AppraisalContext(binding: binding, now: Sample.now)).failure
        )
        #expect(failure.code == "nonce_mismatch" && failure.check == "nonce")
        return failure.detail
    }

    @Test("An attestation over another hash names the slip, and the hash in its receipt", arguments: slips + rareSlips)
    func attestations(_ passed: [UInt8], _ words: String) throws {
        let detail = try attest(passed, binding: Binding(embedded: Self.clientData))
        #expect(detail.contains(": \(words); by its receipt the app passed"), "\(detail)")
        #expect(detail.contains(Hex.short(passed)))
    }

    @Test("An attestation over Assay's client data names what the app took in their place")
    func ownClientData() throws {
        let challenge = [UInt8](repeating: 0xFB, count: Challenge.length)
        let data = try #require(ClientData(purpose: .register, challenge: challenge, payload: [1]))
        let bare = try #require(ClientData(purpose: .register, challenge: challenge))
        let other = try #require(ClientData(purpose: .assert, challenge: challenge, payload: [1]))
        for (passed, words) in [
            (SHA256.bytes(of: challenge), "the app hashed the challenge alone"),
            (challenge, "the app passed the challenge alone, without hashing it"),
            (Self.digest(Base64.url.encode(challenge)), "the app hashed the base64url text of the challenge alone"),
            (bare.hash, "the app hashed client data that bind no payload"),
            (other.hash, "the app hashed client data of the purpose assert"),
        ] {
            for binding in [Binding(data), Binding(embedded: data.bytes)] {
                let detail = try attest(passed, binding: binding)
                #expect(detail.contains(words), "\(detail)")
            }
        }
    }

    @Test("Of a hash that the caller states, its texts and its own hash are recognised")
    func callersHash() throws {
        for (passed, words) in [
            (SHA256.bytes(of: Self.hash), "the app hashed the expected hash once more"),
            (Array(Base64.standard.encode(Self.hash).utf8), "the app passed the Base64 text of the expected hash"),
        ] {
            #expect(try attest(passed, binding: Binding(callerOwned: Self.hash)).contains(words))
        }
    }

    @Test("Without a slip the receipt's hash is named, and a changed authenticator data is told from another hash")
    func receipts() throws {
        let binding = Binding(embedded: Self.clientData)
        let other = [UInt8](repeating: 9, count: 32)
        #expect(try attest(other, binding: binding).hasSuffix("; by its receipt the app passed the hash \(Hex.short(other))"))
        #expect(
            try attest(Self.hash, changes: .genuine.sentAuthenticatorBytes { $0[32] ^= 0x80 }, binding: binding)
                .hasSuffix("; by its receipt the app passed the expected hash: the authenticator data is another one"))
    }

    @Test("An assertion over another hash names the slip", arguments: slips)
    func assertions(_ passed: [UInt8], _ words: String) throws {
        var phone = Sample.phone()
        var key = phone.makeKey()
        let device = try Sample.device(try Sample.register(key))
        let evidence = Evidence(
            format: .appAttestAssertion, keyID: key.keyID, body: try key.assert(clientDataHash: passed, changes: .genuine))
        let failure = try #require(
            try Sample.assertionVerifier().appraise(
                evidence,
                in: AppraisalContext(
                    binding: Binding(embedded: Self.clientData), facts: Facts(device: device), now: Sample.now)
            ).failure)
        #expect(failure.code == "bad_signature" && failure.detail.hasSuffix(": \(words)"), "\(failure.detail)")
    }
}
