import AndroidKeyAttestation
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon

@Suite("Facts and claims")
struct FactComparisonTests {
    private func differences(_ facts: [String: Any], _ claims: [(String, Claims.Value)]) -> [String] {
        FactComparison.differences(facts, Claims(claims.map { Claims.Claim(name: $0.0, value: $0.1) }))
    }

    @Test("Nested facts, lists of numbers, of objects and of bytes are compared")
    func nested() {
        let facts: [String: Any] = [
            "list": [
                "purposes": [2, 3], "root": ["key_b64": "AQI="], "created": 1_700_000_000_000,
                "packages": [["name": "a", "version": 1], ["name": "b", "version": 2]], "digests_b64": ["AQI="],
            ]
        ]
        let claims: [(String, Claims.Value)] = [
            ("list.purposes", .texts(["3", "2"])), ("list.root.key", .bytes([1, 2])),
            ("list.created", .time(Timestamp(unixMilliseconds: 1_700_000_000_000))),
            ("list.packages.name", .texts(["a", "b"])),
            ("list.packages.version", .texts(["1", "2"])), ("list.digests", .texts(["0102"])),
        ]
        #expect(differences(facts, claims).isEmpty)
        for index in claims.indices {
            var others = claims
            others[index].1 = .texts(["other"])
            #expect(differences(facts, others).count == 1, "\(claims[index].0)")
        }
    }

    @Test("Each fact of an accepted chain is claimed", .enabled(if: SharedVectors.folder != nil))
    func everyFact() throws {
        let folder = try #require(SharedVectors.folder) + "/key-attestation"
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".json") {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            guard let vector = try Vector(data), vector.expectation.accept else { continue }
            let claims = try #require(AndroidKeyAttestationScheme.vectorRunners.first).judge(vector).claims
            for fact in FactComparison.flat(vector.expectation.facts).keys.map(FactComparison.claimName) {
                // Nothing is claimed about a root that was left out.
                if fact == "serial_numbers_hex", claims[fact] == nil { continue }
                #expect(claims[fact] != nil, "\(name): \(fact)")
                count += 1
            }
        }
        #expect(count > 500)
    }
}
