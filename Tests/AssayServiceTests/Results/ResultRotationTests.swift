import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import Foundation
import Testing

@testable import AssayService

/// An issuer over twelve days of its clock, under load: it rotates three times, each time in another way, and starts again in between.
@Suite("Results over rotations", .timeLimit(.minutes(30)))
struct ResultRotationTests {
    /// More with `ASSAY_TOKENS`, where the machine has time.
    private static let count = ProcessInfo.processInfo.environment["ASSAY_TOKENS"].flatMap { Int($0) } ?? 3000
    /// Every instant at which the published keys change is a multiple of it, in milliseconds.
    private static let step: Int64 = 1_800_000
    private static let steps = 12 * 48
    private static let shapes: [ResultShape] = [.earJWT, .session, .earCWT, .plainJWS]

    private struct Token: Sendable {
        let shape: ResultShape
        let bytes: [UInt8]
        let expiresAt: Timestamp
        let signedAt: Timestamp
        /// What the issuer published when it had been signed.
        let keys: [UInt8]
        /// The sets of keys that had been published at the end of its step.
        var sets = 0
    }

    /// A process: it learns what the ledger has, and signs.
    private struct Process: Sendable {
        let task: ResultKeyTask
        let signer: ResultSigner
        let composer: ResultComposer
        let clock: FixedClock
        let deviceKey: [UInt8]

        /// - Parameter keys: of its configuration.
        init(_ keys: [ResultKey], _ rule: ResultKeyRule, _ ledger: MemoryLedger, _ clock: FixedClock, _ deviceKey: [UInt8]) {
            let ring = ResultKeyRing()
            task = ResultKeyTask(
                ResultKeyTask.Keys(keys, rule), ring: ring, ledger: ledger, period: .seconds(3600), clock: clock,
                logger: ServiceHarness.logger)
            signer = ResultSigner(keys: ring, places: nil, counters: ResultCounters(), clock: clock)
            // The longest life that a result may have.
            composer = ResultIssuers.composer { $0.lifetime = ResultKeyRule.longestResult }
            (self.clock, self.deviceKey) = (clock, deviceKey)
        }

        var published: [UInt8] { task.ring.publication(of: .devices, at: clock.now())?.keySet ?? [] }

        /// `nil`: it was not signed.
        func token(_ number: Int) async -> Token? {
            let now = clock.now()
            let facts = ResultFacts(
                app: .camera, purpose: .assert, formats: [.keySignature], assurance: .hardware, device: .random(),
                deviceKey: deviceKey, payloadHash: nil, challenge: [UInt8](repeating: 1, count: 54),
                policyDigest: [UInt8](repeating: 2, count: 32), requestID: [UInt8](repeating: 3, count: 16), decidedAt: now,
                simulated: false, confidence: nil, limits: [.relay], json: { Array("{}".utf8) }, message: { [8, 1] })
            let request = ResultRequest(shape: shapes[number % shapes.count], audience: ResultIssuers.audience)
            guard let result = await signer.sign(facts, for: [request], by: composer).first,
                case .signed(let bytes, _, let expiresAt) = result.outcome
            else { return nil }
            return Token(shape: request.shape, bytes: bytes, expiresAt: expiresAt, signedAt: now, keys: published)
        }

        /// An operator's rotation.
        func rotate(_ ledger: MemoryLedger, immediately: Bool) async throws {
            try await task.refresh(by: .signal)
            let set = try #require(task.ring.keySet(.devices))
            let next = try set.rotation(at: clock.now(), immediately: immediately)
            let context = ChangeContext(.caller("operator"), at: clock.now())
            _ = try await ledger.setSigning(next.identifier, from: next.starts, context)
            try await task.refresh(by: .signal)
        }
    }

    private enum Event: Sendable {
        case reload([ResultKey])
        case rotation(immediately: Bool)
    }

    /// Signs tokens in four tasks, beside what else happens in the step.
    private func sign(
        _ numbers: Range<Int>, by process: Process, beside event: Event?, _ ledger: MemoryLedger, _ rule: ResultKeyRule
    ) async throws -> [Token] {
        try await withThrowingTaskGroup(of: [Token].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var tokens: [Token] = []
                    for number in numbers where number % 4 == worker {
                        tokens.append(try #require(await process.token(number), "a token was not signed"))
                    }
                    return tokens
                }
            }
            group.addTask {
                switch event {
                case .reload(let keys): process.task.use(ResultKeyTask.Keys(keys, rule))
                case .rotation(let immediately): try await process.rotate(ledger, immediately: immediately)
                case nil: break
                }
                // As the daemon does every 20 seconds.
                try await process.task.refresh(by: .signal)
                return []
            }
            var tokens: [Token] = []
            for try await signed in group { tokens += signed }
            return tokens
        }
    }

    @Test(
        "Of thousands of tokens over three rotations and a restart each verifies by the keys that are fetched at any time in its life"
    )
    func rotations() async throws {
        let keys = try (0..<4).map { _ in
            try #require(ResultKey(FileSigner(SigningKey.random(.p256)), issuer: ResultIssuers.devices))
        }
        let deviceKey = FileSigner(SigningKey.random(.p256)).publicKey
        var rule = ResultKeyRule()
        rule.lifetime = 6 * 86_400_000
        // By half days: the second key is published, and follows on command; the third is published, and follows by itself when the second has
        // signed for six days; the fourth signs as soon as it is published.
        let events: [Int: [Event]] = [
            2: [.reload([keys[0], keys[1]])], 5: [.rotation(immediately: false)], 8: [.reload([keys[0], keys[1], keys[2]])],
            20: [.reload([keys[1], keys[2], keys[3]]), .rotation(immediately: true)],
        ]
        let restart = 11
        let (ledger, clock) = (MemoryLedger(), FixedClock(ServiceHarness.opening))
        var process = Process([keys[0]], rule, ledger, clock, deviceKey)
        try await process.task.refresh(by: .start)
        var sets: [(keys: [UInt8], from: Timestamp)] = [(process.published, clock.now())]
        var tokens: [Token] = []
        for step in 0..<Self.steps {
            let halfDay = step.isMultiple(of: 24) ? step / 24 : -1
            if halfDay == restart {
                process = Process([keys[0], keys[1], keys[2]], rule, ledger, clock, deviceKey)
                try await process.task.refresh(by: .start)
            }
            let numbers = Self.count * step / Self.steps..<Self.count * (step + 1) / Self.steps
            var signed: [Token] = []
            let due: [Event?] = events[halfDay] ?? [nil]
            for (place, event) in due.enumerated() {
                let bounds = [place, place + 1].map { numbers.lowerBound + numbers.count * $0 / due.count }
                signed += try await sign(bounds[0]..<bounds[1], by: process, beside: event, ledger, rule)
                if process.published != sets.last?.keys { sets.append((process.published, clock.now())) }
            }
            for var token in signed {
                token.sets = sets.count
                tokens.append(token)
            }
            clock.advance(milliseconds: Self.step)
            // Keys also leave by the time alone.
            if process.published != sets.last?.keys { sets.append((process.published, clock.now())) }
        }
        #expect(tokens.count == Self.count)

        // {1}, {1, 2}, {2}, {2, 3}, {3}, {3, 4}, {4}
        let published = try sets.map { try JSONWebKeySet(parsing: $0.keys) }
        try #require(sets.count == 7)
        let readers = published.map { ResultReader(keys: $0) }
        var signers: [[UInt8]: Int] = [:]
        var readings = 0
        for token in tokens {
            // Right after it was signed, and from each set that was published while it was good.
            var fetched = [(reader: ResultReader(keys: try JSONWebKeySet(parsing: token.keys)), time: token.signedAt)]
            for number in token.sets - 1..<sets.count where sets[number].from < token.expiresAt {
                fetched.append((readers[number], max(sets[number].from, token.signedAt)))
            }
            for (reader, time) in fetched {
                let expected = ResultExpectation(
                    token.shape, issuer: ResultIssuers.devices.address, audience: ResultIssuers.audience, isSimulated: false,
                    at: time)
                let read = try reader.read(token.bytes, expecting: expected)
                signers[read.keyIdentifier, default: 0] += 1
                readings += 1
            }
        }
        #expect(Set(signers.keys) == Set(keys.map(\.identifier)) && readings > 2 * tokens.count)
        // What the test rests on: a token does not verify by the keys of another time.
        let first = try #require(tokens.first)
        let expected = ResultExpectation(
            first.shape, issuer: ResultIssuers.devices.address, audience: ResultIssuers.audience, isSimulated: false,
            at: first.signedAt)
        #expect(throws: ResultFault.self) { try readers[6].read(first.bytes, expecting: expected) }
    }
}
