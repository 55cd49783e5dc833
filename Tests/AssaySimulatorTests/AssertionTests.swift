import AssayCore
import AssaySimulator
import Crypto
import Foundation
import Testing

@Suite("Assertions")
struct AssertionTests {
    private func key(os: String = "18.5") -> VirtualKey {
        var phone = VirtualPhone(
            authority: TestAuthority(seed: "assertions"), appID: testAppID, environment: .production, osVersion: os, seed: "s")
        return phone.makeKey()
    }

    /// Signature and authenticator data of an assertion.
    private func parts(_ bytes: [UInt8]) throws -> (signature: [UInt8], data: [UInt8]) {
        let object = try PlainCBOR.read(bytes)
        #expect(object.keys == [.text("signature"), .text("authenticatorData")])
        return (
            try #require(object["signature"]?.bytesValue), try #require(object["authenticatorData"]?.bytesValue)
        )
    }

    /// Verifies as a relying party does: the nonce is a message, which is hashed once more.
    private func verifies(_ signature: [UInt8], _ data: [UInt8], by key: VirtualKey, prehashed: Bool = false) throws -> Bool {
        let digest = SHA256.hash(data: data + clientDataHash)
        let publicKey = try P256.Signing.PublicKey(x963Representation: key.publicKey)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: signature)
        return prehashed
            ? publicKey.isValidSignature(signature, for: digest) : publicKey.isValidSignature(signature, for: Data(digest))
    }

    @Test("An assertion has 37 bytes of authenticator data, AT set, and the next counter")
    func layout() throws {
        var key = key()
        for counter: UInt8 in 1...3 {
            let bytes = try key.assert(clientDataHash: clientDataHash)
            let (signature, data) = try parts(bytes)
            #expect(bytes.starts(with: [0xA2, 0x69] + Array("signature".utf8) + [0x58]))
            #expect(data == AuthenticatorDataDraft.rpIDHash(appID: testAppID) + [0x40, 0, 0, 0, counter])
            #expect(try verifies(signature, data, by: key))
            #expect(try !verifies(signature, data, by: key, prehashed: true))
            #expect((130...142).contains(bytes.count))
        }
        #expect(key.counter == 3)
    }

    @Test("Since OS 27 an assertion has the extensions map after byte 37")
    func extensions() throws {
        var key = key(os: "27.1")
        let (signature, data) = try parts(try key.assert(clientDataHash: clientDataHash))
        #expect(data.count == 37 + 62)
        #expect(data[32] == 0x40)
        #expect(data[37] == 0xA2)
        #expect(try verifies(signature, data, by: key))
    }

    @Test("An assertion can be signed over the single hash, as a mistake")
    func singleHash() throws {
        var key = key()
        let (signature, data) = try parts(
            try key.assert(clientDataHash: clientDataHash, changes: .genuine.hashing(.single)))
        #expect(try !verifies(signature, data, by: key))
        #expect(try verifies(signature, data, by: key, prehashed: true))
    }

    @Test("An assertion can have either value of s, both valid")
    func mirroredSignatures() throws {
        var key = key()
        let (high, highData) = try parts(
            try key.assert(clientDataHash: clientDataHash, changes: .genuine.signature { $0.highS.der }))
        let (low, lowData) = try parts(
            try key.assert(clientDataHash: clientDataHash, changes: .genuine.signature { $0.lowS.der }))
        #expect(try verifies(high, highData, by: key))
        #expect(try verifies(low, lowData, by: key))
        #expect(try P256.Signing.ECDSASignature(derRepresentation: high).rawRepresentation[32] >= 0x7F)
        #expect(try P256.Signing.ECDSASignature(derRepresentation: low).rawRepresentation[32] <= 0x7F)
    }

    @Test("An assertion can have a signature that is not DER")
    func signatureForms() throws {
        var key = key()
        func signature(_ write: @escaping @Sendable (SignatureDraft) -> [UInt8]) throws -> [UInt8] {
            try parts(try key.assert(clientDataHash: clientDataHash, changes: .genuine.signature(write))).signature
        }
        #expect(try signature { $0.raw }.count == 64)
        #expect(try signature { $0.der(leadingZeros: 1) }.count == 72 + 2)
        #expect(try signature { $0.derWithoutSignOctets }.count == 70)
        #expect(try signature { $0.der + [0] }.last == 0)
        #expect(try signature { SignatureDraft(r: [], s: $0.s).der }.starts(with: [2, 1, 0]) == false)
    }

    @Test("A changed counter does not affect the key's own counter")
    func counter() throws {
        var key = key()
        let (_, changed) = try parts(
            try key.assert(clientDataHash: clientDataHash, changes: .genuine.counter(0xFFFF_FFFF)))
        #expect(changed.suffix(4) == [0xFF, 0xFF, 0xFF, 0xFF])
        let (_, next) = try parts(try key.assert(clientDataHash: clientDataHash))
        #expect(next.suffix(4) == [0, 0, 0, 2])
        key.counter = .max
        #expect(throws: SimulatorError.counterExhausted) { try key.assert(clientDataHash: clientDataHash) }
    }
}
