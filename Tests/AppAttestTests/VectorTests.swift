import AppAttest
import AssayCertificates
import AssayCore
import Foundation
import Testing

@Suite("App Attest vectors", .enabled(if: Vector.folder != nil))
struct VectorTests {
    /// Facts that are checks here, not claims.
    static let checkedElsewhere: Set<String> = ["cose_key_matches", "auth_data_length"]

    @Test("Each attestation vector gives its outcome, reason and facts", arguments: Vector.all("app-attest.attestation"))
    func attestation(_ vector: Vector) throws { try judge(vector) }

    @Test("Each assertion vector gives its outcome, reason and facts", arguments: Vector.all("app-attest.assertion"))
    func assertion(_ vector: Vector) throws { try judge(vector) }

    func judge(_ vector: Vector) throws {
        let appraisal = try vector.verifier().appraise(vector.evidence(), in: vector.context())
        let failure = appraisal.failure
        if vector.expect.verdict == "accept" {
            #expect(failure == nil)
            #expect(appraisal.assurance == .secureElement)
            #expect(appraisal.simulated == (vector.input.policy?.extraRootsPem != nil))
            switch appraisal.effect {
            case .none: Issue.record("an accepted vector changes nothing")
            case .register(let registration):
                #expect(registration.keyID == vector.evidence().keyID)
                #expect(registration.publicKey.count == 65)
                #expect(registration.claims == appraisal.claims)
                #expect(registration.chainSerials.count == 2)
                #expect(!registration.receipt.isEmpty)
            case .advance(_, let counter, _): #expect(Int64(counter) == appraisal.claims.integer("sign_count"))
            }
        } else {
            let reasons = [vector.expect.reason].compactMap { $0 } + (vector.expect.reasonAlternatives ?? [])
            let code = try #require(failure?.code, "accepted, where \(reasons) was expected")
            #expect(ReasonCode(rawValue: code) != nil)
            #expect(reasons.contains(code), "\(failure?.detail ?? "")")
            #expect(appraisal.assurance == .none)
            if case .none = appraisal.effect {} else { Issue.record("a rejected vector changes something") }
        }
        compareFacts(vector, appraisal.claims)
    }

    /// Every fact that is also claimed is equal; for an accepted vector every fact is claimed.
    func compareFacts(_ vector: Vector, _ claims: Claims) {
        for (fact, expected) in vector.expect.facts ?? [:] where !Self.checkedElsewhere.contains(fact) {
            let isBytes = fact.hasSuffix("_b64")
            let name = isBytes ? String(fact.dropLast(4)) : fact
            guard let claim = claims[name] else {
                if vector.expect.verdict == "accept" { #expect(expected == .null, "no claim \(name)") }
                continue
            }
            let found: Vector.Fact =
                switch claim {
                case .text(let value): .text(value)
                case .integer(let value): .integer(value)
                case .boolean(let value): .boolean(value)
                case .bytes(let value): .text(Data(value).base64EncodedString())
                case .texts(let value): .texts(value)
                case .time(let value): .text(value.description)
                }
            #expect(found == expected, "claim \(name)")
        }
    }

    @Test("Every reason in the vectors is a known code")
    func counts() {
        #expect(Vector.all("app-attest.attestation").count == 85)
        #expect(Vector.all("app-attest.assertion").count == 56)
    }
}
