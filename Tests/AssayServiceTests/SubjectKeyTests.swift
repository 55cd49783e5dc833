import AssayCore
import AssayService
import AssayTesting
import Testing

@Suite("Subject key")
struct SubjectKeyTests {
    private let ledger = WatchedLedger()
    private let anna = Array("anna".utf8)

    private func subjects(_ vault: SecretVault = ServiceHarness.vault, at time: Timestamp = ServiceHarness.opening) async throws
        -> SubjectKey
    {
        try await SubjectKey(ledger: ledger, vault: vault, clock: FixedClock(time))
    }

    @Test("gives a subject the same hash after a restart, years later")
    func stable() async throws {
        let hash = try await subjects().hash(anna, app: .camera)
        #expect(hash?.count == 32)
        let later = ServiceHarness.opening.adding(milliseconds: 5 * 365 * 86_400_000)
        #expect(try await subjects(at: later).hash(anna, app: .camera) == hash)
        #expect(try await ledger.secrets().count == 1)
    }

    @Test("gives two apps, two subjects and two ledgers different hashes")
    func different() async throws {
        let subjects = try await subjects()
        let other = try await SubjectKey(
            ledger: WatchedLedger(), vault: ServiceHarness.vault, clock: FixedClock(ServiceHarness.opening))
        let hashes: Set = [
            subjects.hash(anna, app: .camera), subjects.hash(anna, app: .notes), subjects.hash(anna + [0], app: .camera),
            other.hash(anna, app: .camera),
        ]
        #expect(hashes.count == 4 && !hashes.contains(nil))
    }

    @Test("hashes no subject to nothing")
    func none() async throws {
        #expect(try await subjects().hash([], app: .camera) == nil)
    }

    @Test("under another vault's key is a clear error")
    func wrongVault() async throws {
        _ = try await subjects()
        await #expect(throws: VaultError.wrongKey(secret: "subject", number: 0)) {
            try await subjects(SecretVault(key: [UInt8](repeating: 1, count: 32)))
        }
    }

    @Test("is one for daemons that start at once")
    func together() async throws {
        let hashes = try await race(8) { _ in try await subjects().hash(anna, app: .camera) }
        #expect(Set(hashes).count == 1)
    }

    @Test("does not let a subject out in the clear")
    func hidden() async throws {
        let harness = try await ServiceHarness(ledger: ledger)
        let (_, device) = try await harness.enrol(subject: anna)
        let stored = try #require(try await ledger.device(device)?.subject)
        #expect(stored.count == 32 && !stored.contains(anna))
    }
}
