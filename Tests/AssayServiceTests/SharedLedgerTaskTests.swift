import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

@Suite("A shared ledger", .timeLimit(.minutes(30)))
struct SharedLedgerTaskTests {
    private static let tls = RPCPeer.tls(address: "192.0.2.1", port: 1, names: RPCPeerNames(uris: [], dnsNames: []))

    @Test("a key that another daemon creates is known, and refused once that one has revoked it")
    func following() async throws {
        let `operator` = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)
        let other = try await ServiceHarness(
            callers: CallerDirectory(
                byUserID: [1: Caller(name: "operator", roles: [.operate], apps: nil)],
                keys: KeyRule(roles: [.verify], apps: nil, longestLifetime: 86_400_000)))
        let directory = KeyDirectory([], clock: other.clock)
        let task = SharedLedgerTask(
            other.ledger, directory, other.keys, hasStaleSecrets: { false }, period: .milliseconds(5),
            logger: ServiceHarness.logger)
        let running = Task { await task.run() }
        defer { running.cancel() }
        func find(_ key: String) -> Result<CallerKey, KeyDirectory.Refusal> {
            directory.key(in: "Bearer \(key)", of: Self.tls)
        }
        let made = try await other.call(
            API.createKey, .with { ($0.name, $0.roles) = ("uploads", ["verify"]) }, peer: `operator`)
        while (try? find(made.key).get()) == nil { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await other.call(API.revokeKey, .with { $0.name = "uploads" }, peer: `operator`)
        while (try? find(made.key).get()) != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(throws: KeyDirectory.Refusal.revoked) { _ = try find(made.key).get() }
    }

    @Test("challenge keys that were removed are not issued under, and not known, once the ledger says that secrets are stale")
    func staleSecrets() async throws {
        let harness = try await ServiceHarness()
        let (ledger, keys) = (harness.ledger, harness.keys)
        let before = try #require(keys.keyring.keys.first)
        let isStale = Flag()
        let task = SharedLedgerTask(
            ledger, KeyDirectory([], clock: harness.clock), keys, hasStaleSecrets: { isStale.value },
            period: .milliseconds(5), logger: ServiceHarness.logger)
        let running = Task { await task.run() }
        defer { running.cancel() }
        #expect(try await ChallengeKeys.removeAll(from: ledger) == 1)
        try await Task.sleep(for: .milliseconds(50))
        #expect(keys.keyring.key(before.id) != nil)
        isStale.set()
        while keys.keyring.key(before.id) != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(keys.issuingKey(at: harness.clock.now()) != nil)
    }

    private final class Flag: Sendable {
        private let flag = Atomic(false)
        var value: Bool { flag.load(ordering: .sequentiallyConsistent) }
        func set() { flag.store(true, ordering: .sequentiallyConsistent) }
    }

    @Test("a key that was revoked here is not taken as good from what was read before")
    func order() async throws {
        let harness = try await ServiceHarness()
        let key = CallerKey(
            name: "uploads", hash: APIKey.hash(of: "assay_x"), roles: ["verify"], apps: nil, createdAt: harness.clock.now(),
            createdBy: "operator", expiry: harness.clock.now().adding(milliseconds: 1000))
        let directory = KeyDirectory([key], clock: harness.clock)
        var revoked = key
        revoked.revokedAt = harness.clock.now()
        directory.put(revoked)
        directory.replace(by: [key])
        #expect(directory.usable("uploads") == nil)
    }
}
