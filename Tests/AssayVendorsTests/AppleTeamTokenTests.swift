import AssayCore
import AssayTesting
import Crypto
import JWTKit
import Testing

@testable import AssayVendors

@Suite("Apple team token")
struct AppleTeamTokenTests {
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        func verify(using algorithm: some JWTAlgorithm) async throws {}
    }

    private let key = P256.Signing.PrivateKey()
    private let clock = FixedClock(Timestamp(unixMilliseconds: 1_750_000_000_999))

    private func token() throws -> AppleTeamToken {
        AppleTeamToken(
            try AppleTeamKey(teamID: "ABCDE12345", keyID: "2X9R4HXF34", pem: key.pemRepresentation), clock: clock)
    }

    @Test("A token names the team, signed by its key with ES256")
    func content() async throws {
        let text = try await token().text()
        let parts = text.split(separator: ".").map(String.init)
        let head = try #require(parts.first.flatMap { Base64.url.decode($0) }).string
        #expect(head.contains(#""alg":"ES256""#))
        #expect(head.contains(#""kid":"2X9R4HXF34""#))
        let payload = try #require(parts.dropFirst().first.flatMap { Base64.url.decode($0) }).string
        #expect(payload.contains(#""iss":"ABCDE12345""#))
        #expect(payload.contains(#""iat":1750000000"#))
        #expect(!payload.contains("1750000000."))
        #expect(parts.last.flatMap { Base64.url.decode($0) }?.count == 64)
        let verifier = await JWTKeyCollection().add(
            ecdsa: try ES256PublicKey(pem: key.publicKey.pemRepresentation), kid: "2X9R4HXF34")
        let claims = try await verifier.verify(text, as: Claims.self)
        #expect(claims.iss == "ABCDE12345")
    }

    @Test("A token is reused for half an hour, and replaced after that, when the clock goes back, or when it was refused")
    func life() async throws {
        let token = try token()
        let first = try await token.text()
        clock.advance(milliseconds: AppleTeamToken.life - 1)
        #expect(try await token.text() == first)
        clock.advance(milliseconds: 1)
        let second = try await token.text()
        #expect(second != first)
        clock.advance(milliseconds: -1000)
        let third = try await token.text()
        #expect(third != second)
        await token.forget()
        #expect(try await token.text() != third)
    }

    @Test(
        "Only a P-256 key is accepted, and the error quotes nothing of the file",
        arguments: ["", "hush", "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----"])
    func badKeys(_ pem: String) throws {
        let problem = #expect(throws: AppleKeyError.self) { try AppleTeamKey(teamID: "A", keyID: "B", pem: pem) }
        #expect(problem?.description.contains("hush") == false)
        #expect(throws: AppleKeyError.self) {
            try AppleTeamKey(teamID: "A", keyID: "B", pem: P384.Signing.PrivateKey().pemRepresentation)
        }
    }

    @Test("Team and key ids have ten characters")
    func ids() {
        #expect(AppleTeamKey.isID("ABCDE12345"))
        for bad in ["", "ABCDE1234", "ABCDE123456", "abcde12345", "ABCDE-2345"] { #expect(!AppleTeamKey.isID(bad)) }
    }
}

extension [UInt8] {
    fileprivate var string: String { String(decoding: self, as: UTF8.self) }
}
