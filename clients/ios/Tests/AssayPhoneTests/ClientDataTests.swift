import Foundation
import Testing

@testable import AssayPhone

@Suite("Client data")
struct ClientDataTests {
    @Test(
        "the tests' SHA-256 gives the digests of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func digests(_ text: String, _ digest: String) {
        #expect(TestSHA256.digest(Data(text.utf8)).map { String(format: "%02x", $0) }.joined() == digest)
    }

    @Test("client data has 93 bytes: assay1, the purpose, the challenge, the payload's hash")
    func layout() {
        let challenge = ScriptedBackend.challenge(7)
        let payloadHash = Data(repeating: 9, count: 32)
        let expected = Data("assay1".utf8) + [2] + Data(repeating: 7, count: 54) + payloadHash
        #expect(ClientData(.assert, challenge, payloadHash: payloadHash).bytes == expected)
        #expect(ClientData(.assert, challenge, payloadHash: payloadHash).bytes.count == 93)
        #expect(ClientData(.register, challenge, payloadHash: payloadHash).bytes[6] == 1)
    }

    @Test("a registration signs the user's name, an upload its payload, each by SHA-256 of the client data")
    func signed() async throws {
        let fixture = Fixture()
        try await fixture.device.upload(Data("photo".utf8), id: "1")
        let attested = try #require(fixture.service.attests.first)
        let asserted = try #require(fixture.service.asserts.first)
        func clientDataHash(_ purpose: UInt8, _ challenge: Challenge, _ payload: String) -> Data {
            TestSHA256.digest(Data("assay1".utf8) + [purpose] + challenge.bytes + TestSHA256.digest(Data(payload.utf8)))
        }
        #expect(attested.hash == clientDataHash(1, ScriptedBackend.challenge(1), "alice"))
        #expect(asserted.hash == clientDataHash(2, ScriptedBackend.challenge(2), "photo"))
        #expect(fixture.backend.registrations.map(\.challenge) == [ScriptedBackend.challenge(1)])
        #expect(fixture.backend.uploads.map(\.signature.challenge) == [ScriptedBackend.challenge(2)])
        #expect(fixture.backend.uploads.map(\.payload) == [Data("photo".utf8)])
        #expect(fixture.backend.uploads.map(\.signature.keyID) == fixture.backend.registrations.map(\.keyID))
    }

    @Test("a challenge of other than 54 bytes is none", arguments: [0, 53, 55, 4096])
    func lengths(_ count: Int) {
        #expect(Challenge(bytes: Data(count: count)) == nil)
    }
}
