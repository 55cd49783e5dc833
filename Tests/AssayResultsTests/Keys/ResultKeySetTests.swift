import AssayCore
import Testing

@testable import AssayResults

/// Times are hours after the first key was published. A key signs for 90 days, and is published a day before.
@Suite("The keys of an issuer of results")
struct ResultKeySetTests {
    private static let end = 90 * 24
    private static let day = 24

    private static func time(_ hours: Int) -> Timestamp {
        Timestamp(unixMilliseconds: 1_800_000_000_000 + Int64(hours) * 3_600_000)
    }

    private func key(
        _ number: UInt8, published: Int, signs: Int? = nil, _ issuer: ResultPublicKey.Issuer = .devices
    ) -> PublishedResultKey {
        PublishedResultKey(
            ResultPublicKey(identifier: [UInt8](repeating: number, count: 32), issuer: issuer, publicKey: [number]),
            publishedAt: Self.time(published), signsFrom: signs.map { Self.time($0) })
    }

    private func set(_ keys: PublishedResultKey..., rule: ResultKeyRule = ResultKeyRule()) -> ResultKeySet {
        ResultKeySet(keys, of: .devices, rule)
    }

    private func number(_ turn: ResultKeyTurn?) -> UInt8? { turn?.identifier.first }
    private func numbers(_ turns: [ResultKeyTurn]) -> [UInt8] { turns.compactMap { $0.identifier.first } }

    @Test("the first key signs at once, alone, until its lifetime ends")
    func first() {
        let set = set(key(1, published: 0, signs: 0))
        #expect(number(set.signing(at: Self.time(0))) == 1)
        #expect(number(set.signing(at: Self.time(Self.end).adding(milliseconds: -1))) == 1)
        #expect(set.signing(at: Self.time(Self.end)) == nil)
        #expect(set.signing(at: Self.time(0).adding(milliseconds: -1)) == nil)
        #expect(set.signingEnds(from: Self.time(5)) == Self.time(Self.end))
        #expect(set.following(at: Self.time(5)) == nil && set.takeOver(at: Self.time(Self.end)) == nil)
    }

    @Test("a key whose lifetime ended with none after it signs nothing and stays published")
    func ended() {
        let set = set(key(1, published: 0, signs: 0))
        for hours in [Self.end, Self.end + 25, 100 * Self.end] {
            #expect(set.signing(at: Self.time(hours)) == nil && set.signingEnds(from: Self.time(hours)) == nil)
            #expect(numbers(set.published(at: Self.time(hours))) == [1])
            #expect(set.turns.first?.state(at: Self.time(hours)) == .last)
        }
    }

    @Test("a next key is published and signs nothing before the end of the one that signs; then it follows by itself")
    func next() {
        let set = set(key(1, published: 0, signs: 0), key(2, published: Self.end - 24))
        let before = Self.time(Self.end).adding(milliseconds: -1)
        #expect(number(set.signing(at: before)) == 1 && numbers(set.published(at: before)) == [1, 2])
        #expect(set.turns.last?.state(at: before) == .next)
        #expect(number(set.following(at: before)) == 2 && set.following(at: before)?.starts == Self.time(Self.end))
        #expect(set.takeOver(at: before) == nil)
        #expect(number(set.signing(at: Self.time(Self.end))) == 2)
        #expect(set.takeOver(at: Self.time(Self.end))?.identifier.first == 2)
        #expect(set.takeOver(at: Self.time(Self.end))?.starts == Self.time(Self.end))
        #expect(set.signingEnds(from: before) == Self.time(2 * Self.end))
    }

    @Test(
        "a key that was published too late for the end follows once it was published for a day, and until then nothing is signed",
        arguments: [end - 23, end - 1, end, end + 5])
    func late(_ published: Int) {
        let set = set(key(1, published: 0, signs: 0), key(2, published: published))
        let ready = published + Self.day
        #expect(number(set.signing(at: Self.time(Self.end - 1))) == 1)
        for hours in [Self.end, ready - 1] { #expect(set.signing(at: Self.time(hours)) == nil, "\(hours)") }
        #expect(number(set.signing(at: Self.time(ready))) == 2)
        #expect(set.signingEnds(from: Self.time(5)) == Self.time(Self.end))
        #expect(set.takeOver(at: Self.time(ready - 1)) == nil)
        #expect(set.takeOver(at: Self.time(ready))?.starts == Self.time(ready))
    }

    @Test("the key before stays published until what it signed has ended, and an hour; no longer")
    func retention() {
        let set = set(key(1, published: 0, signs: 0), key(2, published: 100, signs: 200))
        #expect(number(set.signing(at: Self.time(199))) == 1 && number(set.signing(at: Self.time(200))) == 2)
        #expect(set.turns.first?.publishedUntil == Self.time(225))
        let last = Self.time(225).adding(milliseconds: -1)
        #expect(numbers(set.published(at: last)) == [1, 2] && set.turns.first?.state(at: last) == .last)
        #expect(numbers(set.published(at: Self.time(225))) == [2] && set.turns.first?.state(at: Self.time(225)) == .retired)
    }

    @Test("a key that another follows by itself stays published until the ledger says so")
    func unrecorded() {
        let derived = set(key(1, published: 0, signs: 0), key(2, published: 0))
        #expect(numbers(derived.published(at: Self.time(Self.end + 1000))) == [1, 2])
        let recorded = set(key(1, published: 0, signs: 0), key(2, published: 0, signs: Self.end))
        #expect(numbers(recorded.published(at: Self.time(Self.end + 24))) == [1, 2])
        #expect(numbers(recorded.published(at: Self.time(Self.end + 25))) == [2])
        #expect(recorded.takeOver(at: Self.time(Self.end + 1)) == nil)
    }

    @Test("a rotation lets the newest key sign once it was published for a day")
    func rotation() throws {
        let set = set(key(1, published: 0, signs: 0), key(2, published: 100))
        for (now, starts) in [(101, 124), (123, 124), (124, 124), (300, 300)] {
            let next = try set.rotation(at: Self.time(now), immediately: false)
            #expect(next.identifier.first == 2 && next.starts == Self.time(starts), "\(now)")
        }
        #expect(try set.rotation(at: Self.time(101), immediately: true).starts == Self.time(101))
    }

    @Test("without a next key there is nothing to rotate to; a key with a start is scheduled, and can sign at once")
    func rotationRefused() throws {
        let alone = set(key(1, published: 0, signs: 0))
        for immediately in [false, true] {
            #expect(throws: ResultRotationProblem.noNextKey) { try alone.rotation(at: Self.time(5), immediately: immediately) }
            #expect(throws: ResultRotationProblem.noNextKey) { try set().rotation(at: Self.time(5), immediately: immediately) }
        }
        let scheduled = set(key(1, published: 0, signs: 0), key(2, published: 100, signs: 124))
        #expect(throws: ResultRotationProblem.scheduled([UInt8](repeating: 2, count: 32), Self.time(124))) {
            try scheduled.rotation(at: Self.time(110), immediately: false)
        }
        let now = try scheduled.rotation(at: Self.time(110), immediately: true)
        #expect(now.identifier.first == 2 && now.starts == Self.time(110))
        #expect(throws: ResultRotationProblem.noNextKey) { try scheduled.rotation(at: Self.time(124), immediately: true) }
    }

    @Test("of several next keys the newest that is published long enough follows; the others never sign, and leave the set")
    func several() throws {
        let keys = [
            key(1, published: 0, signs: 0), key(2, published: 10), key(3, published: 20), key(4, published: Self.end - 5),
        ]
        let set = ResultKeySet(keys, of: .devices, ResultKeyRule())
        #expect(number(set.signing(at: Self.time(Self.end))) == 3)
        #expect(try set.rotation(at: Self.time(50), immediately: true).identifier.first == 4)
        var rotated = keys
        rotated[2].signsFrom = Self.time(Self.end)
        let after = ResultKeySet(rotated, of: .devices, ResultKeyRule())
        #expect(numbers(after.published(at: Self.time(Self.end))) == [1, 3, 4])
        #expect(after.turns[1].state(at: Self.time(Self.end)) == .retired)
        #expect(after.turns[1].state(at: Self.time(Self.end - 1)) == .next)
        // The fourth follows the third, and nothing follows the second.
        #expect(number(after.signing(at: Self.time(2 * Self.end))) == 4)
        #expect(after.signing(at: Self.time(3 * Self.end)) == nil)
    }

    @Test("a key that was scheduled and then passed over by a later one never signs")
    func passedOver() {
        let set = set(
            key(1, published: 0, signs: 0), key(2, published: 100, signs: 124), key(3, published: 105, signs: 106))
        #expect(number(set.signing(at: Self.time(105))) == 1)
        for hours in [106, 124, 500] { #expect(number(set.signing(at: Self.time(hours))) == 3) }
        #expect(set.turns[1].state(at: Self.time(106)) == .retired)
        #expect(numbers(set.published(at: Self.time(110))) == [1, 3])
    }

    @Test("a key that is passed over by one with a start in the future fills the gap before that start")
    func filled() throws {
        // The third was rotated to an hour before the first ends, and signs a day after it was published.
        let keys = [
            key(1, published: 0, signs: 0), key(2, published: 500), key(3, published: Self.end - 1, signs: Self.end + 23),
        ]
        let set = ResultKeySet(keys, of: .devices, ResultKeyRule())
        for (hours, want) in [(Self.end - 1, 1), (Self.end, 2), (Self.end + 22, 2), (Self.end + 23, 3)] as [(Int, UInt8)] {
            #expect(number(set.signing(at: Self.time(hours))) == want, "\(hours)")
        }
        let due = try #require(set.takeOver(at: Self.time(Self.end)))
        #expect(due.identifier.first == 2 && due.starts == Self.time(Self.end))
        #expect(throws: ResultRotationProblem.scheduled([UInt8](repeating: 3, count: 32), Self.time(Self.end + 23))) {
            try set.rotation(at: Self.time(Self.end), immediately: false)
        }
    }

    @Test("a lifetime that was shortened ends a key at once, and the take-over is recorded as of now")
    func shortened() throws {
        var rule = ResultKeyRule()
        rule.lifetime = 7 * 86_400_000
        let keys = [key(1, published: 0, signs: 0), key(2, published: 30 * 24)]
        let now = Self.time(40 * 24)
        #expect(number(ResultKeySet(keys, of: .devices, ResultKeyRule()).signing(at: now)) == 1)
        let set = ResultKeySet(keys, of: .devices, rule)
        #expect(number(set.signing(at: now)) == nil, "the second began on the 31st day, for 7 days")
        let due = try #require(set.takeOver(at: now))
        #expect(due.identifier.first == 2 && due.starts == now.adding(milliseconds: -1_800_000))
        var recorded = keys
        recorded[1].signsFrom = due.starts
        let after = ResultKeySet(recorded, of: .devices, rule)
        #expect(number(after.signing(at: now)) == 2)
        // What the first signed a moment ago is good for a day.
        #expect(numbers(after.published(at: now.adding(milliseconds: 86_400_000))) == [1, 2])
    }

    @Test("the keys of the two issuers are apart")
    func issuers() {
        let keys = [
            key(1, published: 0, signs: 0), key(2, published: 0, signs: 0, .simulatedDevices),
            key(3, published: 1, .simulatedDevices),
        ]
        let devices = ResultKeySet(keys, of: .devices, ResultKeyRule())
        let simulated = ResultKeySet(keys, of: .simulatedDevices, ResultKeyRule())
        #expect(numbers(devices.turns) == [1] && numbers(simulated.turns) == [2, 3])
        #expect(throws: ResultRotationProblem.noNextKey) { try devices.rotation(at: Self.time(5), immediately: true) }
        #expect(number(simulated.signing(at: Self.time(5))) == 2)
    }

    @Test("an issuer without keys signs nothing and publishes nothing")
    func empty() {
        #expect(set().signing(at: Self.time(0)) == nil && set().published(at: Self.time(0)).isEmpty)
        #expect(set().signingEnds(from: Self.time(0)) == nil && set().takeOver(at: Self.time(0)) == nil)
    }
}

/// Random histories of publications, rotations and ends of lifetimes, an hour at a time.
@Suite("Histories of keys of results")
struct ResultKeyHistoryTests {
    /// A generator that gives the same numbers for a seed (SplitMix64).
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// What was signed and published in one hour.
    private struct Hour {
        let signing: [UInt8]?
        let published: Set<[UInt8]>
        /// A published key that signs nothing yet and was published long enough.
        let ready: [UInt8]?
        /// A key began by an operator's order to sign at once, or as the first.
        let began: [UInt8]?
    }

    /// A ledger of which only what `ResultKeyRegistry` promises is used, and a daemon that looks at it.
    private struct History {
        var keys: [PublishedResultKey] = []
        var began: [UInt8]?
        let rule: ResultKeyRule

        var set: ResultKeySet { ResultKeySet(keys, of: .devices, rule) }

        mutating func publish(at now: Timestamp) {
            let identifier = Array("\(keys.count)".utf8)
            if keys.isEmpty { began = identifier }
            keys.append(
                PublishedResultKey(
                    ResultPublicKey(identifier: identifier, issuer: .devices, publicKey: []), publishedAt: now,
                    signsFrom: keys.isEmpty ? now : nil))
        }

        mutating func rotate(at now: Timestamp, immediately: Bool) {
            guard let next = try? set.rotation(at: now, immediately: immediately) else { return }
            if immediately { began = next.identifier }
            record(next)
        }

        mutating func look(at now: Timestamp) {
            while let due = set.takeOver(at: now) { record(due) }
        }

        private mutating func record(_ next: (identifier: [UInt8], starts: Timestamp)) {
            guard let index = keys.firstIndex(where: { $0.key.identifier == next.identifier }) else { return }
            keys[index].signsFrom = next.starts
        }

        func hour(at now: Timestamp) -> Hour {
            let set = set
            let signing = set.turns.filter { $0.state(at: now) == .signing }
            #expect(signing.count <= 1)
            let ready = set.turns.first { turn in
                turn.state(at: now) == .next && turn.key.publishedAt.adding(milliseconds: rule.publishAhead) <= now
            }
            return Hour(
                signing: signing.first?.identifier, published: Set(set.published(at: now).map(\.identifier)),
                ready: ready?.identifier, began: began)
        }
    }

    private static func lived(_ seed: UInt64) -> [Hour] {
        var numbers = Numbers(state: seed)
        var rule = ResultKeyRule()
        (rule.lifetime, rule.publishAhead) = (7 * 86_400_000, 86_400_000)
        var history = History(rule: rule)
        return (0..<1500).map { hour in
            let now = Timestamp(unixMilliseconds: Int64(hour) * 3_600_000)
            history.began = nil
            history.look(at: now)
            switch Int.random(in: 0..<200, using: &numbers) {
            case 0...2: history.publish(at: now)
            case 3...4: history.rotate(at: now, immediately: false)
            case 5: history.rotate(at: now, immediately: true)
            default: break
            }
            history.look(at: now)
            return history.hour(at: now)
        }
    }

    private static let seeds: ClosedRange<UInt64> = 1...8
    /// Each is lived once.
    private static let histories = Dictionary(uniqueKeysWithValues: seeds.map { ($0, lived($0)) })

    private static func hours(_ seed: UInt64) -> [Hour] { histories[seed] ?? [] }

    @Test("what is signed is checked by the keys that are published at any time of its life", arguments: seeds)
    func checked(_ seed: UInt64) {
        let hours = Self.hours(seed)
        #expect(Set(hours.compactMap(\.signing)).count > 2, "the history has rotations")
        for (hour, state) in hours.enumerated() {
            guard let signing = state.signing else { continue }
            for later in hours[hour..<min(hour + 25, hours.count)] {
                #expect(later.published.contains(signing), "seed \(seed), signed in hour \(hour)")
            }
        }
    }

    @Test("a key that was not told to sign at once was published for a day before it signs", arguments: seeds)
    func publishedAhead(_ seed: UInt64) {
        let hours = Self.hours(seed)
        var toldToBegin: Set<[UInt8]> = []
        for (hour, state) in hours.enumerated() {
            if let began = state.began { toldToBegin.insert(began) }
            guard let signing = state.signing, !toldToBegin.contains(signing) else { continue }
            for earlier in hours[max(0, hour - 24)..<hour] {
                #expect(earlier.published.contains(signing), "seed \(seed), hour \(hour)")
            }
        }
    }

    @Test("no key signs beyond its lifetime, or again after another", arguments: seeds)
    func inTurn(_ seed: UInt64) {
        var seen: [[UInt8]] = []
        var hoursOfKey: [[UInt8]: Int] = [:]
        for state in Self.hours(seed) {
            guard let signing = state.signing else { continue }
            hoursOfKey[signing, default: 0] += 1
            if seen.last != signing {
                #expect(!seen.contains(signing), "seed \(seed)")
                seen.append(signing)
            }
        }
        #expect(hoursOfKey.values.allSatisfy { $0 <= 7 * 24 })
    }

    @Test("while nothing is signed no key waits that was published long enough", arguments: seeds)
    func noneWaits(_ seed: UInt64) {
        for (hour, state) in Self.hours(seed).enumerated() where state.signing == nil {
            #expect(state.ready == nil, "seed \(seed), hour \(hour)")
        }
    }
}
