import AndroidKeyAttestation
import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import Testing

@Suite("Android devices")
struct AndroidTests {
    let board = RevocationBoard()

    private func harness(
        minimumLevel: SecurityLevel = .trustedEnvironment, binding: BindingRule = BindingRule()
    ) async throws -> ServiceHarness {
        var policy = AndroidPolicy.testing
        policy.minimumLevel = minimumLevel
        return try await ServiceHarness.android(policy, board: board, binding: binding)
    }

    private func device(_ level: VirtualAndroid.Level = .trustedEnvironment) throws -> VirtualAndroid { .testing(level) }

    private func enrol(_ key: AndroidKey, in harness: ServiceHarness) async throws -> DeviceID {
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return try #require(DeviceID(bytes: Array(verdict.deviceID)))
    }

    @Test(
        "register once and sign with keys of every kind",
        arguments: [.p256, .p384, .rsa2048, .ed25519, .mlDSA65] as [TestKey.Kind])
    func life(_ kind: TestKey.Kind) async throws {
        let harness = try await harness()
        var phone = try device(.strongBox)
        let key = try phone.makeKey(kind)
        let id = try await enrol(key, in: harness)
        for _ in 0..<2 {
            let request = try key.upload(try await harness.challenge(.assert))
            let verdict = try await harness.verify(request)
            #expect(verdict.isAccepted, "\(verdict.reason)")
            #expect(verdict.assurance == .secureElement)
            #expect(verdict.simulated)
            #expect(DeviceID(bytes: Array(verdict.deviceID)) == id)
            #expect(try await harness.verify(request).rejection == .challengeReused)
        }
    }

    @Test("have the list asked once a request; an iPhone of the same app does not")
    func questions() async throws {
        let harness = try await ServiceHarness.android(
            board: board, beside: Array(AppProfile.testing(.camera).verifiers.values))
        var (handset, _) = try await harness.enrol()
        #expect(try await harness.verify(try handset.assertion(try await harness.challenge(.assert))).isAccepted)
        #expect(board.questions == 0)
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: harness)
        #expect(board.questions == 1)
        #expect(try await harness.verify(try key.upload(try await harness.challenge(.assert))).isAccepted)
        #expect(board.questions == 2)
    }

    @Test("are not registered by a signature, and sign no REGISTER challenge")
    func purposes() async throws {
        let harness = try await harness()
        var phone = try device()
        let key = try phone.makeKey()
        let early = try await harness.verify(try key.upload(try await harness.challenge(.assert)))
        #expect(early.rejection == .unknownDevice)
        _ = try await enrol(key, in: harness)
        let wrong = try await harness.verify(try key.upload(try await harness.challenge(.register), .register))
        #expect(wrong.rejection == .formatNotAccepted)
    }

    @Test("stop being good with the next signature once their chain is revoked, and are good again when that is lifted")
    func revocation() async throws {
        let harness = try await harness()
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: harness)
        #expect(try await harness.verify(try key.upload(try await harness.challenge(.assert))).isAccepted)
        board.revoke([phone.attestationSerial])
        #expect(try await harness.verify(try key.upload(try await harness.challenge(.assert))).rejection == .revoked)
        board.revoke([phone.attestationSerial], .suspended)
        #expect(try await harness.verify(try key.upload(try await harness.challenge(.assert))).rejection == .revoked)
        board.revoke([])
        let verdict = try await harness.verify(try key.upload(try await harness.challenge(.assert)))
        #expect(verdict.isAccepted)
        #expect(verdict.feeds.map(\.feed) == ["test-list"])
    }

    @Test("are neither accepted nor refused while the list cannot be had, and spend nothing")
    func unavailable() async throws {
        let harness = try await harness()
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: harness)
        board.set(.unavailable("the list is too old"))
        let request = try key.upload(try await harness.challenge(.assert))
        #expect(try await harness.failure(request)?.code == .unavailable)
        board.revoke([])
        #expect(try await harness.verify(request).isAccepted)
    }

    @Test("sign what a caller vouches for once, however often the signature is rewritten")
    func callerOwned() async throws {
        let harness = try await harness(binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000)))
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: harness)
        let hash = [UInt8](repeating: 0xAB, count: 32)
        let draft = try TestSigningKey(.p256, scalar: key.key.privateBytes).sign(hash, hash: .sha256)
        func request(_ signature: [UInt8]) -> VerificationRequest {
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [],
                evidence: [
                    Evidence(format: .keySignature, keyID: key.keyID, body: Evidence.join([[1], signature]))
                ], binding: .callerOwned(hash))
        }
        #expect(try await harness.verify(request(draft.der)).isAccepted)
        #expect(try await harness.verify(request(draft.der)).rejection == .challengeReused)
        #expect(try await harness.verify(request(draft.mirrored.der)).rejection == .challengeReused)
    }

    @Test("are refused for what they are: software, unlocked")
    func refused() async throws {
        let harness = try await harness()
        var software = try device(.software)
        let soft = try await harness.verify(try software.makeKey().registration(try await harness.challenge(.register)))
        #expect(soft.rejection == .softwareLevel)
        var open = try device()
        open.rootOfTrust = .unlocked
        let unlocked = try await harness.verify(try open.makeKey().registration(try await harness.challenge(.register)))
        #expect(unlocked.rejection == .bootloaderUnlocked)
    }
}
