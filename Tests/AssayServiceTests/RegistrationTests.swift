import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@Suite("Registration and assertion")
struct RegistrationTests {
    @Test("are accepted one after the other, for the same device")
    func registerThenAssert() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        for counter in 1...3 as ClosedRange<UInt32> {
            let verdict = try await harness.assert(&handset)
            #expect(verdict.isAccepted && verdict.assurance == .secureElement)
            #expect(verdict.deviceID == Data(device.bytes))
            #expect(try await harness.ledger.device(device)?.counter == counter)
        }
        let record = try #require(try await harness.ledger.device(DeviceKey(app: .camera, keyID: handset.key.keyID)))
        #expect(record.id == device && record.registration.publicKey == handset.key.publicKey)
        #expect(record.registration.simulated, "what was registered through a test root stays simulated")
    }

    @Test("of two apps with one key are two devices")
    func twoApps() async throws {
        let harness = try await ServiceHarness()
        let (first, camera) = try await harness.enrol(.camera)
        var second = Handset(app: .notes)
        second.key = first.key
        let verdict = try await harness.verify(try second.registration(try await harness.challenge(.register, app: .notes)))
        #expect(verdict.isAccepted && Array(verdict.deviceID) != camera.bytes)
    }

    @Test("are recorded once each in the audit log, with who asked")
    func audit() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        let verdict = try await harness.assert(&handset)
        let log = harness.ledger.memory.auditLog
        #expect(log.map(\.record.purpose) == [.register, .assert])
        #expect(log.allSatisfy { $0.record.device == device && $0.record.caller == "loopback-demo" && $0.record.simulated })
        let last = try #require(log.last)
        #expect(last.time == ServiceHarness.opening && last.record.app == .camera && last.record.assurance == .secureElement)
        #expect(last.record.requestID == Array(verdict.requestID))
        #expect(last.record.evidenceDigest == Array(verdict.evidenceDigest))
        #expect(last.record.policyDigest == Array(verdict.policyDigest))
    }

    @Test("are counted in the traffic")
    func counters() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        _ = try await harness.assert(&handset)
        _ = try await harness.assert(&handset, changes: .genuine.counter(1))
        let counts = harness.counters.counts
        #expect(counts.accepted == 2 && counts.challengesIssued == 3)
        #expect(counts.rejected == [.counterNotIncreasing: 1] && counts.repeated == 0 && counts.unavailable == 0)
    }
}
