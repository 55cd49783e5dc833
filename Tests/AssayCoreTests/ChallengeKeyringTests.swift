import AssayCore
import Testing

@Suite("Challenge keyring")
struct ChallengeKeyringTests {
    let now = Timestamp(unixSeconds: 1_800_000_000)
    let app: AppID
    let other: AppID
    let key = ChallengeKey(id: 7, secret: [UInt8](repeating: 3, count: 32), createdAt: .distantPast)

    init() throws {
        app = try #require(AppID("photos"))
        other = try #require(AppID("films"))
    }

    private func issue(
        _ purpose: Purpose = .assert, context: [UInt8] = [1], expiry: Timestamp? = nil, by key: ChallengeKey? = nil
    ) -> [UInt8] {
        (key ?? self.key).issue(app: app, purpose: purpose, context: context, expiry: expiry ?? now.adding(milliseconds: 1))
    }

    /// The code with which a challenge is refused; `nil` if it is accepted.
    private func refusal(
        _ bytes: [UInt8], app: AppID? = nil, purpose: Purpose = .assert, context: [UInt8] = [1], keys: [ChallengeKey]? = nil
    ) -> ReasonCode? {
        do {
            let keyring = ChallengeKeyring(keys: keys ?? [key])
            try keyring.open(
                try Challenge(parsing: bytes), app: app ?? self.app, purpose: purpose, context: context, now: now)
            return nil
        } catch {
            return error.code.builtIn
        }
    }

    @Test("A keyring accepts its own challenge until its expiry, and not at it")
    func expiry() {
        #expect(refusal(issue()) == nil)
        #expect(refusal(issue(expiry: now)) == .challengeExpired)
        #expect(refusal(issue(expiry: .distantPast)) == .challengeExpired)
        #expect(refusal(issue(expiry: .distantFuture)) == nil)
    }

    @Test("A challenge for another app or context, or under another or unknown key, is invalid")
    func invalid() {
        #expect(refusal(issue(), app: other) == .challengeInvalid)
        #expect(refusal(issue(), context: []) == .challengeInvalid)
        #expect(refusal(issue(), context: [1, 0]) == .challengeInvalid)
        let sameNumber = ChallengeKey(id: 7, secret: [UInt8](repeating: 4, count: 32), createdAt: .distantPast)
        #expect(refusal(issue(by: sameNumber)) == .challengeInvalid)
        #expect(refusal(issue(), keys: []) == .challengeInvalid)
    }

    @Test("A challenge with any bit changed is invalid", arguments: 0..<Challenge.length)
    func bits(_ index: Int) {
        for bit in 0..<8 {
            var bytes = issue()
            bytes[index] ^= 1 << UInt8(bit)
            #expect(refusal(bytes) == .challengeInvalid)
        }
    }

    @Test("A challenge of another length, version or purpose byte is invalid")
    func shape() {
        let good = issue()
        for length in 0..<Challenge.length { #expect(refusal(Array(good.prefix(length))) == .challengeInvalid) }
        #expect(refusal(good + [0]) == .challengeInvalid)
        for purpose: UInt8 in [0, 5, 255] {
            var bytes = good
            bytes[1] = purpose
            #expect(refusal(bytes) == .challengeInvalid)
        }
    }

    @Test("The reasons have an order: invalid, wrong purpose, expired")
    func order() {
        let expired = issue(.register, expiry: now)
        #expect(refusal(expired, app: other) == .challengeInvalid)
        #expect(refusal(expired, context: []) == .challengeInvalid)
        #expect(refusal(expired) == .challengeWrongPurpose)
        #expect(refusal(expired, purpose: .register) == .challengeExpired)
    }

    @Test("Every purpose is distinguished from every other")
    func purposes() {
        for issued in Purpose.allCases {
            for used in Purpose.allCases {
                #expect(refusal(issue(issued), purpose: used) == (issued == used ? nil : .challengeWrongPurpose))
            }
        }
    }

    @Test("The newest key that is old enough issues challenges, otherwise the oldest")
    func issuing() {
        func key(_ id: UInt32, age: Int64) -> ChallengeKey {
            ChallengeKey(id: id, secret: [UInt8](repeating: 0, count: 32), createdAt: now.adding(milliseconds: -age))
        }
        func issuing(_ keys: [ChallengeKey]) -> UInt32? { ChallengeKeyring(keys: keys).issuing(at: now, lead: 1000)?.id }
        #expect(issuing([]) == nil)
        #expect(issuing([key(1, age: 10)]) == 1)
        #expect(issuing([key(3, age: 10), key(2, age: 1000), key(1, age: 5000)]) == 2)
        #expect(issuing([key(3, age: 10), key(2, age: 999), key(1, age: 1000)]) == 1)
        #expect(issuing([key(3, age: 10), key(2, age: 20)]) == 2)
        #expect(issuing([key(2, age: -50), key(1, age: 0)]) == 1)
    }

    @Test("A keyring keeps its keys in order and finds each by its number")
    func keys() {
        let (old, new) = (
            ChallengeKey(id: 9, secret: [UInt8](repeating: 1, count: 32), createdAt: now),
            ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: now.adding(milliseconds: 1))
        )
        let keyring = ChallengeKeyring(keys: [new, old])
        #expect(keyring.keys.map(\.id) == [9, 1])
        #expect(keyring.key(1)?.createdAt == new.createdAt)
        #expect(keyring.key(2) == nil)
    }
}
