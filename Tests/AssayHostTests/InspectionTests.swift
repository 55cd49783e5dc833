import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Testing

@testable import AssayHost

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
        return Inspection(input, testRoots: roots)
    }

    @Test("tells an attestation part by part, in whole and with all its checks")
    func wholeAttestation() {
        let inspection = inspect(attestation) { $0.clientDataHash = Self.clientDataHash }
        #expect(inspection.kind == .attestation && inspection.explanation.firstProblem == nil)
        let titles = inspection.explanation.parts.map(\.title)
        #expect(titles.contains("authenticator data") && titles.contains("App Attest receipt"))
        #expect(titles.filter { $0.hasPrefix("x5c[") }.count == 2)
        #expect(!inspection.findings.contains { $0.outcome == .fail })
        #expect(inspection.findings.contains { $0.check == "bundle_version" })
    }

    @Test("says of every check of a genuine phone what it compares")
    func meanings() {
        let inspections = [
            inspect(attestation) { $0.clientDataHash = Self.clientDataHash },
            inspect(assertion) {
                $0.clientDataHash = Self.clientDataHash
                $0.publicKey = key.publicKey
            },
        ]
        #expect(inspections.map(\.findings.count).reduce(0, +) > 30)
        for inspection in inspections {
            for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
        }
    }

    @Test("shows each field with the bytes of the file that it was read from")
    func ranges() throws {
        let explanation = inspect(assertion).explanation
        let data = try #require(explanation.parts.first { $0.title == "authenticator data" })
        let hash = Array(SHA256.hash(data: Array("TEAMID1234.com.example.camera".utf8)))
        #expect(Array(assertion[data.range].prefix(32)) == hash)
        #expect(data.fields.contains { $0.name == "rp_id_hash" && $0.value == .bytes(hash) })
        #expect(data.fields.contains { $0.name == "sign_count" && $0.value == .integer(1) })
    }

    @Test("ends before the check that needs the client data where they are not given, and says so")
    func withoutClientData() {
        let inspection = inspect(attestation)
        #expect(inspection.findings.last?.check == "chain_signatures")
        #expect(inspection.remarks.contains { $0.hasPrefix("The client data were not given") })
        let signed = inspect(assertion) { $0.publicKey = key.publicKey }
        #expect(signed.findings.last?.check == "signature_form")
    }

    @Test("judges no assertion without the key that is to have made it")
    func withoutKey() {
        let inspection = inspect(assertion)
        #expect(inspection.findings.isEmpty && inspection.explanation.firstProblem == nil)
        #expect(inspection.remarks.contains { $0.hasPrefix("An assertion does not hold its key") })
    }

    @Test("tells a receipt by itself, and judges it")
    func receipt() throws {
        let parts = inspect(attestation).explanation.parts
        let part = try #require(parts.first { $0.title == "App Attest receipt" })
        let inspection = inspect(Array(attestation[part.range]))
        #expect(inspection.kind == .receipt && inspection.explanation.firstProblem == nil)
        #expect(inspection.explanation.fields.contains { $0.name == "type" && $0.value == .text("ATTEST") })
        #expect(inspection.findings.count > 15 && !inspection.findings.contains { $0.outcome == .fail })
        for finding in inspection.findings { #expect(inspection.meaning(of: finding.check) != nil, "\(finding.check)") }
    }

    @Test("says what fails: other client data, another key, a counter that was used")
    func failures() {
        let other = inspect(attestation) { $0.clientDataHash = [UInt8](repeating: 0, count: 32) }
        #expect(other.findings.last?.code == "nonce_mismatch")
        let foreign = inspect(attestation) {
            $0.clientDataHash = Self.clientDataHash
            $0.keyID = [UInt8](repeating: 0, count: 32)
        }
        #expect(foreign.findings.last?.code == "key_id_mismatch")
        let used = inspect(assertion) {
            $0.clientDataHash = Self.clientDataHash
            $0.publicKey = key.publicKey
            $0.counter = 1
        }
        #expect(used.findings.contains { $0.code == "counter_not_increasing" })
    }

    @Test("finds where a file breaks, wherever it is cut")
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

    @Test("says of certificates whether each is issued by the next")
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

    @Test("says of anything else that it is of no known kind, and never traps")
    func garbage() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            _ = inspect(bytes)
        }
        #expect(inspect([0xA0]).kind == .unknown && inspect([]).explanation.title == "an empty file")
    }
}
