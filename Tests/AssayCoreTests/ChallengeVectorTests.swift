import AssayCore
import Foundation
import Testing

/// A vector of `docs/vectors/challenge-v1.json`.
struct ChallengeVector: Decodable, CustomTestStringConvertible {
    let id: String
    let secretHex: String
    let keyId: UInt32
    let app: String
    let purpose: String
    let contextHex: String
    let expiryUnixMs: Int64
    let randomHex: String
    let challengeHex: String

    var testDescription: String { id }
}

/// A vector of `docs/vectors/client-data-v1.json`.
struct ClientDataVector: Decodable, CustomTestStringConvertible {
    let id: String
    let purpose: String
    let challengeHex: String
    let payloadHex: String?
    let clientDataHex: String
    let sha256Hex: String

    var testDescription: String { id }
}

private struct VectorFile<Vector: Decodable>: Decodable {
    let vectors: [Vector]
}

/// The repository's `docs` folder.
let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs")

private func vectors<Vector: Decodable>(_ name: String) throws -> [Vector] {
    let data = try Data(contentsOf: docs.appending(path: "vectors").appending(path: name))
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let vectors = try decoder.decode(VectorFile<Vector>.self, from: data).vectors
    try #require(!vectors.isEmpty)
    return vectors
}

@Suite("Challenge vectors")
struct ChallengeVectorTests {
    @Test("Issuing gives the bytes of the vectors, and the keyring accepts them")
    func challenges() throws {
        for vector in try vectors("challenge-v1.json") as [ChallengeVector] {
            let app = try #require(AppID(vector.app), "\(vector.id)")
            let purpose = try #require(Purpose.allCases.first { $0.name == vector.purpose }, "\(vector.id)")
            let context = try #require(Hex.decode(vector.contextHex))
            let expiry = Timestamp(unixMilliseconds: vector.expiryUnixMs)
            let key = ChallengeKey(
                id: vector.keyId, secret: try #require(Hex.decode(vector.secretHex)), createdAt: .distantPast)
            let random = try #require(Hex.decode(vector.randomHex))
            let issued = key.issue(app: app, purpose: purpose, context: context, expiry: expiry, random: random)
            #expect(Hex.encode(issued) == vector.challengeHex, "\(vector.id)")

            let challenge = try Challenge(parsing: issued)
            #expect(challenge.purpose == purpose)
            #expect(challenge.keyID == vector.keyId)
            #expect(challenge.expiry == expiry)
            #expect(challenge.nonce == random)
            try ChallengeKeyring(keys: [key]).open(
                challenge, app: app, purpose: purpose, context: context, now: expiry.adding(milliseconds: -1))
        }
    }

    @Test("Client data and its hash are those of the vectors")
    func clientData() throws {
        for vector in try vectors("client-data-v1.json") as [ClientDataVector] {
            let purpose = try #require(Purpose.allCases.first { $0.name == vector.purpose }, "\(vector.id)")
            let challenge = try #require(Hex.decode(vector.challengeHex))
            let payload = try vector.payloadHex.map { try #require(Hex.decode($0)) }
            let data = try #require(
                payload.map { ClientData(purpose: purpose, challenge: challenge, payload: $0) }
                    ?? ClientData(purpose: purpose, challenge: challenge), "\(vector.id)")
            #expect(data.bytes.count == ClientData.length)
            #expect(Hex.encode(data.bytes) == vector.clientDataHex, "\(vector.id)")
            #expect(Hex.encode(data.hash) == vector.sha256Hex, "\(vector.id)")
        }
    }

    @Test("Client data of other lengths cannot be made")
    func clientDataLengths() {
        let challenge = [UInt8](repeating: 1, count: Challenge.length)
        #expect(ClientData(purpose: .assert, challenge: challenge.dropLast()) == nil)
        #expect(ClientData(purpose: .assert, challenge: challenge + [0]) == nil)
        #expect(ClientData(purpose: .assert, challenge: challenge, payloadHash: []) == nil)
        #expect(ClientData(purpose: .assert, challenge: challenge, payloadHash: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(
            ClientData(purpose: .assert, challenge: challenge, payloadHash: [UInt8](repeating: 0, count: 32)) == nil,
            "32 zero bytes say that nothing is bound")
    }
}
