import AssayCore
import AssayService
import Synchronization
import Testing

@Suite("Vendor desk")
struct VendorDeskTests {
    private let now = Timestamp(unixSeconds: 1_800_000_000)
    private let key = ChallengeKey(id: 1, secret: [UInt8](repeating: 1, count: 32), createdAt: Timestamp(unixSeconds: 0))

    private func challenge(milliseconds: Int64 = 300_000) throws -> Challenge {
        try Challenge(
            parsing: key.issue(app: .camera, purpose: .assert, context: [], expiry: now.adding(milliseconds: milliseconds)))
    }

    private func token(_ number: UInt8) -> Evidence { Evidence(format: .playIntegrity, keyID: [], body: [number]) }

    @Test("asks once about equal evidence, however many ask at once, and keeps the answer until the challenge has expired")
    func singleFlight() async throws {
        let (desk, vendor, challenge) = (VendorDesk(), CountingVendor(), try challenge())
        let replies = try await race(32) { _ in
            await desk.reply(of: vendor, about: token(1), of: .camera, with: challenge, now: now)
        }
        #expect(replies.allSatisfy { $0 == .answered([1]) } && vendor.asked == 1)
        let last = now.adding(milliseconds: 299_999)
        #expect(await desk.reply(of: vendor, about: token(1), of: .camera, with: challenge, now: last) == .answered([1]))
        #expect(vendor.asked == 1)
        let after = now.adding(milliseconds: 300_000)
        _ = await desk.reply(of: vendor, about: token(1), of: .camera, with: nil, now: after)
        #expect(vendor.asked == 2)
    }

    @Test("asks about one token for each challenge: the one that came first")
    func claimed() async throws {
        let (desk, vendor, challenge) = (VendorDesk(), CountingVendor(), try challenge())
        _ = await desk.reply(of: vendor, about: token(1), of: .camera, with: challenge, now: now)
        let other = await desk.reply(of: vendor, about: token(2), of: .camera, with: challenge, now: now)
        guard case .refused(let rejection) = other else {
            Issue.record("a second token was looked at: \(other)")
            return
        }
        #expect(rejection.code == .challengeAttemptsExceeded && vendor.asked == 1)
        #expect(
            await desk.reply(of: vendor, about: token(2), of: .camera, with: try self.challenge(), now: now) == .answered([2]))
    }

    @Test("asks for each app by itself")
    func apps() async throws {
        let (desk, vendor) = (VendorDesk(), CountingVendor())
        for app in [AppID.camera, .notes] {
            #expect(await desk.reply(of: vendor, about: token(1), of: app, with: nil, now: now) == .answered([1]))
        }
        #expect(vendor.asked == 2)
    }

    @Test("never asks again after a question whose answer did not come, and asks again where none was put")
    func outcomes() async throws {
        let (desk, vendor, challenge) = (VendorDesk(), CountingVendor(), try challenge())
        vendor.next = .success(.unavailable("timed out"))
        for _ in 0..<2 {
            let reply = await desk.reply(of: vendor, about: token(1), of: .camera, with: challenge, now: now)
            #expect(reply == .unavailable("timed out"))
        }
        #expect(vendor.asked == 1)
        let another = try self.challenge()
        vendor.next = .failure(VendorNotAsked("too many"))
        #expect(await desk.reply(of: vendor, about: token(2), of: .camera, with: another, now: now) == .unavailable("too many"))
        vendor.next = nil
        #expect(await desk.reply(of: vendor, about: token(2), of: .camera, with: another, now: now) == .answered([2]))
    }
}

/// Answers with the evidence's own bytes, and counts.
private final class CountingVendor: EvidenceVendor {
    private let state = Mutex<(asked: Int, next: Result<VendorReply, VendorNotAsked>?)>((0, nil))
    var asked: Int { state.withLock { $0.asked } }
    var next: Result<VendorReply, VendorNotAsked>? {
        get { state.withLock { $0.next } }
        set { state.withLock { $0.next = newValue } }
    }

    func ask(about evidence: Evidence) async throws(VendorNotAsked) -> VendorReply {
        let next = state.withLock { state in
            state.asked += 1
            return state.next
        }
        await Task.yield()
        return try next?.get() ?? .answered(evidence.body)
    }
}
