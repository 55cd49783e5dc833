import AndroidKeyAttestation
import AssayAPI
import AssayCertificates
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import KeySignature
import Synchronization
import Testing

/// What is on the list of revoked certificates, for a test to change.
final class RevocationBoard: RevocationSource {
    private let known = Mutex<RevocationKnowledge>(.notConsulted)

    func knowledge(at now: Timestamp) -> RevocationKnowledge { known.withLock { $0 } }
    func set(_ knowledge: RevocationKnowledge) { known.withLock { $0 = knowledge } }

    func revoke(_ serials: [[UInt8]], _ status: RevocationSnapshot.Status = .revoked) {
        let feed = FeedVersion(name: "test-list", id: "1", asOf: House.opening)
        let entries = Dictionary(
            serials.map { ($0, RevocationSnapshot.Entry(status)) }, uniquingKeysWith: { first, _ in first })
        set(.snapshot(RevocationSnapshot(feed: feed, entries: entries)))
    }
}

@Suite("Android devices")
struct AndroidTests {
    static let signer = [UInt8](repeating: 0x19, count: 32)
    let board = RevocationBoard()

    private func house(
        minimumLevel: SecurityLevel = .trustedEnvironment, binding: BindingRule = BindingRule()
    ) async throws -> House {
        let authority = AndroidAuthority(seed: "service tests")
        let anchors = try AndroidAuthority.Root.allCases.map {
            try TrustAnchor(name: $0.rawValue, pem: try authority.pem($0), simulated: true)
        }
        let policy = AndroidPolicy(
            apps: [AndroidApp(packageName: "com.example.camera", signers: [Self.signer])], minimumLevel: minimumLevel)
        let profile = AppProfile(
            id: .camera,
            verifiers: [
                KeyAttestationVerifier(anchors: anchors, policy: policy, links: LinkCache()),
                KeySignatureVerifier(judges: [AndroidDeviceJudge(anchors: anchors, policy: policy)]),
            ], revocation: board, binding: binding, policyDigest: [UInt8](repeating: 0xD1, count: 32))
        return try await House([profile])
    }

    private func device(_ level: VirtualAndroid.Level = .trustedEnvironment) throws -> VirtualAndroid {
        VirtualAndroid(
            authority: AndroidAuthority(seed: "service tests"),
            application: AttestedApplicationDraft("com.example.camera", signer: Self.signer), level: level)
    }

    private func registration(_ key: AndroidKey, _ challenge: [UInt8]) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        return VerificationRequest(
            app: .camera, purpose: .register, challenge: challenge,
            evidence: [
                Evidence(
                    format: .keyAttestation, keyID: [],
                    body: Evidence.join(try key.attest(challenge: data.bytes, at: House.opening)))
            ])
    }

    private func upload(_ key: AndroidKey, _ challenge: [UInt8], _ purpose: Purpose = .assert) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: purpose, challenge: challenge, payload: [7]))
        return VerificationRequest(
            app: .camera, purpose: purpose, challenge: challenge, evidence: [try signature(key, over: data.bytes)],
            binding: .clientData(payloadHash: data.payloadHash))
    }

    private func signature(_ key: AndroidKey, over message: [UInt8]) throws -> Evidence {
        let scheme = key.key.usualScheme
        let parts = [[scheme.rawValue], try key.sign(message)]
        return Evidence(format: .keySignature, keyID: key.keyID, body: Evidence.join(parts))
    }

    private func enrol(_ key: AndroidKey, in house: House) async throws -> DeviceID {
        let verdict = try await house.verify(try registration(key, try await house.challenge(.register)))
        try #require(verdict.isAccepted, "\(verdict.reason)")
        return try #require(DeviceID(bytes: Array(verdict.deviceID)))
    }

    @Test(
        "register once and sign with keys of every kind",
        arguments: [.p256, .p384, .rsa2048, .ed25519, .mlDSA65] as [TestKey.Kind])
    func life(_ kind: TestKey.Kind) async throws {
        let house = try await house()
        var phone = try device(.strongBox)
        let key = try phone.makeKey(kind)
        let id = try await enrol(key, in: house)
        for _ in 0..<2 {
            let request = try upload(key, try await house.challenge(.assert))
            let verdict = try await house.verify(request)
            #expect(verdict.isAccepted, "\(verdict.reason)")
            #expect(verdict.assurance == .secureElement)
            #expect(verdict.simulated)
            #expect(DeviceID(bytes: Array(verdict.deviceID)) == id)
            #expect(try await house.verify(request).rejection == .challengeReused)
        }
    }

    @Test("are not registered by a signature, and sign no REGISTER challenge")
    func purposes() async throws {
        let house = try await house()
        var phone = try device()
        let key = try phone.makeKey()
        let early = try await house.verify(try upload(key, try await house.challenge(.assert)))
        #expect(early.rejection == .unknownDevice)
        _ = try await enrol(key, in: house)
        let wrong = try await house.verify(try upload(key, try await house.challenge(.register), .register))
        #expect(wrong.rejection == .formatNotAccepted)
    }

    @Test("stop being good with the next signature once their chain is revoked, and are good again when that is lifted")
    func revocation() async throws {
        let house = try await house()
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: house)
        #expect(try await house.verify(try upload(key, try await house.challenge(.assert))).isAccepted)
        board.revoke([phone.attestationSerial])
        #expect(try await house.verify(try upload(key, try await house.challenge(.assert))).rejection == .revoked)
        board.revoke([phone.attestationSerial], .suspended)
        #expect(try await house.verify(try upload(key, try await house.challenge(.assert))).rejection == .revoked)
        board.revoke([])
        let verdict = try await house.verify(try upload(key, try await house.challenge(.assert)))
        #expect(verdict.isAccepted)
        #expect(verdict.feeds.map(\.feed) == ["test-list"])
    }

    @Test("are neither accepted nor refused while the list cannot be had, and spend nothing")
    func unavailable() async throws {
        let house = try await house()
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: house)
        board.set(.unavailable("the list is too old"))
        let request = try upload(key, try await house.challenge(.assert))
        #expect(try await house.failure(request)?.code == .unavailable)
        board.revoke([])
        #expect(try await house.verify(request).isAccepted)
    }

    @Test("sign what a caller vouches for once, however often the signature is rewritten")
    func callerOwned() async throws {
        let house = try await house(binding: BindingRule(callerOwned: CallerOwnedRule(spendEvidenceFor: 60_000)))
        var phone = try device()
        let key = try phone.makeKey()
        _ = try await enrol(key, in: house)
        let hash = [UInt8](repeating: 0xAB, count: 32)
        let draft = try TestSigningKey(.p256, scalar: key.key.privateBytes).sign(hash, hash: .sha256)
        func request(_ signature: [UInt8]) -> VerificationRequest {
            VerificationRequest(
                app: .camera, purpose: .assert, challenge: [],
                evidence: [
                    Evidence(format: .keySignature, keyID: key.keyID, body: Evidence.join([[1], signature]))
                ], binding: .callerOwned(hash))
        }
        #expect(try await house.verify(request(draft.der)).isAccepted)
        #expect(try await house.verify(request(draft.der)).rejection == .challengeReused)
        #expect(try await house.verify(request(draft.mirrored.der)).rejection == .challengeReused)
    }

    @Test("are refused for what they are: software, unlocked")
    func refused() async throws {
        let house = try await house()
        var software = try device(.software)
        let soft = try await house.verify(try registration(try software.makeKey(), try await house.challenge(.register)))
        #expect(soft.rejection == .softwareLevel)
        var open = try device()
        open.rootOfTrust = .unlocked
        let unlocked = try await house.verify(try registration(try open.makeKey(), try await house.challenge(.register)))
        #expect(unlocked.rejection == .bootloaderUnlocked)
    }
}
