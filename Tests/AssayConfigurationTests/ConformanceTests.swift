import AssayCore
import AssaySimulator
import Crypto
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Conformance", .timeLimit(.minutes(30)))
struct ConformanceTests {
    /// A folder of vectors, made for one test.
    let folder: TemporaryFolder
    let authority = TestAuthority()
    let verifyAt = "2026-01-01T00:00:00Z"

    init() throws { folder = try TemporaryFolder() }

    private func key() -> VirtualKey {
        var phone = VirtualPhone(authority: authority, appID: TestHome.appID)
        return phone.makeKey()
    }

    private func write(
        _ id: String, kind: String, _ input: [String: Any], _ expect: [String: Any], disputed: Bool = false
    ) throws {
        var object: [String: Any] = ["id": id, "kind": kind, "verify_at": verifyAt, "input": input, "expect": expect]
        if disputed { object["disputed"] = true }
        let data = try JSONSerialization.data(withJSONObject: object)
        try folder.write(Array(data), to: id + ".json")
    }

    /// A genuine attestation under the test root.
    private func writeAttestation(_ id: String, _ expect: [String: Any], disputed: Bool = false) throws {
        let key = key()
        let time = try #require(Timestamp(rfc3339: verifyAt))
        let hash = SecureRandom.bytes(32)
        let attestation = try key.attest(clientDataHash: hash, at: time)
        try write(
            id, kind: "app-attest.attestation",
            [
                "attestation_b64": Base64.standard.encode(attestation), "key_id_b64": Base64.standard.encode(key.keyID),
                "client_data_hash_b64": Base64.standard.encode(hash), "team_id": "ABCDE12345",
                "bundle_id": "com.example.camera", "environment": "production",
                "policy": ["extra_roots_pem": [authority.rootPEM]],
            ], expect, disputed: disputed)
    }

    /// A genuine assertion with the counter 5, of a device that was at `previous`.
    private func writeAssertion(_ id: String, previous: Int, _ expect: [String: Any]) throws {
        var key = key()
        let hash = SecureRandom.bytes(32)
        let assertion = try key.assert(clientDataHash: hash, changes: .genuine.counter(5))
        try write(
            id, kind: "app-attest.assertion",
            [
                "assertion_b64": Base64.standard.encode(assertion),
                "public_key_b64": Base64.standard.encode(key.publicKey),
                "client_data_hash_b64": Base64.standard.encode(hash), "team_id": "ABCDE12345",
                "bundle_id": "com.example.camera", "previous_counter": previous,
                "policy": ["extra_roots_pem": [authority.rootPEM]],
            ], expect)
    }

    /// A folder with one vector of each outcome.
    private func writeAll() throws {
        try writeAttestation("a-good", ["verdict": "accept", "facts": ["sign_count": 0]])
        try writeAssertion("b-good", previous: 4, ["verdict": "accept"])
        try writeAssertion("c-replayed", previous: 5, ["verdict": "reject", "reason": "counter_not_increasing"])
        try writeAssertion(
            "d-alternative", previous: 5,
            ["verdict": "reject", "reason": "bad_signature", "reason_alternatives": ["counter_not_increasing"]])
        try writeAttestation("e-wrong-verdict", ["verdict": "reject", "reason": "bad_signature"])
        try writeAssertion("f-wrong-reason", previous: 5, ["verdict": "reject", "reason": "bad_signature"])
        try writeAttestation("g-wrong-fact", ["verdict": "accept", "facts": ["sign_count": 1]])
        try writeAttestation("h-disputed", ["verdict": "reject"], disputed: true)
        try write("i-unknown", kind: "tea-leaves", [:], ["verdict": "accept"])
        try folder.write("{\"id\": \"j-broken\", \"kind\":", to: "j-broken.json")
        try folder.write("{\"some\": \"other file\"}", to: "k-not-a-vector.json")
        try folder.write("not JSON, and not named so", to: "l-note.txt")
    }

    @Test("An unreadable policy is an error of the file, and never left out")
    func unreadablePolicies() throws {
        let policies: [(String, String, [String: Any])] = [
            ("app-attest.assertion", "allowed_validation_categories", ["allowed_validation_categories": [2, "4"]]),
            ("app-attest.assertion", "allowed_validation_categories", ["allowed_validation_categories": [-1]]),
            ("app-attest.assertion", "allowed_validation_categories", ["allowed_validation_categories": [1.5]]),
            ("app-attest.assertion", "require_extensions", ["require_extensions": "yes"]),
            ("app-attest.assertion", "allowed_categories: unknown", ["allowed_categories": [4]]),
            ("key-attestation.chain", "allowed_boot_states", ["allowed_boot_states": ["VERIFIED", "GREEN"]]),
            ("key-attestation.chain", "min_os_patch_level", ["min_os_patch_level": 7]),
            ("key-attestation.chain", "min_os_patch_level", ["min_os_patch_level": "202401"]),
            ("key-attestation.chain", "signature_digests_b64", ["signature_digests_b64": ["!"]]),
            ("play-integrity.token", "device_verdicts", ["device_verdicts": "MEETS_DEVICE_INTEGRITY"]),
            ("safetynet.jws", "require_cts_profile_match", ["require_cts_profile_match": "no"]),
            ("safetynet.jws", "basic_integrity_only: unknown", ["basic_integrity_only": true]),
        ]
        for (index, (kind, name, policy)) in policies.enumerated() {
            let input: [String: Any] = [
                "policy": policy, "jws": "a.b.c", "nonce_b64": "AAAA", "token": "a.b.c.d.e", "package_name": "com.example",
                "request_hash": "AAAA", "decryption_key_b64": Base64.standard.encode([UInt8](repeating: 1, count: 32)),
                "verification_key_b64": Base64.standard.encode(Array(P256.Signing.PrivateKey().publicKey.derRepresentation)),
                "public_key_b64": Base64.standard.encode(key().publicKey), "client_data_hash_b64": "AAAA",
                "assertion_b64": "AAAA", "team_id": "ABCDE12345", "bundle_id": "com.example.camera", "chain_pem": [String](),
            ]
            try write("policy-\(index)", kind: kind, input, ["verdict": "reject"])
            let result = try #require(try judge(folder.file("policy-\(index).json")).first)
            #expect(result.actual == .error && !result.ok && result.detail.contains("policy.\(name)"), "\(policy): \(result)")
        }
    }

    private func judge(_ path: String, kind: String? = nil) throws -> [Conformance.Result] {
        var results: [Conformance.Result] = []
        try Conformance().run(path, kind: kind) { results.append($0) }
        return results
    }

    // MARK: Running

    @Test("All shared vectors of App Attest pass", .enabled(if: SharedVectors.folder != nil))
    func sharedVectors() throws {
        let results = try judge(try #require(SharedVectors.folder) + "/app-attest")
        let judged = results.filter { $0.actual != .skipped }
        #expect(judged.count > 100)
        for result in judged where !result.disputed { #expect(result.ok, "\(result.id): \(result.detail)") }
        let kinds = Set(judged.map(\.kind))
        #expect(kinds == ["app-attest.attestation", "app-attest.assertion", "app-attest.receipt"])
        #expect(judged.count == results.count, "none is skipped")
        #expect(judged.count { $0.kind == "app-attest.receipt" } == 34)
    }

    @Test("All shared vectors of Play Integrity pass", .enabled(if: SharedVectors.folder != nil))
    func sharedTokens() throws {
        let results = try judge(try #require(SharedVectors.folder) + "/play-integrity")
        #expect(results.count == 24)
        for result in results {
            #expect(result.ok && result.kind == "play-integrity.token", "\(result.id): \(result.detail)")
        }
    }

    @Test("All shared vectors of SafetyNet pass", .enabled(if: SharedVectors.folder != nil))
    func sharedResponses() throws {
        let results = try judge(try #require(SharedVectors.folder) + "/safetynet")
        #expect(results.count == 21)
        for result in results { #expect(result.ok && result.kind == "safetynet.jws", "\(result.id): \(result.detail)") }
    }

    @Test("All shared vectors of Android key attestation pass", .enabled(if: SharedVectors.folder != nil))
    func androidVectors() throws {
        let results = try judge(try #require(SharedVectors.folder) + "/key-attestation")
        #expect(results.count == 154 && results.allSatisfy { $0.kind == "key-attestation.chain" })
        for result in results { #expect(result.ok, "\(result.id): \(result.detail)") }
        #expect(results.count { $0.actual == .accept } == 48)
    }

    @Test("Each file is run, in the order of their names")
    func everything() throws {
        try writeAll()
        let results = try judge(folder.path)
        #expect(
            results.map { "\($0.id) \($0.actual.rawValue) \($0.ok)" } == [
                "a-good accept true", "b-good accept true", "c-replayed reject true", "d-alternative reject true",
                "e-wrong-verdict accept false", "f-wrong-reason reject false", "g-wrong-fact accept false",
                "h-disputed accept false", "i-unknown skipped false", "j-broken error false",
            ])
        #expect(results.first { $0.id == "f-wrong-reason" }?.code == "counter_not_increasing")
        #expect(results.first { $0.id == "g-wrong-fact" }?.detail.contains("sign_count") == true)
        #expect(results.filter(\.disputed).map(\.id) == ["h-disputed"])
    }

    @Test("One file, and one kind, can be run")
    func some() throws {
        try writeAll()
        #expect(try judge(folder.file("b-good.json")).map(\.id) == ["b-good"])
        let assertions = try judge(folder.path, kind: "app-attest.assertion").map(\.id)
        #expect(assertions == ["b-good", "c-replayed", "d-alternative", "f-wrong-reason"])
        #expect(
            Conformance().kinds == [
                "app-attest.assertion", "app-attest.attestation", "app-attest.receipt", "certificate-bundle",
                "key-attestation.chain", "play-integrity.token", "safetynet.jws",
            ])
    }

    @Test("Missing inputs and invalid Base64 are errors of the vector, and unreadable evidence is malformed")
    func inputs() throws {
        try write("a", kind: "app-attest.assertion", ["assertion_b64": "AA=="], ["verdict": "accept"])
        try write(
            "b", kind: "app-attest.attestation",
            [
                "attestation_b64": "%%%", "key_id_b64": Base64.standard.encode([UInt8](repeating: 1, count: 32)),
                "client_data_hash_b64": Base64.standard.encode([UInt8](repeating: 1, count: 32)), "team_id": "A",
                "bundle_id": "b", "environment": "production",
            ], ["verdict": "reject"])
        try folder.write(
            #"{"id": "c", "kind": "app-attest.assertion", "expect": {"verdict": "maybe"}, "input": {}, "verify_at": "2026-01-01T00:00:00Z"}"#,
            to: "c.json")
        #expect(
            try judge(folder.path).map { "\($0.id) \($0.actual) \($0.ok)" } == [
                "a error false", "b reject true", "c error false",
            ])
    }

    // MARK: Reporting

    @Test("Passed, failed and skipped vectors are counted, and disputed ones are not")
    func summary() throws {
        try writeAll()
        var report = ConformanceReport(json: false)
        let lines = try judge(folder.path).map { report.line($0) }
        #expect(report.summary == "4 passed, 4 failed, 1 skipped")
        #expect(lines[0] == "ok a-good")
        let both = "expected reject bad_signature, came reject counter_not_increasing"
        #expect(lines[5].hasPrefix("FAILED f-wrong-reason: \(both): "))
        #expect(lines[7].hasPrefix("disputed, differs h-disputed"))
        #expect(lines[8] == "skipped i-unknown: no judge for this kind (tea-leaves)")
    }

    @Test("JSON lines have the same members")
    func json() throws {
        try writeAll()
        var report = ConformanceReport(json: true)
        for result in try judge(folder.path) {
            let line = report.line(result)
            #expect(!line.contains("\n"))
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys) == ["id", "kind", "expect", "actual", "code", "ok", "detail", "disputed"])
            #expect(object["id"] as? String == result.id)
            #expect(object["ok"] as? Bool == result.ok)
            #expect(object["actual"] as? String == result.actual.rawValue)
        }
    }

    @Test("The command exits with 1 if a vector fails, and prints a count")
    func command() async throws {
        try writeAll()
        let all = try await Child.run("assay", ["conformance", folder.path])
        #expect(all.status == 1)
        #expect(all.lines.last == "4 passed, 4 failed, 1 skipped")
        #expect(all.lines.count == 11)
        let lines = try await Child.run("assay", ["conformance", "--json", folder.path])
        #expect(lines.status == 1)
        #expect(lines.lines.count == 10)
        for line in lines.lines { #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any]) }
        let one = try await Child.run("assay", ["conformance", folder.file("a-good.json")])
        #expect(one.status == 0)
        #expect(one.lines == ["ok a-good", "1 passed, 0 failed, 0 skipped"])
        let disputed = try await Child.run("assay", ["conformance", folder.file("h-disputed.json")])
        #expect(disputed.status == 0)
        #expect(disputed.lines.last == "0 passed, 0 failed, 0 skipped")
        let none = try await Child.run("assay", ["conformance", folder.file("nowhere")])
        #expect(none.status == 65)
        #expect(none.err.contains("there is no file or folder"))
        let misspelt = try await Child.run("assay", ["conformance", folder.path, "--kind", "app-attest.attestatoin"])
        #expect(misspelt.status == 65, "to judge nothing is no success")
        #expect(misspelt.err.contains("no vector of the kind app-attest.attestatoin; judged are app-attest."), "\(misspelt)")
        let nothing = try TemporaryFolder()
        let empty = try await Child.run("assay", ["conformance", nothing.path])
        #expect(empty.status == 65 && empty.err.contains("there is no vector"))
    }
}

/// The shared collection of vectors; `nil` if it is not checked out.
enum SharedVectors {
    static let folder: String? = {
        let named = ProcessInfo.processInfo.environment["ASSAY_VECTORS"]
        let candidates = [named, Package.path("../shared/vectors")].compactMap { $0 }
        let found = candidates.first { FileManager.default.fileExists(atPath: $0 + "/app-attest") }
        if found == nil { print("The vectors are not here (set ASSAY_VECTORS); conformance with them is not tested.") }
        return found
    }()
}
