import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Synchronization
import Testing

@Suite("Issuing certificates")
struct IssuingTests {
    private static func csr(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) -> [UInt8] {
        StandInAuthority.csr(Array(key.publicKey.derRepresentation))
    }

    /// A request with an attestation of a new phone, whose payload is the CSR.
    private func request(
        _ harness: ServiceHarness, _ handset: Handset, csr: [UInt8], payload: [UInt8]? = nil, key: String = ""
    ) async throws -> Assay_V1_IssueCertificateRequest {
        let challenge = try await harness.challenge(.provision)
        let hash = ClientData.payloadHash(payload ?? csr)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payloadHash: hash))
        let evidence = try #require(try handset.attestation(over: data.hash).message)
        return .with {
            $0.app = AppID.camera.text
            $0.challenge = Data(challenge)
            $0.evidence = [evidence]
            $0.payloadSha256 = Data(hash)
            $0.csr = Data(csr)
            $0.idempotencyKey = Data(key.utf8)
        }
    }

    @Test("An attested phone gets a certificate for a key that it vouches for, and is registered in the same step")
    func phone() async throws {
        let harness = try await ServiceHarness()
        let key = P256.Signing.PrivateKey()
        let response = try await harness.call(
            API.issueCertificate, try await request(harness, Handset(), csr: Self.csr(key)))
        #expect(response.verdict.isAccepted, "\(response.verdict.reason): \(response.verdict.detail)")
        #expect(response.certificate.keyProtection == .vouched && response.certificate.assurance == .platform)
        #expect(response.certificate.deviceID == response.verdict.deviceID && response.certificate.simulated)
        #expect(response.certificate.platform == "app-attest.attestation" && response.chain == [Data("CA".utf8)])
        #expect(response.certificate.keyID == Data(SHA256.hash(data: key.publicKey.derRepresentation)))
        let order = try #require(harness.authority.orders.first)
        #expect(order.requestID == Array(response.verdict.requestID) && order.basis.policyDigest.count == 32)
        let stored = try await harness.ledger.certificate(ofKey: Array(response.certificate.keyID), app: .camera)
        #expect(stored?.message == response.certificate)
        let id = try #require(DeviceID(bytes: Array(response.verdict.deviceID)))
        #expect(try await harness.ledger.device(id) != nil)
        #expect(harness.counters.counts.accepted == 1)
        let changes = harness.ledger.memory.auditChanges.map(\.change)
        #expect(changes.map(\.kind) == [.issueCertificate] && changes.first?.device == id)
    }

    @Test(
        "Requests that come together are committed together, unless the key waits for a device, and each has its own answer",
        arguments: [false, true])
    func together(waits: Bool) async throws {
        let harness = try await ServiceHarness()
        harness.authority.setWaits(waits)
        let keys = (0..<3).map { _ in P256.Signing.PrivateKey() }
        var messages: [[UInt8]] = []
        for key in keys {
            messages.append(try await request(harness, Handset(), csr: Self.csr(key)).serializedBytes())
        }
        messages.insert([0x0A, 0xFF], at: 1)
        let refused = try await request(harness, Handset(), csr: Array("none".utf8))
        messages.insert(try refused.serializedBytes(), at: 2)
        var unknown = refused
        unknown.app = "none"
        messages.append(try unknown.serializedBytes())

        let method = try #require(harness.methods.first { $0.path == API.issueCertificate.path })
        guard case .batch(let work) = method.handler else {
            Issue.record("the method is not served in batches")
            return
        }
        let answers = Mutex<[Int: Result<[UInt8], RPCError>]>([:])
        let calls = messages.enumerated().map { number, message in
            RPCCall(method: method.path, message: message, peer: ServiceHarness.loopback) { answer in
                answers.withLock { $0[number] = answer }
            }
        }
        let commits = harness.ledger.asked(.commit)
        await work(calls)
        #expect(harness.ledger.asked(.commit) == commits + (waits ? 3 : 1))
        let all = answers.withLock { $0 }
        for (number, key) in zip([0, 3, 4], keys) {
            let answer = try #require(all[number]).get()
            let response = try Assay_V1_IssueCertificateResponse(serializedBytes: answer)
            #expect(response.verdict.isAccepted)
            #expect(response.certificate.keyID == Data(SHA256.hash(data: key.publicKey.derRepresentation)))
        }
        let rejected = try Assay_V1_IssueCertificateResponse(serializedBytes: try #require(all[2]).get())
        #expect(rejected.verdict.reason == "malformed_csr" && rejected.certificate.certificate.isEmpty)
        #expect(throws: RPCError.self) { try all[1]?.get() }
        #expect(throws: RPCError.self) { try all[5]?.get() }
        #expect(harness.authority.orders.count == 3)
    }

    @Test("What is odd about a request that is read nevertheless is a note of the verdict")
    func quirks() async throws {
        let harness = try await ServiceHarness()
        let odd = Array("odd:".utf8) + Self.csr().dropFirst(4)
        let response = try await harness.call(API.issueCertificate, try await request(harness, Handset(), csr: odd))
        #expect(response.verdict.isAccepted, "\(response.verdict.reason): \(response.verdict.detail)")
        let notes = response.verdict.findings.filter { $0.check == "csr" && $0.outcome == .note }.map(\.code)
        #expect(notes == ["csr_without_attributes"], "\(response.verdict.findings)")
    }

    @Test("A registered phone gets a certificate by an assertion")
    func assertion() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let csr = Self.csr()
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let evidence = try #require(try handset.assertion(over: data.hash).message)
        let response = try await harness.call(
            API.issueCertificate,
            .with {
                $0.app = AppID.camera.text
                $0.challenge = Data(challenge)
                $0.evidence = [evidence]
                $0.payloadSha256 = Data(ClientData.payloadHash(csr))
                $0.csr = Data(csr)
            })
        #expect(response.verdict.isAccepted, "\(response.verdict.reason)")
        #expect(response.certificate.deviceID == Data(device.bytes))
    }

    @Test("An Android key is certified as attested, and no other key is")
    func android() async throws {
        let harness = try await ServiceHarness.android(issuing: IssuingRule(leastAssurance: .hardware))
        var device = VirtualAndroid.testing()
        let key = try device.makeKey()
        let spki = key.key.subjectPublicKeyInfo
        for (requested, reason) in [(Self.csr(), "csr_key_mismatch"), (StandInAuthority.csr(spki), "")] {
            let challenge = try await harness.challenge(.provision)
            let data = try #require(ClientData(purpose: .provision, challenge: challenge))
            let chain = try key.attest(challenge: data.bytes, at: ServiceHarness.opening)
            let response = try await harness.call(
                API.issueCertificate,
                .with {
                    $0.app = AppID.camera.text
                    $0.challenge = Data(challenge)
                    $0.evidence = [.with { $0.androidKeyAttestation.certificates = chain.map { Data($0) } }]
                    $0.csr = Data(requested)
                })
            #expect(response.verdict.reason == reason, "\(response.verdict.detail)")
            guard reason.isEmpty else { continue }
            #expect(response.certificate.keyProtection == .attested && response.certificate.assurance == .hardware)
        }
    }

    @Test("A bare key is certified only if the platform attested it")
    func bareKey() async throws {
        let harness = try await ServiceHarness()
        let key = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        var message = try await request(harness, Handset(), csr: key)
        message.publicKey = Data(key)
        let response = try await harness.call(API.issueCertificate, message)
        #expect(response.verdict.reason == "possession_not_proven" && response.verdict.check == "key")
    }

    @Test("A CSR that the phone did not sign is refused, and nothing is spent")
    func unboundCSR() async throws {
        let harness = try await ServiceHarness()
        let other = Self.csr()
        var message = try await request(harness, Handset(), csr: Self.csr())
        let genuine = message.csr
        message.csr = Data(other)
        let refused = try await harness.call(API.issueCertificate, message)
        #expect(refused.verdict.reason == "csr_not_bound" && !refused.hasCertificate)
        message.csr = genuine
        let accepted = try await harness.call(API.issueCertificate, message)
        #expect(accepted.verdict.isAccepted, "\(accepted.verdict.reason)")
    }

    @Test("A malformed CSR is refused")
    func malformedCSR() async throws {
        let harness = try await ServiceHarness()
        let response = try await harness.call(
            API.issueCertificate, try await request(harness, Handset(), csr: [1, 2, 3]))
        #expect(response.verdict.reason == "malformed_csr" && response.verdict.check == "csr")
    }

    @Test("A certificate below the least assurance is refused")
    func assurance() async throws {
        for rule in [
            IssuingRule(leastAssurance: .hardware), IssuingRule(leastAssurance: .software, vouchedCeiling: nil),
        ] {
            let harness = try await ServiceHarness([.testing(.camera, issuing: rule)])
            let response = try await harness.call(
                API.issueCertificate, try await request(harness, Handset(), csr: Self.csr()))
            #expect(response.verdict.reason == "assurance_too_low" && response.verdict.check == "assurance")
        }
    }

    @Test("A key is certified once")
    func sameKey() async throws {
        let harness = try await ServiceHarness()
        let csr = Self.csr()
        let first = try await harness.call(API.issueCertificate, try await request(harness, Handset(), csr: csr))
        #expect(first.verdict.isAccepted)
        let second = try await harness.call(API.issueCertificate, try await request(harness, Handset(), csr: csr))
        #expect(second.verdict.reason == "key_already_certified" && second.verdict.check == "commit")
    }

    @Test("An equal request under one key gets the same certificate, and a different one is refused")
    func idempotency() async throws {
        let harness = try await ServiceHarness()
        var message = try await request(harness, Handset(), csr: Self.csr(), key: "order 1")
        let first = try await harness.call(API.issueCertificate, message)
        let second = try await harness.call(API.issueCertificate, message)
        #expect(first.verdict.isAccepted && second.verdict.repeated && first.certificate == second.certificate)
        #expect(first.chain == second.chain && harness.authority.orders.count == 1)
        message.csr = Data(Self.csr())
        let other = try await harness.call(API.issueCertificate, message)
        #expect(other.verdict.reason == "idempotency_key_reused")
    }

    @Test("64 equal requests race under one key: all get one certificate")
    func race() async throws {
        let harness = try await ServiceHarness()
        let message = try await request(harness, Handset(), csr: Self.csr(), key: "order 2")
        let answers = try await AssayServiceTests.race(64) { _ in try await harness.call(API.issueCertificate, message) }
        let serials = Set(answers.map(\.certificate.serial))
        #expect(serials.count == 1)
        #expect(answers.allSatisfy(\.verdict.isAccepted) && answers.count { !$0.verdict.repeated } == 1)
    }

    @Test("While no CA signs, the answer is UNAVAILABLE, nothing is spent, and verdicts go on")
    func unavailable() async throws {
        let harness = try await ServiceHarness()
        let message = try await request(harness, Handset(), csr: Self.csr())
        harness.authority.fail(with: .unavailable("the token is gone"))
        for _ in 0..<10 {
            await #expect(throws: RPCError.self) { try await harness.call(API.issueCertificate, message) }
        }
        _ = try await harness.enrol()
        harness.authority.fail(with: nil)
        let response = try await harness.call(API.issueCertificate, message)
        #expect(response.verdict.isAccepted, "\(response.verdict.reason)")
    }

    @Test("An app without provisioning issues nothing")
    func notConfigured() async throws {
        let harness = try await ServiceHarness([.testing(.camera, issuing: nil)])
        let message = try await request(harness, Handset(), csr: Self.csr())
        let error = await #expect(throws: RPCError.self) { try await harness.call(API.issueCertificate, message) }
        #expect(error?.reason == "provisioning_not_configured")
    }

    @Test("A challenge for another purpose, and evidence for another purpose, are refused")
    func purposes() async throws {
        let harness = try await ServiceHarness()
        var message = try await request(harness, Handset(), csr: Self.csr())
        let other = try await harness.challenge(.register)
        message.challenge = Data(other)
        #expect(try await harness.call(API.issueCertificate, message).verdict.reason == "challenge_wrong_purpose")
    }

    @Test("A blocked subject gets no certificate")
    func blocked() async throws {
        let harness = try await ServiceHarness()
        _ = try await harness.call(
            API.block,
            .with {
                $0.app = AppID.camera.text
                $0.target.subject = Data("anna".utf8)
                $0.reason = "fraud"
            })
        var message = try await request(harness, Handset(), csr: Self.csr())
        message.subject = Data("anna".utf8)
        #expect(try await harness.call(API.issueCertificate, message).verdict.reason == "device_blocked")
    }
}
