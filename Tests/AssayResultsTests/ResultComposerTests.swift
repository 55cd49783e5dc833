import AssayCore
import AssaySigning
import Crypto
import Testing

@testable import AssayResults

@Suite("Composing results")
struct ResultComposerTests {
    private func draft(
        _ shape: ResultShape, _ rule: ResultRule = Sample.rule(), _ facts: ResultFacts? = nil, by key: ResultKey? = nil,
        at now: Timestamp = Sample.now
    ) throws -> ResultDraft {
        let request = ResultRequest(shape: shape, audience: Sample.audience)
        return try ResultComposer(rule, secret: Sample.secret)
            .draft(request, try facts ?? Sample.facts(), under: try key ?? Sample.key(), at: now)
    }

    @Test("A shape or an audience that the rule does not have is not made")
    func allowed() throws {
        var rule = Sample.rule()
        rule.shapes = [.session]
        #expect(throws: ResultProblem.notAllowed) { try draft(.earJWT, rule) }
        rule = Sample.rule()
        rule.audiences = [Sample.otherAudience]
        #expect(throws: ResultProblem.notAllowed) { try draft(.earJWT, rule) }
    }

    @Test("A shape whose names the rule does not have is not made")
    func unnamed() throws {
        var rule = Sample.rule()
        rule.wallet = nil
        #expect(throws: ResultProblem.notAllowed) { try draft(.walletInstance, rule) }
        #expect(throws: ResultProblem.notAllowed) { try draft(.keyAttestation, rule) }
        rule = Sample.rule()
        rule.clientID = nil
        #expect(throws: ResultProblem.notAllowed) { try draft(.walletInstance, rule) }
        #expect(throws: ResultProblem.notAllowed) { try draft(.clientAttestation, rule) }
    }

    @Test("No key signs for devices of the other kind", arguments: ResultShape.allCases)
    func kinds(_ shape: ResultShape) throws {
        let (real, simulated) = (try Sample.key(), try Sample.key(simulated: true))
        let facts = (real: try Sample.facts(), simulated: try Sample.facts(simulated: true))
        #expect(throws: ResultProblem.simulated) { try draft(shape, Sample.rule(), facts.simulated, by: real) }
        #expect(throws: ResultProblem.keyUnavailable) { try draft(shape, Sample.rule(), facts.real, by: simulated) }
    }

    @Test("The EU wallet's shapes need a key with certificates, and one of ECDSA")
    func certificates() throws {
        let (bare, edwards) = (try Sample.key(certified: false), try Sample.key(.ed25519))
        for key in [bare, edwards] {
            #expect(throws: ResultProblem.keyUnavailable) { try draft(.walletInstance, by: key) }
            #expect(throws: ResultProblem.keyUnavailable) { try draft(.keyAttestation, by: key) }
            #expect(throws: Never.self) { try draft(.earJWT, by: key) }
        }
    }

    @Test("The life of a result is counted from the verdict, however late it is signed")
    func life() throws {
        let late = Sample.decidedAt.adding(milliseconds: 299_999)
        let draft = try draft(.earJWT, at: late)
        #expect(draft.expiresAt == Timestamp(unixSeconds: 1_790_000_300))
        #expect(throws: ResultProblem.tooOld) {
            try self.draft(.earJWT, at: Sample.decidedAt.adding(milliseconds: 300_000))
        }
    }

    @Test("A session has its own lifetime, and a wallet's attestation less than a day")
    func lifetimes() {
        var rule = Sample.rule()
        rule.lifetime = 86_400_000
        rule.session.lifetime = 60_000
        let composer = ResultComposer(rule, secret: Sample.secret)
        let start = Sample.decidedAt
        #expect(composer.expiry(of: .session, decidedAt: start).milliseconds(since: start) == 60_000)
        #expect(composer.expiry(of: .earJWT, decidedAt: start).milliseconds(since: start) == 86_400_000)
        #expect(composer.expiry(of: .walletInstance, decidedAt: start).milliseconds(since: start) < 86_400_000)
        #expect(composer.statusEnd(of: .session, decidedAt: start).milliseconds(since: start) == 60_000)
        #expect(composer.statusEnd(of: .walletInstance, decidedAt: start).milliseconds(since: start) >= 31 * 86_400_000)
    }

    @Test("A session is for devices of the assurance that the rule asks for")
    func assurance() throws {
        var facts = try Sample.facts()
        facts.assurance = .platform
        #expect(throws: ResultProblem.assurance) { try draft(.session, Sample.rule(), facts) }
        var rule = Sample.rule()
        rule.session.minimumAssurance = .platform
        #expect(throws: Never.self) { try draft(.session, rule, facts) }
    }

    @Test(
        "A shape that binds a key needs one that has a JWK",
        arguments: [ResultShape.session, .clientAttestation, .walletInstance, .keyAttestation])
    func keys(_ shape: ResultShape) throws {
        var facts = try Sample.facts()
        facts.deviceKey = nil
        #expect(throws: ResultProblem.noKey) { try draft(shape, Sample.rule(), facts) }
        facts.deviceKey = Array(P521.Signing.PrivateKey().publicKey.derRepresentation)
        #expect(throws: ResultProblem.noKey) { try draft(shape, Sample.rule(), facts) }
    }

    @Test(
        "A key that signs no messages is bound to no token whose holder has to sign one",
        arguments: [EvidenceFormat.appAttestAssertion, .appAttestAttestation, .certificateBundle])
    func messages(_ format: EvidenceFormat) throws {
        var facts = try Sample.facts()
        facts.formats = [format]
        for shape in [ResultShape.clientAttestation, .walletInstance, .keyAttestation] {
            #expect(throws: ResultProblem.noKey) { try draft(shape, Sample.rule(), facts) }
        }
        #expect(throws: Never.self) { try draft(.session, Sample.rule(), facts) }
    }

    @Test("A verdict that could not be written as JSON is not signed as one")
    func unwritten() throws {
        var facts = try Sample.facts()
        facts.json = { [] }
        #expect(throws: ResultProblem.unavailable) { try draft(.plainJWS, Sample.rule(), facts) }
    }

    @Test("The identifier of a result is its own, also of two results of one verdict")
    func identifiers() throws {
        let identifiers = try (0..<8).map { _ in try draft(.earJWT).identifier }
        #expect(Set(identifiers).count == 8)
        #expect(identifiers.allSatisfy { $0.count == 16 })
    }

    @Test("A signed draft is the token and its end; a signer's error is passed on")
    func signing() async throws {
        let key = try Sample.key()
        let draft = try draft(.earJWT, by: key)
        let result = try await draft.signed()
        guard case .signed(let token, let identifier, let expiresAt) = result.outcome else {
            Issue.record("nothing was signed")
            return
        }
        #expect(result.shape == .earJWT && result.audience == Sample.audience)
        #expect(identifier == draft.identifier && expiresAt == draft.expiresAt)
        let reader = ResultReader(keys: try Sample.keySet(key))
        #expect(throws: Never.self) { try reader.read(token, expecting: Sample.expectation(.earJWT)) }

        let absent = try found(
            ResultKey(AbsentSigner(key.signer), issuer: key.issuer, certificates: key.certificates), "a key")
        let unsigned = try self.draft(.earJWT, by: absent)
        await #expect(throws: SigningError("the token is away")) { try await unsigned.signed() }
    }
}

/// A signer whose device is not there.
private struct AbsentSigner: Signer {
    let publicKey: [UInt8]
    let algorithm: SigningAlgorithm
    let problem: String? = "the token is away"

    init(_ signer: any Signer) { (publicKey, algorithm) = (signer.publicKey, signer.algorithm) }

    func sign(_ bytes: [UInt8]) async throws(SigningError) -> [UInt8] { throw SigningError("the token is away") }
}
