import AssayCore
import AssayService
import Synchronization
import Testing

@Suite("Vendor inquiries")
struct OutsideInquiriesTests {
    private let now = Timestamp(unixSeconds: 1_800_000_000)
    private let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: Timestamp(unixSeconds: 0))

    private func challenge(milliseconds: Int64 = 300_000) throws -> Challenge {
        try Challenge(
            parsing: key.issue(app: .camera, purpose: .assert, context: [], expiry: now.adding(milliseconds: milliseconds)))
    }

    private let share = InquiryShare(apps: 1, callLimit: 64)

    private func token(_ number: UInt8) -> Evidence { Evidence(format: .playIntegrity, keyID: [], body: [number]) }

    @Test("asks once about equal evidence, however many ask at once, and keeps the answer until the challenge has expired")
    func singleFlight() async throws {
        let (inquiries, vendor, challenge) = (OutsideInquiries(), CountingVendor(), try challenge())
        let replies = try await race(32) { _ in
            await inquiries.answer(of: vendor, about: token(1), of: .camera, with: challenge, share: share, now: now)
        }
        #expect(replies.allSatisfy { $0 == .answered([1]) } && vendor.asked == 1)
        let last = now.adding(milliseconds: 299_999)
        #expect(
            await inquiries.answer(of: vendor, about: token(1), of: .camera, with: challenge, share: share, now: last)
                == .answered([1]))
        #expect(vendor.asked == 1)
        let after = now.adding(milliseconds: 300_000)
        _ = await inquiries.answer(of: vendor, about: token(1), of: .camera, with: nil, share: share, now: after)
        #expect(vendor.asked == 2)
    }

    @Test("asks about one token for each challenge: the one that came first")
    func claimed() async throws {
        let (inquiries, vendor, challenge) = (OutsideInquiries(), CountingVendor(), try challenge())
        _ = await inquiries.answer(of: vendor, about: token(1), of: .camera, with: challenge, share: share, now: now)
        let other = await inquiries.answer(of: vendor, about: token(2), of: .camera, with: challenge, share: share, now: now)
        guard case .refused(let rejection) = other else {
            Issue.record("a second token was looked at: \(other)")
            return
        }
        #expect(rejection.code == .challengeAttemptsExceeded && vendor.asked == 1)
        #expect(
            await inquiries.answer(of: vendor, about: token(2), of: .camera, with: try self.challenge(), share: share, now: now)
                == .answered([2]))
    }

    @Test("asks for each app by itself")
    func apps() async throws {
        let (inquiries, vendor) = (OutsideInquiries(), CountingVendor())
        for app in [AppID.camera, .notes] {
            #expect(
                await inquiries.answer(of: vendor, about: token(1), of: app, with: nil, share: share, now: now)
                    == .answered([1])
            )
        }
        #expect(vendor.asked == 2)
    }

    @Test("never asks again after a question whose answer did not come, and asks again where none was put")
    func outcomes() async throws {
        let (inquiries, vendor, challenge) = (OutsideInquiries(), CountingVendor(), try challenge())
        vendor.next = .success(.unavailable("timed out"))
        for _ in 0..<2 {
            let reply = await inquiries.answer(
                of: vendor, about: token(1), of: .camera, with: challenge, share: share, now: now)
            #expect(reply == .unavailable("timed out"))
        }
        #expect(vendor.asked == 1)
        let another = try self.challenge()
        vendor.next = .failure(AnswerSourceError("too many"))
        #expect(
            await inquiries.answer(of: vendor, about: token(2), of: .camera, with: another, share: share, now: now)
                == .unavailable("too many"))
        vendor.next = nil
        #expect(
            await inquiries.answer(of: vendor, about: token(2), of: .camera, with: another, share: share, now: now)
                == .answered([2]))
    }

    @Test("claims no challenge for a question that was not put, however many waited for it")
    func released() async throws {
        let (inquiries, vendor, share, now) = (OutsideInquiries(), CountingVendor(), self.share, self.now)
        for _ in 0..<20 {
            let challenges = [try challenge(), try challenge()]
            vendor.next = .failure(AnswerSourceError("down"))
            let shared = token(1)
            await withTaskGroup(of: Void.self) { group in
                for challenge in challenges {
                    group.addTask {
                        _ = await inquiries.answer(
                            of: vendor, about: shared, of: .camera, with: challenge, share: share, now: now)
                    }
                }
            }
            vendor.next = nil
            for (index, challenge) in challenges.enumerated() {
                let reply = await inquiries.answer(
                    of: vendor, about: token(UInt8(2 + index)), of: .camera, with: challenge, share: share, now: now)
                #expect(reply == .answered([UInt8(2 + index)]))
            }
        }
    }

    @Test("keeps an answer about evidence that is bound to nothing for a minute, and no longer than its use is remembered")
    func unbound() async throws {
        for (memory, kept) in [(Int64(86_400_000), Int64(60_000)), (7000, 7000)] {
            let (inquiries, vendor) = (OutsideInquiries(), CountingVendor())
            func ask(after milliseconds: Int64, _ challenge: Challenge?) async {
                _ = await inquiries.answer(
                    of: vendor, about: token(1), of: .camera, with: challenge, memory: memory, share: share,
                    now: now.adding(milliseconds: milliseconds))
            }
            await ask(after: 0, try challenge(milliseconds: 3_600_000))
            await ask(after: kept - 1, try challenge(milliseconds: 3_600_000))
            await ask(after: kept - 1, nil)
            #expect(vendor.asked == 1)
            await ask(after: kept, try challenge(milliseconds: 3_600_000))
            #expect(vendor.asked == 2)
        }
    }

    @Test("gives each app a share of the questions under way: one that has used up its own takes nothing from another")
    func questions() async throws {
        let share = InquiryShare(questions: 3, answers: 100)
        let (inquiries, slow, vendor) = (OutsideInquiries(), SilentVendor(), CountingVendor())
        let flood = (1...3 as ClosedRange<UInt8>).map { number in
            Task { await inquiries.answer(of: slow, about: token(number), of: .camera, with: nil, share: share, now: now) }
        }
        await slow.waitForArrivals(3)
        let (refused, again) = (try challenge(), token(9))
        let reply = await inquiries.answer(of: vendor, about: again, of: .camera, with: refused, share: share, now: now)
        #expect(reply == .unavailable("as many questions are under way as the app may have: 3") && vendor.asked == 0)
        for number in 1...3 as ClosedRange<UInt8> {
            let reply = await inquiries.answer(of: vendor, about: token(number), of: .notes, with: nil, share: share, now: now)
            #expect(reply == .answered([number]))
        }
        slow.answer()
        for task in flood { #expect(await task.value == .unavailable("silent")) }
        // Nothing was claimed by what was not asked.
        let other = await inquiries.answer(of: vendor, about: token(8), of: .camera, with: refused, share: share, now: now)
        #expect(other == .answered([8]))
    }

    @Test("gives each app a share of the answers that are kept, and finds those that are kept when it is used up")
    func answers() async throws {
        let share = InquiryShare(questions: 3, answers: 2)
        let (inquiries, vendor) = (OutsideInquiries(), CountingVendor())
        func ask(_ number: UInt8, of app: AppID, after milliseconds: Int64 = 0) async -> OutsideAnswer {
            await inquiries.answer(
                of: vendor, about: token(number), of: app, with: nil, share: share, now: now.adding(milliseconds: milliseconds))
        }
        for number in 1...2 as ClosedRange<UInt8> { #expect(await ask(number, of: .camera) == .answered([number])) }
        let full = OutsideAnswer.unavailable("as many answers are kept as the app may have: 2")
        #expect(await ask(3, of: .camera) == full)
        #expect(await ask(1, of: .camera) == .answered([1]) && vendor.asked == 2)
        #expect(await ask(3, of: .notes) == .answered([3]))
        #expect(await ask(3, of: .camera, after: 600_000) == .answered([3]), "answers are forgotten in time")
    }

    @Test("shares are equal, leave one for the daemon itself, and together are no more than there is")
    func shares() {
        #expect(InquiryShare(apps: 1, callLimit: 64) == InquiryShare(questions: 32, answers: 16_384))
        #expect(InquiryShare(apps: 3, callLimit: 64) == InquiryShare(questions: 16, answers: 5461))
        for (apps, limit) in [(1, 2), (2, 3), (3, 64), (7, 100), (100, 8192), (8191, 8192)] {
            let share = InquiryShare(apps: apps, callLimit: limit)
            #expect(share.questions >= 1 && share.questions * apps < limit)
            #expect(share.answers >= 1 && share.answers * apps <= InquiryShare.answerCapacity)
        }
    }
}

/// Answers nothing until it is told to.
private final class SilentVendor: AnswerSource {
    private let arrivals = AsyncStream<Void>.makeStream()
    private let state = Mutex<(isOver: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
            arrivals.continuation.yield()
        }
        return .unavailable("silent")
    }

    func waitForArrivals(_ count: Int) async {
        var left = count
        for await _ in arrivals.stream {
            left -= 1
            if left == 0 { return }
        }
    }

    func answer() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// Answers with the evidence's own bytes, and counts.
private final class CountingVendor: AnswerSource {
    private let state = Mutex<(asked: Int, next: Result<OutsideAnswer, AnswerSourceError>?)>((0, nil))
    var asked: Int { state.withLock { $0.asked } }
    var next: Result<OutsideAnswer, AnswerSourceError>? {
        get { state.withLock { $0.next } }
        set { state.withLock { $0.next = newValue } }
    }

    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer {
        let next = state.withLock { state in
            state.asked += 1
            return state.next
        }
        await Task.yield()
        return try next?.get() ?? .answered(evidence.body)
    }
}
