import AssayCore
import AssaySigning
import Foundation
import Testing

@testable import AssayResults

@Suite("The keys of results of a daemon")
struct ResultKeyRingTests {
    private static let now = Timestamp(unixMilliseconds: 1_800_000_000_000)
    private static let issuer = ResultIssuer(.devices, address: "https://assay.example.com")

    private func key(_ algorithm: SigningAlgorithm = .p256, _ issuer: ResultIssuer = issuer) throws -> ResultKey {
        try #require(ResultKey(FileSigner(SigningKey.random(algorithm)), issuer: issuer))
    }

    private func published(_ key: ResultKey, signs: Bool) -> PublishedResultKey {
        PublishedResultKey(key.published, publishedAt: Self.now, signsFrom: signs ? Self.now : nil)
    }

    @Test("the key that signs is given to who asks, if the daemon has it")
    func signer() throws {
        let (first, second) = (try key(), try key())
        let ring = ResultKeyRing()
        #expect(throws: ResultProblem.keyUnavailable) { try ring.signer(.devices, at: Self.now) }
        let both = [published(first, signs: true), published(second, signs: false)]
        ring.learn(own: [first, second], published: both, ResultKeyRule())
        #expect(try ring.signer(.devices, at: Self.now).identifier == first.identifier)
        #expect(ring.holds(second.identifier) && ring.issuer(.devices) == Self.issuer)
        // A daemon that was given the next key alone never signs with it before its time.
        ring.learn(own: [second], published: both, ResultKeyRule())
        #expect(throws: ResultProblem.keyUnavailable) { try ring.signer(.devices, at: Self.now) }
        let end = Self.now.adding(milliseconds: ResultKeyRule().lifetime)
        #expect(try ring.signer(.devices, at: end).identifier == second.identifier)
        // One without it signs nothing then.
        ring.learn(own: [first], published: both, ResultKeyRule())
        #expect(throws: ResultProblem.keyUnavailable) { try ring.signer(.devices, at: end) }
    }

    @Test("results of simulated devices want an issuer of their own")
    func simulated() throws {
        let ring = ResultKeyRing()
        let first = try key()
        ring.learn(own: [first], published: [published(first, signs: true)], ResultKeyRule())
        #expect(throws: ResultProblem.simulated) { try ring.signer(.simulatedDevices, at: Self.now) }
        let other = try key(.ed25519, ResultIssuer(.simulatedDevices, address: "https://assay.example.com/simulated"))
        ring.learn(
            own: [first, other], published: [published(first, signs: true), published(other, signs: true)], ResultKeyRule())
        #expect(try ring.signer(.simulatedDevices, at: Self.now).identifier == other.identifier)
        #expect(try ring.signer(.devices, at: Self.now).identifier == first.identifier)
    }

    @Test("the JWK Set has what RFC 7517 asks of each published key, and its certificates")
    func webKeySet() throws {
        let keys = try SigningAlgorithm.allCases.map { try key($0) }
        let set = ResultKeySet(
            keys.map { published($0, signs: $0.identifier == keys.first?.identifier) }, of: .devices, ResultKeyRule())
        let chain: [[UInt8]] = [[0xFF, 0xFE, 0xFD, 0xFC], [1, 2]]
        let text = set.webKeySet(at: Self.now, certificates: [keys[0].identifier: chain])
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: [[String: Any]]])
        let members = try #require(object["keys"])
        #expect(members.count == 3 && object.count == 1)
        for (key, member) in zip(keys, members) {
            let algorithm = key.signer.algorithm
            #expect(member["kid"] as? String == Base64.url.encode(key.identifier))
            #expect(member["alg"] as? String == algorithm.joseName && member["use"] as? String == "sig")
            #expect(
                member["kty"] as? String == (algorithm == .ed25519 ? "OKP" : "EC") && member["crv"] as? String == algorithm.name
            )
            for name in algorithm == .ed25519 ? ["x"] : ["x", "y"] {
                let bytes = try #require((member[name] as? String).flatMap { Base64.url.decode($0) })
                #expect(bytes.count == algorithm.width)
            }
            #expect(member["d"] == nil && (member["y"] == nil) == (algorithm == .ed25519))
        }
        // Standard Base64 (RFC 7517 §4.7), which differs from base64url for these bytes.
        #expect(members[0]["x5c"] as? [String] == ["//79/A==", "AQI="])
        #expect(members[1]["x5c"] == nil)
    }

    @Test("an empty set is a set without keys")
    func emptySet() {
        let text = ResultKeySet([], of: .devices, ResultKeyRule()).webKeySet(at: Self.now)
        #expect(String(decoding: text, as: UTF8.self) == "{\"keys\":[]}")
    }

    @Test("the keys may be kept for an hour, and for no more than half of the time before a key signs")
    func cacheLifetime() {
        var rule = ResultKeyRule()
        #expect(rule.cacheLifetime == 3_600_000)
        rule.publishAhead = 3_600_000
        #expect(rule.cacheLifetime == 1_800_000)
    }
}
