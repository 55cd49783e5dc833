import AndroidKeyAttestation
import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Testing

/// A leaked key shows by how much it attests.
@Suite("Devices of one attestation key")
struct AttestationKeyUseTests {
    private func policy(_ rule: RemoteKeyProvisioningRule) -> AndroidPolicy {
        var policy = AndroidPolicy.testing
        policy.provisioning = rule
        return policy
    }

    /// Registers one more key of a device: as far as anyone can tell, one more device under its attestation key.
    private func register(_ device: inout VirtualAndroid, in harness: ServiceHarness) async throws -> Assay_V1_Verdict {
        try await harness.verify(try device.makeKey().registration(try await harness.challenge(.register)))
    }

    private func notes(in harness: ServiceHarness) async throws -> [String: UInt64] {
        let status: Assay_V1_StatusResponse = try await harness.call(API.status, Assay_V1_StatusRequest())
        return status.traffic.notes
    }

    @Test("are noted beyond the limit, in the verdict and in the status, and refused where the app says so")
    func remote() async throws {
        let ledger = WatchedLedger()
        let reporting = try await ServiceHarness.android(policy(RemoteKeyProvisioningRule(remoteKeyPerDay: 3)), ledger: ledger)
        var phone = VirtualAndroid.testing()
        for number in 1...4 {
            let verdict = try await register(&phone, in: reporting)
            #expect(verdict.isAccepted)
            let isNoted = verdict.findings.contains { $0.outcome == .note && $0.code == "attestation_key_overused" }
            #expect(isNoted == (number > 3))
        }
        #expect(try await notes(in: reporting)["attestation_key_overused"] == 1)
        let refusing = try await ServiceHarness.android(
            policy(RemoteKeyProvisioningRule(remoteKeyPerDay: 3, refusesOveruse: true)), ledger: ledger)
        #expect(try await register(&phone, in: refusing).rejection == .attestationKeyOverused)
        // Another device's key is its own, and devices that are registered stay as they are.
        var other = VirtualAndroid.testing()
        let key = try other.makeKey()
        #expect(try await refusing.verify(try key.registration(try await refusing.challenge(.register))).isAccepted)
        #expect(try await refusing.verify(try key.upload(try await refusing.challenge(.assert))).isAccepted)
    }

    @Test("are counted for a day, and without those that were refused")
    func day() async throws {
        let harness = try await ServiceHarness.android(
            policy(RemoteKeyProvisioningRule(remoteKeyPerDay: 2, refusesOveruse: true)))
        var phone = VirtualAndroid.testing()
        for _ in 0..<2 { #expect(try await register(&phone, in: harness).isAccepted) }
        for _ in 0..<3 { #expect(try await register(&phone, in: harness).rejection == .attestationKeyOverused) }
        harness.clock.advance(milliseconds: 86_400_000)
        for _ in 0..<2 { #expect(try await register(&phone, in: harness).isAccepted) }
        #expect(try await register(&phone, in: harness).rejection == .attestationKeyOverused)
    }

    @Test("of a batch from the factory are many, until a burst of them is too many")
    func burst() async throws {
        let rule = RemoteKeyProvisioningRule(remoteKeyPerDay: 1, factoryKeyPerDay: 6, refusesOveruse: true)
        let harness = try await ServiceHarness.android(policy(rule))
        for _ in 0..<6 {
            var phone = VirtualAndroid.testing(.trustedEnvironment, .factory)
            #expect(try await register(&phone, in: harness).isAccepted, "phones of one batch share its key")
        }
        var late = VirtualAndroid.testing(.trustedEnvironment, .factory)
        #expect(try await register(&late, in: harness).rejection == .attestationKeyOverused)
        // The batch's TEE and its StrongBox have keys of their own.
        var strong = VirtualAndroid.testing(.strongBox, .factory)
        #expect(try await register(&strong, in: harness).isAccepted)
    }
}
