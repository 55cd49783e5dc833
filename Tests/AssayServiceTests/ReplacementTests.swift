import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

/// A registration in place of a device whose key its user has lost.
@Suite("Replaced devices")
struct ReplacementTests {
    private func harness(
        _ rule: ReplacementRule = .ofSubject, limit: UInt32? = nil, ledger: WatchedLedger = WatchedLedger(),
        callers: CallerDirectory = CallerDirectory(byUserID: [:], loopback: CallerDirectory.demo)
    ) async throws -> ServiceHarness {
        try await ServiceHarness(
            [.testing(.camera, devicesPerSubject: limit, replacement: rule), .testing(.notes, replacement: rule)],
            callers: callers, ledger: ledger)
    }

    private func registration(
        of handset: Handset = Handset(), replacing old: DeviceID?, subject: String = "anna", _ harness: ServiceHarness,
        peer: RPCPeer = ServiceHarness.loopback
    ) async throws -> VerificationRequest {
        var request = try handset.registration(try await harness.challenge(.register, peer: peer))
        (request.subject, request.replaces) = (Array(subject.utf8), old)
        return request
    }

    @Test("A user with a new key retires the old device at once, at the limit of devices, without the role for devices")
    func replaced() async throws {
        let uploads = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let callers = CallerDirectory(
            byUserID: [1: Caller(name: "uploads", roles: [.verify], apps: [.camera])], loopback: CallerDirectory.demo)
        let harness = try await harness(limit: 1, callers: callers)
        var (old, device) = try await harness.enrol(subject: Array("anna".utf8))
        let plain = try await harness.verify(try await registration(replacing: nil, harness))
        #expect(plain.rejection == .tooManyDevices)
        let request = try await registration(replacing: device, harness, peer: uploads)
        let verdict = try await harness.verify(request, peer: uploads)
        #expect(verdict.isAccepted, "\(verdict.reason): \(verdict.detail)")
        #expect(verdict.findings.contains { $0.code == "device_replaced" && $0.detail.contains("\(device)") })
        let new = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        #expect(new != device && harness.ledger.memory.auditLog.last?.record.device == new)
        #expect(try await harness.ledger.device(device) == nil)
        #expect(try await harness.assert(&old).rejection == .unknownDevice)
        let removal = try #require(harness.ledger.memory.auditChanges.last?.change)
        #expect(removal.kind == .forget && removal.device == device && removal.origin == .caller("uploads"))
        // The same request is a second registration of its key, or names what is gone.
        #expect(try await harness.verify(request).rejection == .replacementRefused)
    }

    @Test("A device's certificates are revoked with it")
    func certificates() async throws {
        let harness = try await harness()
        let csr = StandInAuthority.csr(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
        let handset = Handset()
        let challenge = try await harness.challenge(.provision)
        let data = try #require(ClientData(purpose: .provision, challenge: challenge, payload: csr))
        let evidence = try #require(try handset.attestation(over: data.hash).message)
        let issued = try await harness.call(
            API.issueCertificate,
            .with {
                ($0.app, $0.challenge, $0.evidence) = (AppID.camera.text, Data(challenge), [evidence])
                ($0.payloadSha256, $0.csr) = (Data(ClientData.payloadHash(csr)), Data(csr))
                $0.subject = Data("anna".utf8)
            })
        let old = try #require(DeviceID(bytes: Array(issued.verdict.deviceID)))
        #expect(try await harness.verify(try await registration(replacing: old, harness)).isAccepted)
        let certificate = try await harness.ledger.certificate(ofKey: Array(issued.certificate.keyID), app: .camera)
        #expect(certificate?.revocation?.reason == .superseded)
    }

    @Test("By default only a device of the request's subject may be replaced")
    func ofSubject() async throws {
        let harness = try await harness()
        let (_, annas) = try await harness.enrol(subject: Array("anna".utf8))
        let (_, nobodys) = try await harness.enrol()
        let (_, elsewhere) = try await harness.enrol(.notes, subject: Array("anna".utf8))
        for (device, subject, why) in [
            (annas, "berta", "for another subject"), (annas, "", "names no subject"), (nobodys, "anna", "without a subject"),
            (elsewhere, "anna", "is registered for the app"), (.random(), "anna", "is registered for the app"),
        ] {
            let verdict = try await harness.verify(try await registration(replacing: device, subject: subject, harness))
            #expect(verdict.rejection == .replacementRefused && verdict.retry == .never && verdict.check == "registry")
            #expect(verdict.detail.contains(why), "\(verdict.detail)")
        }
        #expect(try await harness.ledger.status().devices == 3)
        #expect(try await harness.verify(try await registration(replacing: annas, harness)).isAccepted)
    }

    @Test("The app may let any of its devices be replaced, or none")
    func rules() async throws {
        let any = try await harness(.any)
        let (_, nobodys) = try await any.enrol()
        let (_, elsewhere) = try await any.enrol(.notes)
        #expect(try await any.verify(try await registration(replacing: nobodys, subject: "", any)).isAccepted)
        let foreign = try await any.verify(try await registration(replacing: elsewhere, any))
        #expect(foreign.rejection == .replacementRefused)
        let none = try await harness(.none)
        let (_, annas) = try await none.enrol(subject: Array("anna".utf8))
        let verdict = try await none.verify(try await registration(replacing: annas, none))
        #expect(verdict.rejection == .replacementRefused && verdict.detail.contains("replaces: none"))
    }

    @Test("A blocked device is not left behind, also when the block comes while the evidence is looked at")
    func blocked() async throws {
        let ledger = WatchedLedger()
        let harness = try await harness(ledger: ledger)
        let (_, old) = try await harness.enrol(subject: Array("anna".utf8))
        _ = try await ledger.block(.device(old), reason: "fraud", at: ServiceHarness.opening)
        #expect(try await harness.verify(try await registration(replacing: old, harness)).rejection == .deviceBlocked)
        _ = try await ledger.unblock(.device(old))
        let request = try await registration(replacing: old, harness)
        ledger.before(.commit) { [memory = ledger.memory] in
            _ = try? await memory.block(.device(old), reason: "fraud", at: ServiceHarness.opening)
        }
        let late = try await harness.verify(request)
        #expect(late.rejection == .deviceBlocked && late.check == "commit")
        _ = try await ledger.unblock(.device(old))
        ledger.before(.commit) { [memory = ledger.memory] in
            _ = try? await memory.forget(old, ChangeContext(.caller("test"), at: ServiceHarness.opening, reason: "test"))
        }
        let gone = try await harness.verify(request)
        #expect(gone.rejection == .replacementRefused && gone.check == "commit" && gone.retry == .never)
        #expect(try await ledger.status().devices == 0)
    }

    @Test("Evidence that is rejected retires nothing")
    func rejected() async throws {
        let harness = try await harness()
        let (_, old) = try await harness.enrol(subject: Array("anna".utf8))
        let bad = try await registration(of: Handset(authority: Handset.stranger), replacing: old, harness)
        #expect(try await harness.verify(bad).rejection == .untrustedRoot)
        #expect(try await harness.ledger.device(old) != nil)
    }

    @Test("64 registrations race to replace one device: exactly one is accepted, and equal ones get its verdict")
    func race() async throws {
        let harness = try await harness(limit: 1)
        let (_, old) = try await harness.enrol(subject: Array("anna".utf8))
        var requests: [VerificationRequest] = []
        for _ in 0..<64 { requests.append(try await registration(replacing: old, harness)) }
        let verdicts = try await AssayServiceTests.race(64) { [requests] in try await harness.verify(requests[$0]) }
        let accepted = verdicts.filter(\.isAccepted)
        #expect(accepted.count == 1 && verdicts.count { $0.rejection == .replacementRefused } == 63)
        let winner = try #require(accepted.first)
        let next = try #require(DeviceID(bytes: Array(winner.deviceID)))
        var equal = try await registration(replacing: next, harness)
        equal.idempotencyKey = [1]
        let answers = try await AssayServiceTests.race(64) { [equal] _ in try await harness.verify(equal) }
        #expect(answers.allSatisfy(\.isAccepted) && Set(answers.map(\.deviceID)).count == 1)
        #expect(try await harness.ledger.status().devices == 1)
    }

    @Test("Only a registration replaces a device")
    func purposes() async throws {
        let harness = try await harness()
        var (handset, device) = try await harness.enrol()
        var request = try handset.assertion(try await harness.challenge(.assert))
        request.replaces = device
        let error = try await harness.failure(request)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("replaces_device_id ") == true)
    }
}
