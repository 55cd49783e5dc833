import AssayCertificates
import AssayCore
import AssayProvisioning
import AssayResults
import AssaySigning
import AssaySimulator
import AssayTesting
import Testing

@testable import AssayService

/// A key that certifies keys in memory, over a life of them: its clock is set by hand, and its token can be taken away.
@Suite("Keys in memory that sign results", .timeLimit(.minutes(30)))
struct ShortLivedKeyTaskTests {
    private static let hour: Int64 = 3_600_000
    private static let lifetime = 24 * hour

    private let issuers = ResultIssuers()
    private let clock = FixedClock(ServiceHarness.opening)
    private let ring = ResultKeyRing()
    private let task: ShortLivedKeyTask

    init() throws {
        task = ShortLivedKeyTask(ring: ring, clock: clock, logger: ServiceHarness.logger)
        learn(try key())
    }

    private var signer: WatchedSigner { issuers.signer }

    /// The certificate of a CA with the key of `signer`, valid from a day before the opening on, for a year.
    private func certificate() throws -> [UInt8] {
        let name = CertificateBuilder.Name(commonName: "Results")
        let start = ServiceHarness.opening.adding(milliseconds: -24 * Self.hour)
        return try CertificateBuilder(
            serial: [7], algorithm: .ecdsaWithSHA256, issuer: name, notBefore: start,
            notAfter: start.adding(milliseconds: 365 * 24 * Self.hour), subject: name, subjectPublicKeyInfo: signer.publicKey,
            extensions: [.basicConstraints(ca: true, pathLength: 0), .keyUsage([.keyCertSign, .digitalSignature])]
        ).signed(by: TestSigningKey(.p256))
    }

    /// The key of `signer`, as a configuration with `certifies` opens it.
    private func key(lifetime: Int64 = lifetime) throws -> ResultKey {
        let certificate = try certificate()
        let certifier = try ShortLivedKeyCertifier(
            signer, certificates: [Certificate(der: certificate[...])], subject: ResultIssuers.devices.address)
        let certification = ResultKeyCertification(lifetime: lifetime) { (publicKey, now) throws(SigningError) in
            do throws(AuthorityError) {
                let made = try await certifier.certify(publicKey, for: lifetime, at: now)
                return ShortLivedCertificate(
                    der: made.certificate, issuedAt: now, notBefore: made.notBefore, notAfter: made.notAfter)
            } catch {
                throw SigningError(error.description)
            }
        }
        return try #require(
            ResultKey(
                signer, issuer: ResultIssuers.devices, certificates: [certificate], certification: certification))
    }

    /// A daemon has the key, which signs since the opening.
    private func learn(_ key: ResultKey, _ ring: ResultKeyRing? = nil) {
        let published = PublishedResultKey(
            key.published, publishedAt: ServiceHarness.opening, signsFrom: ServiceHarness.opening)
        (ring ?? self.ring).learn(own: [key], published: [published], ResultKeyRule())
    }

    private var state: ResultSigningState? {
        ResultSigningState(.devices, ring, [], at: clock.now())
    }

    /// The key in memory that signs now; `nil`: none does.
    private var current: [UInt8]? { (try? ring.resultSigner(.devices, at: clock.now()))?.identifier }

    /// A result of 5 minutes, or of an hour as a session token.
    private func sign(_ shape: ResultShape = .earJWT, by ring: ResultKeyRing? = nil) async throws -> SignedResult {
        let facts = ResultFacts(
            app: .camera, purpose: .assert, formats: [.keySignature], assurance: .hardware, device: .random(),
            deviceKey: signer.publicKey, payloadHash: nil, challenge: [UInt8](repeating: 1, count: 54),
            policyDigest: [UInt8](repeating: 2, count: 32), requestID: [UInt8](repeating: 3, count: 16),
            decidedAt: clock.now(), simulated: false, confidence: nil, limits: [.relay], json: { Array("{}".utf8) },
            message: { [8, 1] })
        let signing = ResultSigner(keys: ring ?? self.ring, places: nil, counters: ResultCounters(), clock: clock)
        let request = ResultRequest(shape: shape, audience: ResultIssuers.audience)
        return try #require(await signing.sign(facts, for: [request], by: ResultIssuers.composer()).first)
    }

    private func problem(_ shape: ResultShape = .earJWT) async throws -> ResultProblem? {
        guard case .refused(let problem) = try await sign(shape).outcome else { return nil }
        return problem
    }

    /// Reads a result by what the issuer publishes.
    private func read(_ result: SignedResult) throws -> VerifiedResult {
        guard case .signed(let token, _, _) = result.outcome else { return try #require(nil, "\(result.outcome)") }
        let publication = try #require(ring.publication(of: .devices, at: clock.now()))
        return try ResultReader(keys: try JSONWebKeySet(parsing: publication.keySet)).read(
            token,
            expecting: ResultExpectation(
                result.shape, issuer: ResultIssuers.devices.address, audience: result.audience, at: clock.now()))
    }

    @Test(
        "The key signs one certificate, and the key in memory every result",
        arguments: [ResultShape.earJWT, .earCWT, .session, .plainJWS, .plainCOSE])
    func signed(_ shape: ResultShape) async throws {
        await task.prepare(within: .seconds(60))
        let key = try #require(current)
        for _ in 0..<10 {
            let result = try read(try await sign(shape))
            #expect(result.keyIdentifier == key)
            #expect(try result.certifiedBy == ring.signer(.devices, at: clock.now()).identifier)
        }
        #expect(signer.signatures == 1)
        let state = try #require(state)
        #expect(state.problem == nil && state.nextProblem == nil)
    }

    @Test("A certificate names the issuer, is for digital signatures alone, and begins 5 minutes before")
    func certificateOfKey() async throws {
        await task.renew()
        let key = try ring.resultSigner(.devices, at: clock.now())
        #expect(key.certificates.count == 2)
        let der = try #require(key.certificates.first)
        let (own, above) = (try Certificate(der: der[...]), try Certificate(der: key.certificates[1][...]))
        #expect(own.serial.count == 16 && own.issuer == above.subject)
        #expect("\(own.subject)" == "CN=https://assay.example.com")
        #expect(own.validity.notBefore == clock.now().adding(milliseconds: -300_000))
        #expect(own.validity.notAfter == clock.now().adding(milliseconds: Self.lifetime))
        #expect(try own.basicConstraints()?.isCA == false && own.keyUsage() == .digitalSignature)
        let critical = own.extensions.filter(\.isCritical).map { "\($0.oid)" }
        #expect(critical == ["2.5.29.19", "2.5.29.15"])
        #expect(own.extensions.map { "\($0.oid)" } == critical + ["2.5.29.14", "2.5.29.35"])
        #expect(own.publicKey.der.elementsEqual(key.signer.publicKey))
    }

    @Test("The key in memory is exchanged at half of its life, and what the one before signed stays good")
    func renewal() async throws {
        await task.renew()
        let first = try #require(current)
        let result = try await sign(.session)
        clock.advance(milliseconds: Self.lifetime / 2 - 1)
        await task.renew()
        #expect(current == first && signer.signatures == 1)
        let last = try await sign(.session)
        clock.advance(milliseconds: 1)
        await task.renew()
        let second = try #require(current)
        #expect(second != first && signer.signatures == 2)
        #expect(try read(last).keyIdentifier == first)
        #expect(try read(try await sign()).keyIdentifier == second)
        #expect(throws: ResultFault.self, "it has ended") { try read(result) }
    }

    @Test("While the token is away the last key in memory signs what ends before it, and then nothing is signed")
    func tokenAway() async throws {
        await task.renew()
        let first = try #require(current)
        signer.fail(with: SigningError("the token is gone"))
        clock.advance(milliseconds: Self.lifetime / 2)
        await task.renew()
        #expect(current == first)
        #expect(try await problem() == nil)
        #expect(state?.problem == nil)
        #expect(state?.nextProblem?.contains("certifies no other now") == true)
        #expect(state?.nextProblem?.contains("the token is gone") == true)
        // A session token of an hour would outlive the certificate, a result of 5 minutes does not.
        clock.set(ServiceHarness.opening.adding(milliseconds: Self.lifetime - Self.hour + 1))
        #expect(try await problem(.session) == .unavailable)
        #expect(try await problem() == nil)
        clock.set(ServiceHarness.opening.adding(milliseconds: Self.lifetime + 1))
        await task.renew()
        #expect(current == nil)
        #expect(try await problem() == .unavailable)
        #expect(state?.problem?.contains("the token is gone") == true && state?.nextProblem == nil)
        signer.fail(with: nil)
        await task.renew()
        #expect(try await problem(.session) == nil)
        #expect(state?.problem == nil && state?.nextProblem == nil)
    }

    @Test("While the clock is set back behind the certificate's beginning nothing is signed, until there is another")
    func clockSetBack() async throws {
        clock.advance(milliseconds: Self.hour)
        await task.renew()
        let first = try #require(current)
        clock.advance(milliseconds: -300_000)
        #expect(current == first)
        #expect(try read(try await sign()).keyIdentifier == first)
        signer.fail(with: SigningError("the token is gone"))
        clock.advance(milliseconds: -1)
        await task.renew()
        #expect(current == nil)
        #expect(try await problem() == .unavailable)
        #expect(state?.problem?.contains("the token is gone") == true)
        signer.fail(with: nil)
        await task.renew()
        let second = try #require(current)
        #expect(second != first)
        #expect(try read(try await sign()).keyIdentifier == second)
    }

    @Test("A token that is away at the start is waited for no longer than told, and is looked for again")
    func tokenAwayAtStart() async throws {
        signer.before { try? await Task.sleep(for: .seconds(3600)) }
        signer.fail(with: SigningError("the token is gone"))
        await task.prepare(within: .milliseconds(10))
        #expect(current == nil)
        #expect(try await problem() == .unavailable)
        #expect(state?.problem?.contains("the token is gone") == true)
        signer.before {}
        signer.fail(with: nil)
        let running = Task { await task.run() }
        while current == nil { try await Task.sleep(for: .milliseconds(5)) }
        running.cancel()
        await running.value
        #expect(try await problem() == nil)
    }

    @Test("A reload that shortens the life, or takes it away, is followed at once")
    func reload() async throws {
        await task.renew()
        let first = try #require(current)
        learn(try key(lifetime: Self.lifetime / 2))
        #expect(current == first)
        await task.renew()
        let second = try #require(current)
        #expect(second != first)
        let plain = try #require(
            ResultKey(signer, issuer: ResultIssuers.devices, certificates: [try certificate()]))
        learn(plain)
        #expect(current == plain.identifier)
        #expect(try read(try await sign()).certifiedBy == nil)
    }

    @Test("A reload by which a key begins to certify has a key in memory ready, unless the token is away")
    func reloadToCertify() async throws {
        let plain = try #require(ResultKey(signer, issuer: ResultIssuers.devices, certificates: [try certificate()]))
        learn(plain)
        let certifying = try key()
        signer.before { try? await Task.sleep(for: .seconds(3600)) }
        signer.fail(with: SigningError("the token is gone"))
        #expect(await task.certify(under: [certifying], within: .milliseconds(10)).isEmpty)
        signer.before {}
        signer.fail(with: nil)
        let certified = await task.certify(under: [certifying], within: .seconds(60))
        #expect(certified.count == 1 && current == plain.identifier, "nothing is changed before")
        learn(certifying)
        task.use(certified)
        let first = try #require(current)
        #expect(first != plain.identifier)
        #expect(try read(try await sign()).certifiedBy == plain.identifier)
        #expect(await task.certify(under: [certifying, plain], within: .seconds(60)).isEmpty, "there is one already")
        await task.renew()
        #expect(current == first)
    }

    @Test("Two daemons have a key in memory each, and what one publishes is enough to check what the other signs")
    func twoDaemons() async throws {
        await task.renew()
        let other = ResultKeyRing()
        learn(try key(), other)
        await ShortLivedKeyTask(ring: other, clock: clock, logger: ServiceHarness.logger).renew()
        let theirs = try other.resultSigner(.devices, at: clock.now()).identifier
        #expect(current != theirs)
        let result = try read(try await sign(by: other))
        #expect(result.keyIdentifier == theirs)
        #expect(try result.certifiedBy == ring.signer(.devices, at: clock.now()).identifier)
    }
}
