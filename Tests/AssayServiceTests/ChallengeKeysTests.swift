import AssayCore
import AssayService
import AssayTesting
import Synchronization
import Testing

@Suite("Challenge keys")
struct ChallengeKeysTests {
    private let ledger = WatchedLedger()
    private let clock = FixedClock(ServiceHarness.opening)
    private let schedule = ChallengeKeys.Schedule()

    private func keys(vault: SecretVault = ServiceHarness.vault) async throws -> ChallengeKeys {
        try await ChallengeKeys(ledger: ledger, vault: vault, clock: clock, schedule: schedule, logger: ServiceHarness.logger)
    }

    private func issuing(_ keys: ChallengeKeys) throws -> UInt32 { try #require(keys.issuingKey(at: clock.now())).id }

    @Test("begin with one, which issues at once and survives a restart")
    func first() async throws {
        let first = try await keys()
        let restarted = try await keys()
        #expect(first.keyring.keys.count == 1)
        #expect(try issuing(first) == issuing(restarted))
        let challenge = try Challenge(
            parsing: try #require(first.issuingKey(at: clock.now())).issue(
                app: .camera, purpose: .assert, context: [], expiry: clock.now().adding(milliseconds: 1)))
        try restarted.keyring.open(challenge, app: .camera, purpose: .assert, context: [], now: clock.now())
    }

    @Test("lie wrapped in the ledger")
    func wrapped() async throws {
        _ = try await keys()
        let secret = try #require(try await ledger.secrets().first)
        #expect(secret.wrapped.count == 40, "AES key wrap adds 8 bytes")
        #expect(try ServiceHarness.vault.unwrap(secret).count == 32)
    }

    @Test("are published one lead before they issue")
    func lead() async throws {
        let keys = try await keys()
        let old = try issuing(keys)
        clock.advance(milliseconds: schedule.period - schedule.lead - 1)
        try await keys.rotate()
        #expect(keys.keyring.keys.count == 1)
        clock.advance(milliseconds: 1)
        try await keys.rotate()
        #expect(keys.keyring.keys.count == 2, "the next is published")
        #expect(try issuing(keys) == old, "and not yet used")
        clock.advance(milliseconds: schedule.lead - 1)
        #expect(try issuing(keys) == old)
        clock.advance(milliseconds: 1)
        #expect(try issuing(keys) == old &+ 1)
    }

    @Test("open what they issued until no such challenge can live, and are removed then")
    func keep() async throws {
        let keys = try await keys()
        let old = try #require(keys.issuingKey(at: clock.now()))
        clock.advance(milliseconds: schedule.period - schedule.lead)
        try await keys.rotate()
        // The last moment at which the old one issues, for as long as may be.
        clock.advance(milliseconds: schedule.lead - 1)
        #expect(try issuing(keys) == old.id)
        let expiry = clock.now().adding(milliseconds: Int64(ChallengeRule.longest))
        let challenge = try Challenge(parsing: old.issue(app: .camera, purpose: .assert, context: [], expiry: expiry))
        clock.set(expiry.adding(milliseconds: -1))
        try await keys.rotate()
        try keys.keyring.open(challenge, app: .camera, purpose: .assert, context: [], now: clock.now())
        clock.set(expiry.adding(milliseconds: 300_000))
        try await keys.rotate()
        #expect(keys.keyring.key(old.id) != nil, "kept for the skew")
        clock.advance(milliseconds: 1)
        try await keys.rotate()
        #expect(keys.keyring.key(old.id) == nil)
        #expect(try await ledger.secrets().count == 1)
    }

    @Test("go on over a year of days without growing in number")
    func year() async throws {
        let keys = try await keys()
        var issued: Set<UInt32> = []
        for _ in 0..<(365 * 24) {
            clock.advance(milliseconds: 3_600_000)
            try await keys.rotate()
            issued.insert(try issuing(keys))
            #expect(keys.keyring.keys.count <= 3)
        }
        #expect((365...400).contains(issued.count))
    }

    @Test("go on rotating when the clock ran ahead, published one, and came back")
    func future() async throws {
        let keys = try await keys()
        let first = try issuing(keys)
        clock.advance(milliseconds: 365 * schedule.period)
        try await keys.rotate()
        let future = try #require(keys.keyring.keys.last).id
        clock.set(ServiceHarness.opening)
        for _ in 0..<2 { try await keys.rotate() }
        #expect(keys.keyring.keys.count == 2, "the first has not issued for a period yet")
        #expect(try issuing(keys) == first)
        clock.advance(milliseconds: schedule.period)
        try await keys.rotate()
        clock.advance(milliseconds: schedule.lead)
        let second = try issuing(keys)
        #expect(second != first && second != future)
        clock.advance(milliseconds: schedule.period)
        try await keys.rotate()
        clock.advance(milliseconds: schedule.lead)
        #expect(![first, second, future].contains(try issuing(keys)))
        #expect(keys.keyring.key(first) == nil && keys.keyring.keys.count == 3, "the old ones go; the one to come is kept")
    }

    @Test("of a clock that is a little ahead are no keys from the future")
    func skew() async throws {
        let keys = try await keys()
        clock.advance(milliseconds: -schedule.skew)
        try await keys.rotate()
        #expect(keys.keyring.keys.count == 1)
        clock.advance(milliseconds: -1)
        try await keys.rotate()
        #expect(keys.keyring.keys.count == 2)
    }

    @Test("can all be removed, and no challenge from before is good then")
    func removeAll() async throws {
        let harness = try await ServiceHarness()
        let (handset, _) = try await harness.enrol()
        var before = handset
        let request = try before.assertion(try await harness.challenge(.assert))
        #expect(try await ChallengeKeys.removeAll(from: harness.ledger) == 1)
        #expect(
            try await harness.ledger.secrets().map(\.name).sorted() == ["audit", "subject"],
            "subjects keep their hashes, and the audit log its key")
        let again = try await ServiceHarness(ledger: harness.ledger, clock: harness.clock)
        #expect(try await again.verify(request).rejection == .challengeInvalid)
        #expect(try await again.assert(&before).isAccepted, "the device is still known")
    }

    @Test("that were all removed stay in use until there is a new one", arguments: ["rotation", "reload"])
    func removedInUse(foundBy way: String) async throws {
        let keys = try await keys()
        let old = try issuing(keys)
        #expect(try await ChallengeKeys.removeAll(from: ledger) == 1)
        let seen = Mutex<UInt32?>(nil)
        ledger.before(.add) { [clock] in seen.withLock { $0 = keys.issuingKey(at: clock.now())?.id } }
        if way == "rotation" { try await keys.rotate() } else { try await keys.reload(for: old &+ 1) }
        #expect(seen.withLock { $0 } == old, "at no moment is there none")
        #expect(try await ledger.secrets().map(\.number) == keys.keyring.keys.map(\.id) && keys.keyring.keys.count == 1)
        #expect(try issuing(keys) == keys.keyring.keys[0].id)
    }

    @Test("that were all removed are not used any more if no new one can be made")
    func removedAndFull() async throws {
        let keys = try await keys()
        #expect(try await ChallengeKeys.removeAll(from: ledger) == 1)
        ledger.fail(.add, with: .unavailable("test"))
        await #expect(throws: LedgerError.unavailable("test")) { try await keys.rotate() }
        #expect(keys.keyring.keys.isEmpty)
    }

    @Test("of two daemons on one ledger are the same, and rotation by both publishes one")
    func twoDaemons() async throws {
        let (one, two) = (try await keys(), try await keys())
        clock.advance(milliseconds: schedule.period)
        _ = try await race(8) { try await ($0 % 2 == 0 ? one : two).rotate() }
        try await one.rotate()
        try await two.rotate()
        #expect(one.keyring.keys.map(\.id) == two.keyring.keys.map(\.id) && one.keyring.keys.count == 2)
    }

    @Test("of another daemon are found by a reload, at most one a second")
    func reload() async throws {
        let one = try await keys()
        clock.advance(milliseconds: schedule.period)
        let two = try await keys()
        let new = try #require(two.keyring.keys.last).id
        #expect(one.keyring.key(new) == nil)
        try await one.reload(for: new)
        #expect(one.keyring.key(new) != nil)
        let asked = ledger.asked(.secrets)
        for id in 0..<100 as Range<UInt32> { try await one.reload(for: 0xFFFF_0000 + id) }
        #expect(ledger.asked(.secrets) == asked, "a second has not passed")
        clock.advance(milliseconds: 1000)
        for id in 0..<100 as Range<UInt32> { try await one.reload(for: 0xFFFF_0000 + id) }
        #expect(ledger.asked(.secrets) == asked + 1)
    }

    @Test("that are known need no reload")
    func known() async throws {
        let keys = try await keys()
        let asked = ledger.asked(.secrets)
        try await keys.reload(for: try issuing(keys))
        #expect(ledger.asked(.secrets) == asked)
    }

    @Test("that another vault wrapped are a clear error")
    func wrongVault() async throws {
        let id = try issuing(try await keys())
        let error = await #expect(throws: VaultError.self) {
            try await keys(vault: SecretVault(key: [UInt8](repeating: 1, count: 32)))
        }
        #expect(error == .wrongKey(secret: "challenge", number: id))
        #expect(error?.description.contains("belongs to another ledger") == true)
        #expect(try await ledger.secrets().count == 1, "nothing was published under the wrong key")
    }

    @Test("stay as they are where the ledger does not answer")
    func outage() async throws {
        let keys = try await keys()
        ledger.fail(with: .unavailable("test"))
        await #expect(throws: LedgerError.unavailable("test")) { try await keys.rotate() }
        #expect(keys.keyring.keys.count == 1)
        await #expect(throws: LedgerError.unavailable("test")) { try await self.keys() }
    }
}
