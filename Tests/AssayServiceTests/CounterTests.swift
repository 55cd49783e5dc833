import AppAttest
import AssayAPI
import AssayCore
import AssayService
import AssaySimulator
import Testing

@Suite("Counter at the service")
struct CounterTests {
    @Test("never stands still or goes back, where the app says strict")
    func strict() async throws {
        let harness = try await ServiceHarness([.testing(.camera, policy: AppAttestPolicy(counterRule: .strictlyIncreasing))])
        var (handset, device) = try await harness.enrol()
        #expect(try await harness.assert(&handset, changes: .genuine.counter(10)).isAccepted)
        for counter in [0, 1, 9, 10] as [UInt32] {
            let verdict = try await harness.assert(&handset, changes: .genuine.counter(counter))
            #expect(verdict.rejection == .counterNotIncreasing && verdict.retry == .newChallenge)
        }
        #expect(try await harness.assert(&handset, changes: .genuine.counter(.max)).isAccepted)
        #expect(try await harness.ledger.device(device)?.counter == .max)
    }

    @Test("may come late in a window, once each, unless the app says otherwise")
    func window() async throws {
        let harness = try await ServiceHarness()
        var (handset, device) = try await harness.enrol()
        for counter in [100, 99, 37, 101] as [UInt32] {
            #expect(try await harness.assert(&handset, changes: .genuine.counter(counter)).isAccepted, "\(counter)")
        }
        #expect(try await harness.ledger.device(device)?.counter == 101)
        for counter in [101, 100, 99] as [UInt32] {
            #expect(try await harness.assert(&handset, changes: .genuine.counter(counter)).rejection == .counterNotIncreasing)
        }
        for counter in [37, 1, 0] as [UInt32] {
            #expect(try await harness.assert(&handset, changes: .genuine.counter(counter)).rejection == .counterTooOld)
        }
    }

    @Test("that was refused spends nothing: its challenge serves the next value")
    func refusedSpendsNothing() async throws {
        let harness = try await ServiceHarness()
        var (handset, _) = try await harness.enrol()
        #expect(try await harness.assert(&handset).isAccepted)
        let challenge = try await harness.challenge(.assert)
        #expect(try await harness.verify(try handset.assertion(challenge, changes: .genuine.counter(1))).rejection != nil)
        #expect(try await harness.verify(try handset.assertion(challenge, changes: .genuine.counter(2))).isAccepted)
    }
}
