import AndroidKeyAttestation
import AppAttest
import AssayAPI
import AssayCertificates
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Testing

/// Evidence under test roots is refused by every app that does not say that it accepts simulated devices.
@Suite("Simulated evidence")
struct SimulatedTests {
    private func strict(_ ledger: WatchedLedger = WatchedLedger()) async throws -> ServiceHarness {
        try await ServiceHarness([.testing(.camera, acceptsSimulated: false)], ledger: ledger)
    }

    @Test("is refused at registration, and registers nothing")
    func attestation() async throws {
        let harness = try await strict()
        let verdict = try await harness.verify(try Handset().registration(try await harness.challenge(.register)))
        #expect(verdict.rejection == .simulatedNotAccepted && verdict.check == "simulated" && verdict.simulated)
        #expect(verdict.retry == .contactOperator && verdict.deviceID.isEmpty && verdict.assurance == .none)
        let last = try #require(verdict.findings.last)
        #expect(last.check == "simulated" && last.outcome == .fail && last.code == "simulated_not_accepted")
        #expect(try await harness.ledger.status().devices == 0 && harness.ledger.asked(.commit) == 0)
    }

    @Test("is refused for its own faults first")
    func otherFaults() async throws {
        let harness = try await strict()
        let stranger = Handset(authority: Handset.stranger)
        let verdict = try await harness.verify(try stranger.registration(try await harness.challenge(.register)))
        #expect(verdict.rejection == .untrustedRoot)
    }

    @Test("is refused of a device that registered while simulated ones were accepted")
    func registeredBefore() async throws {
        let ledger = WatchedLedger()
        let lax = try await ServiceHarness(ledger: ledger)
        var (handset, device) = try await lax.enrol()
        let now = try await strict(ledger)
        let verdict = try await now.assert(&handset)
        #expect(verdict.rejection == .simulatedNotAccepted && verdict.check == "registry" && verdict.simulated)
        #expect(verdict.deviceID == Data(device.bytes))
        #expect(try await ledger.device(device)?.counter == 0)
        #expect(try await lax.assert(&handset).isAccepted, "with the old configuration it is good again")
    }

    @Test("is refused where the root of a genuine registration became a test root")
    func rootBecameTest() async throws {
        let ledger = WatchedLedger()
        let own = try TrustAnchor(name: "own root", pem: Handset.authority.rootPEM, simulated: false)
        let then = try await ServiceHarness([.testing(.camera, anchors: [own], acceptsSimulated: false)], ledger: ledger)
        var (handset, _) = try await then.enrol()
        #expect(try await then.assert(&handset).isAccepted, "roots of the app's own are no test roots")
        let now = try await strict(ledger)
        let verdict = try await now.assert(&handset)
        #expect(verdict.rejection == .simulatedNotAccepted && verdict.check == "simulated" && verdict.simulated)
    }

    @Test("is not given out again as a stored verdict")
    func stored() async throws {
        let ledger = WatchedLedger()
        let lax = try await ServiceHarness(ledger: ledger)
        var (handset, _) = try await lax.enrol()
        var assertion = try handset.assertion(try await lax.challenge(.assert))
        var registration = try Handset().registration(try await lax.challenge(.register))
        (assertion.idempotencyKey, registration.idempotencyKey) = ([1], [2])
        for request in [assertion, registration] {
            #expect(try await lax.verify(request).isAccepted)
            let verdict = try await strict(ledger).verify(request)
            #expect(verdict.rejection == .simulatedNotAccepted && !verdict.repeated && verdict.simulated)
            #expect(try await lax.verify(request).repeated)
        }
        // What is not simulated is repeated by an app that is strict.
        let own = try TrustAnchor(name: "own root", pem: Handset.authority.rootPEM, simulated: false)
        let genuine = try await ServiceHarness([.testing(.camera, anchors: [own], acceptsSimulated: false)])
        var upload = try Handset().registration(try await genuine.challenge(.register))
        upload.idempotencyKey = [3]
        #expect(try await genuine.verify(upload).isAccepted)
        let again = try await genuine.verify(upload)
        #expect(again.isAccepted && again.repeated)
    }

    @Test("of Android is refused at registration and at each signature")
    func android() async throws {
        let ledger = WatchedLedger()
        let lax = try await ServiceHarness.android(ledger: ledger)
        let strict = try await ServiceHarness.android(ledger: ledger, acceptsSimulated: false)
        var phone = VirtualAndroid.testing()
        let (known, other) = (try phone.makeKey(), try phone.makeKey())
        #expect(try await lax.verify(try known.registration(try await lax.challenge(.register))).isAccepted)
        let registration = try await strict.verify(try other.registration(try await strict.challenge(.register)))
        #expect(registration.rejection == .simulatedNotAccepted && registration.check == "simulated")
        let upload = try await strict.verify(try known.upload(try await strict.challenge(.assert)))
        #expect(upload.rejection == .simulatedNotAccepted && upload.check == "registry" && upload.simulated)
        #expect(try await lax.verify(try known.upload(try await lax.challenge(.assert))).isAccepted)
    }

    @Test("is refused, and not left open, where something else is unavailable")
    func unavailable() async throws {
        let board = RevocationBoard()
        board.set(.unavailable("no list yet"))
        let harness = try await ServiceHarness.android(board: board, acceptsSimulated: false)
        var phone = VirtualAndroid.testing()
        let key = try phone.makeKey()
        let verdict = try await harness.verify(try key.registration(try await harness.challenge(.register)))
        #expect(verdict.rejection == .simulatedNotAccepted)
    }
}
