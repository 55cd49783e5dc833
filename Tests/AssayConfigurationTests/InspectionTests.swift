import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
import AssaySimulator
import Crypto
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Inspection")
struct InspectionTests {
    private static let now = Timestamp(unixMilliseconds: 1_750_000_000_000)
    private static let clientDataHash = Array(SHA256.hash(data: Array("a photo".utf8)))
    private let key: VirtualKey
    private let attestation: [UInt8]
    private let assertion: [UInt8]
    private let roots: [TrustAnchor]

    init() throws {
        let authority = TestAuthority(seed: "inspection")
        var phone = VirtualPhone(authority: authority, appID: "TEAMID1234.com.example.camera", seed: "phone")
        var key = phone.makeKey()
        attestation = try key.attest(clientDataHash: Self.clientDataHash, at: Self.now)
        assertion = try key.assert(clientDataHash: Self.clientDataHash)
        self.key = key
        roots = [try TrustAnchor(name: "test root", pem: authority.rootPEM, simulated: true)]
    }

    private func inspect(_ bytes: [UInt8], _ change: (inout InspectionInput) -> Void = { _ in }) -> Inspection {
        var input = InspectionInput(bytes: bytes, now: Self.now)
        change(&input)
        return Inspection(input, under: nil, testRoots: roots)
    }

    @Test("An attestation is explained part by part, with all its checks")
    func wholeAttestation() {
        let inspection = inspect(attestation) { $0.clientDataHash = Self.clientDataHash }
        #expect(inspection.kind == .attestation && inspection.explanation.firstProblem == nil)
        let titles = inspection.explanation.parts.map(\.title)
        #expect(titles.contains("authenticator data") && titles.contains("App Attest receipt"))
        #expect(titles.filter { $0.hasPrefix("x5c[") }.count == 2)
        #expect(!inspection.findings.contains { $0.outcome == .fail })
        #expect(inspection.findings.contains { $0.check == "bundle_version" })
    }

    @Test("Every check of a genuine phone has a description")
    func meanings() {
        let inspections = [
            inspect(attestation) { $0.clientDataHash = Self.clientDataHash },
            inspect(assertion) {
                $0.clientDataHash = Self.clientDataHash
                $0.publicKey = key.publicKey
            },
        ]
        let findings = inspections.flatMap(\.findings)
        #expect(findings.count > 30)
        for inspection in inspections {
            for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
        }
    }

    @Test("Each field is shown with its bytes in the file")
    func ranges() throws {
        let explanation = inspect(assertion).explanation
        let data = try #require(explanation.parts.first { $0.title == "authenticator data" })
        let hash = Array(SHA256.hash(data: Array("TEAMID1234.com.example.camera".utf8)))
        let shown = assertion[data.range].prefix(32)
        #expect(shown == hash[...])
        #expect(data.fields.contains { $0.name == "rp_id_hash" && $0.value == .bytes(hash) })
        #expect(data.fields.contains { $0.name == "sign_count" && $0.value == .integer(1) })
    }

    @Test("Without client data every check but its binding is judged, and the missing one is named")
    func withoutClientData() {
        let inspection = inspect(attestation)
        #expect(inspection.notJudged == ["nonce", "key_id", "app_id", "environment", "receipt_client_hash"])
        #expect(inspection.isGood && !inspection.isFullyJudged)
        #expect(inspection.findings.contains { $0.check == "credential_key" && $0.outcome == .pass })
        let signed = inspect(assertion) { $0.publicKey = key.publicKey }
        #expect(signed.notJudged == ["signature", "app_id", "environment", "counter"])
        #expect(signed.isGood && !signed.isFullyJudged)
    }

    @Test("Of an assertion without its key the possible checks are judged")
    func withoutKey() {
        let inspection = inspect(assertion) { $0.clientDataHash = Self.clientDataHash }
        #expect(inspection.notJudged == ["device", "signature", "app_id", "environment", "chain_anchor", "counter"])
        #expect(inspection.findings.contains { $0.check == "auth_data" && $0.outcome == .pass })
        #expect(inspection.isGood && !inspection.isFullyJudged)
    }

    @Test("With all inputs under an app every check is judged")
    func fullyJudged() throws {
        let text = """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apps: {camera: {app_attest: {identities: [{app_id: TEAMID1234.com.example.camera}]}}}
            """
        let app = try #require(try Configuration.parse(text, file: "a", folder: "/").apps.first)
        for (object, isAssertion) in [(attestation, false), (assertion, true)] {
            var input = InspectionInput(bytes: object, now: Self.now)
            input.clientDataHash = Self.clientDataHash
            input.keyID = key.keyID
            if isAssertion { (input.publicKey, input.counter) = (key.publicKey, 0) }
            let inspection = Inspection(input, under: app, testRoots: roots)
            #expect(inspection.isGood && inspection.isFullyJudged, "\(inspection.findings.filter { $0.outcome != .pass })")
        }
    }

    @Test("Checks that need an assertion's registration are not judged")
    func registeredCategory() throws {
        let text = """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apps: {camera: {app_attest: {identities: [{app_id: TEAMID1234.com.example.camera}], require_extensions: true}}}
            """
        let app = try #require(try Configuration.parse(text, file: "a", folder: "/").apps.first)
        var phone = VirtualPhone(
            authority: TestAuthority(seed: "inspection"), appID: "TEAMID1234.com.example.camera", osVersion: "26.0", seed: "old"
        )
        var key = phone.makeKey()
        var input = InspectionInput(bytes: try key.assert(clientDataHash: Self.clientDataHash), now: Self.now)
        (input.clientDataHash, input.publicKey, input.counter) = (Self.clientDataHash, key.publicKey, 0)
        let inspection = Inspection(input, under: app, testRoots: roots)
        #expect(inspection.notJudged == ["validation_category"] && inspection.isGood, "\(inspection.findings)")
    }

    @Test("Every failure is shown, also after an expired certificate")
    func allFailures() {
        let later = Self.now.adding(milliseconds: 10 * 366 * 86_400_000)
        let inspection = inspect(attestation) {
            $0.now = later
            $0.clientDataHash = [UInt8](repeating: 0, count: 32)
            $0.keyID = [UInt8](repeating: 0, count: 32)
        }
        let failed = inspection.findings.filter { $0.outcome == .fail }.map(\.code)
        #expect(failed.contains("expired") && failed.contains("nonce_mismatch") && failed.contains("key_id_mismatch"))
        #expect(failed.contains("credential_id_mismatch"), "\(failed)")
        #expect(!inspection.isGood)
    }

    @Test("A challenge is explained, and all of it but the tag is judged")
    func challenge() throws {
        let expiry = Self.now.adding(milliseconds: 60_000)
        let challenge = try Challenge.sample(expiry: expiry)
        let inspection = inspect(challenge) { $0.purpose = .register }
        #expect(inspection.kind == .challenge && inspection.explanation.firstProblem == nil)
        #expect(inspection.explanation.fields.contains { $0.name == "expiry" && $0.value == .time(expiry) })
        #expect(inspection.notJudged == ["challenge_app", "challenge_tag"] && inspection.isGood)
        let wrong = inspect(challenge) {
            $0.purpose = .assert
            $0.now = expiry
        }
        let failed = wrong.findings.filter { $0.outcome == .fail }.map(\.code)
        #expect(failed == ["challenge_wrong_purpose", "challenge_expired"])
        for finding in wrong.findings { #expect(wrong.meaning(of: finding.check) != nil, "\(finding.check)") }
    }

    @Test("A receipt is explained and judged by itself")
    func receipt() throws {
        let parts = inspect(attestation).explanation.parts
        let part = try #require(parts.first { $0.title == "App Attest receipt" })
        let inspection = inspect(Array(attestation[part.range]))
        #expect(inspection.kind == .receipt && inspection.explanation.firstProblem == nil)
        #expect(inspection.explanation.fields.contains { $0.name == "type" && $0.value == .text("ATTEST") })
        #expect(inspection.findings.count > 15 && !inspection.findings.contains { $0.outcome == .fail })
        for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
    }

    @Test("Failures are shown: other client data, another key, a used counter")
    func failures() {
        let other = inspect(attestation) { $0.clientDataHash = [UInt8](repeating: 0, count: 32) }
        #expect(other.findings.first { $0.outcome == .fail }?.code == "nonce_mismatch")
        let foreign = inspect(attestation) {
            $0.clientDataHash = Self.clientDataHash
            $0.keyID = [UInt8](repeating: 0, count: 32)
        }
        #expect(foreign.findings.first { $0.outcome == .fail }?.code == "key_id_mismatch")
        let used = inspect(assertion) {
            $0.clientDataHash = Self.clientDataHash
            $0.publicKey = key.publicKey
            $0.counter = 1
        }
        #expect(used.findings.contains { $0.code == "counter_not_increasing" })
    }

    @Test("The place where a file breaks is found, wherever it is cut")
    func cut() {
        for object in [attestation, assertion] {
            for length in 1..<object.count {
                let inspection = inspect(Array(object.prefix(length)))
                let problem = inspection.explanation.firstProblem
                #expect(problem != nil, "cut to \(length)")
                #expect(problem?.offset.map { (0...length).contains($0) } == true, "cut to \(length)")
                #expect(inspection.findings.allSatisfy { $0.check != "certificates" })
            }
        }
    }

    @Test("Certificates are shown with whether each is issued by the next")
    func certificates() {
        let authority = TestAuthority(seed: "inspection")
        let (root, intermediate) = (authority.rootPEM, PEM.encode(authority.intermediateCertificate))
        let good = inspect(Array((intermediate + root).utf8)).explanation
        #expect(good.parts.count == 2 && good.firstProblem == nil)
        #expect(good.fields.contains { $0.value == .text("is issued by the next certificate") })
        let bad = inspect(Array((root + intermediate).utf8)).explanation
        #expect(bad.fields.contains { $0.value == .text("names another issuer than the next certificate") })
        let impostor = TestAuthority(seed: "an impostor").rootPEM
        let forged = inspect(Array((intermediate + impostor).utf8)).explanation
        #expect(
            forged.fields.contains {
                $0.value == .text("names the next certificate as its issuer, but the signature does not verify")
            })
    }

    @Test("Any other file is of unknown kind, and never traps")
    func garbage() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            _ = inspect(bytes)
        }
        #expect(inspect([0xA0]).kind == .unknown && inspect([]).explanation.title == "an empty file")
    }
}
