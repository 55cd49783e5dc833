import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator
import Testing

@Suite("Simulated assertions")
struct SampleAssertionTests {
    @Test("Each case of an assertion has the outcome of its row", arguments: AssertionCase.all)
    func outcome(_ assertion: AssertionCase) throws {
        let appraisal = try assertion.appraise()
        #expect(appraisal.failure?.code == assertion.code?.rawValue, "\(appraisal.failure?.detail ?? "")")
        if assertion.code == nil {
            #expect(appraisal.assurance == .secureElement && appraisal.simulated)
            guard case .advance(_, let counter, let rule) = appraisal.effect else {
                Issue.record("accepted, and the counter stays")
                return
            }
            #expect(Int64(counter) == appraisal.claims.integer("sign_count") && rule == assertion.policy.counterRule)
        } else {
            #expect(appraisal.assurance == .none)
            guard case .none = appraisal.effect else {
                Issue.record("refused, and something is to be remembered")
                return
            }
        }
    }

    @Test("No claim is made before the signature is verified", arguments: AssertionCase.all.filter { $0.code != nil })
    func claims(_ assertion: AssertionCase) throws {
        let appraisal = try assertion.appraise()
        let isAuthentic = appraisal.findings.contains { $0.check == "signature" && $0.outcome == .pass }
        #expect(isAuthentic || appraisal.claims.all.isEmpty)
        #expect(appraisal.findings.last?.outcome == .fail)
    }

    @Test("Assertions are for the purposes of a registered key, and attestations for those of a new one")
    func purposes() throws {
        #expect(try Sample.assertionVerifier().purposes == [.assert, .provision])
        #expect(try Sample.attestationVerifier().purposes == [.register, .provision])
    }

    @Test("An assertion over a challenge that was issued for an attestation is refused")
    func challenges() throws {
        let app = try #require(AppID("sample"))
        let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: Sample.now)
        let keyring = ChallengeKeyring(keys: [key])
        let issued = key.issue(app: app, purpose: .register, context: [], expiry: Sample.now.days(1))
        let challenge = try Challenge(parsing: issued)
        #expect(throws: Rejection(.challengeWrongPurpose, "")) {
            try keyring.open(challenge, app: app, purpose: .assert, context: [], now: Sample.now)
        }
        try keyring.open(challenge, app: app, purpose: .register, context: [], now: Sample.now)
    }

    /// Row 49: the ledger applies the effects of the appraisals one after the other.
    @Test("Of two assertions in flight at most the later one is lost, and none counts twice", arguments: [[0, 1], [1, 0]])
    func races(_ order: [Int]) throws {
        for rule in [CounterRule.strictlyIncreasing, .window64] {
            var phone = Sample.phone()
            var key = phone.makeKey()
            let device = try Sample.device(try Sample.register(key))
            let verifier = try Sample.assertionVerifier(policy: AppAttestPolicy(counterRule: rule))
            // Both are appraised against the record before them.
            let appraisals = try (0..<2).map { _ in
                verifier.appraise(try Sample.assert(&key), in: Sample.context(device))
            }
            var state = CounterState(counter: device.counter, window: device.counterWindow)
            var accepted: [UInt32] = []
            for index in order + order {
                guard case .advance(_, let counter, let asked) = appraisals[index].effect,
                    let next = try? state.advanced(to: counter, rule: asked)
                else { continue }
                state = next
                accepted.append(counter)
            }
            #expect(Set(accepted).count == accepted.count && state.counter == 2)
            #expect(accepted.count == (rule == .window64 || order == [0, 1] ? 2 : 1))
        }
    }

    @Test("With a window each counter is accepted once, in any order")
    func window() throws {
        var phone = Sample.phone()
        var key = phone.makeKey()
        let verifier = try Sample.assertionVerifier(policy: AppAttestPolicy(counterRule: .window64))
        var device = try Sample.device(try Sample.register(key))
        func submit(_ counter: UInt32) throws -> String? {
            let evidence = try Sample.assert(&key, changes: .genuine.counter(counter))
            let appraisal = verifier.appraise(evidence, in: Sample.context(device))
            if case .advance(_, let value, let rule) = appraisal.effect {
                let next = try CounterState(counter: device.counter, window: device.counterWindow)
                    .advanced(to: value, rule: rule)
                (device.counter, device.counterWindow) = (next.counter, next.window)
            }
            return appraisal.failure?.code
        }
        let repeated = ReasonCode.counterNotIncreasing.rawValue
        for counter: UInt32 in [5, 3, 4, 1] { #expect(try submit(counter) == nil) }
        for counter: UInt32 in [5, 3, 4, 1, 0] { #expect(try submit(counter) == repeated) }
        #expect(try submit(66) == nil)
        #expect(try submit(2) == ReasonCode.counterTooOld.rawValue)
        #expect(try submit(3) == repeated)
        for counter: UInt32 in [6, 65] { #expect(try submit(counter) == nil) }
        #expect(try submit(.max) == nil)
        #expect(try submit(.max) == repeated)
        #expect(try submit(66) == ReasonCode.counterTooOld.rawValue)
        for counter: UInt32 in [.max - 1, .max - 63] {
            #expect(try submit(counter) == nil)
            #expect(try submit(counter) == repeated)
        }
        #expect(try submit(.max - 64) == ReasonCode.counterTooOld.rawValue)
    }

    @Test("A simulated registration stays simulated even if its root becomes a real one")
    func simulated() throws {
        var phone = Sample.phone()
        var key = phone.makeKey()
        let device = try Sample.device(try Sample.register(key))
        let real = [try TrustAnchor(name: "real", pem: Sample.authority.rootPEM, simulated: false)]
        let appraisal = try Sample.assertionVerifier(anchors: real)
            .appraise(try Sample.assert(&key), in: Sample.context(device))
        #expect(appraisal.failure == nil && appraisal.simulated)
    }
}
