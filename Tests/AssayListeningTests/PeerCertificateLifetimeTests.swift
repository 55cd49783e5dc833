import AssayCore
import AssaySimulator
import AssayTesting
import NIOCore
import Testing

@testable import AssayListening
@testable import AssayRPC

@Suite("Lifetime of a peer's certificate")
struct PeerCertificateLifetimeTests {
    static let opening = Timestamp(unixSeconds: 1_800_000_000)
    let clock = FixedClock(Self.opening)
    let tls: ListeningTLS

    init() throws { tls = try ListeningTLS(clock: clock) }

    /// The lifetime of a connection that begins now, with a certificate that expires in so many seconds.
    private func lifetime(_ seconds: Int64, _ trust: ClientTrustStore? = nil, interval: Duration = .seconds(30))
        -> PeerCertificateLifetime?
    {
        PeerCertificateLifetime(
            notAfter: clock.now().unixMilliseconds / 1000 + seconds, tls.server, trust ?? tls.server.trust, interval: interval)
    }

    /// Checks whenever a check is due, with a wall clock that runs, or one that `wall` moves by the milliseconds that it returns.
    private func follow(
        _ started: PeerCertificateLifetime?, wall: (_ passed: Int64) -> Int64 = { $0 }
    ) throws -> (verdict: PeerCertificateLifetime.Verdict, after: Int64, checks: Int) {
        var lifetime = try #require(started)
        let opening = lifetime.opened
        var (last, checks) = (Int64(0), 0)
        while checks < 10_000 {
            let now = lifetime.due
            let passed = (now - opening).nanoseconds / 1_000_000
            clock.advance(milliseconds: wall(passed - last))
            (last, checks) = (passed, checks + 1)
            if let verdict = lifetime.check(at: now) { return (verdict, passed, checks) }
            try #require(lifetime.due > now)
        }
        throw CancellationError()
    }

    @Test("a lifetime is over when the certificate expires, and has few checks before", arguments: [1, 29, 30, 31, 3600])
    func end(_ seconds: Int64) throws {
        let (verdict, after, checks) = try follow(lifetime(seconds))
        #expect(verdict == .expired && after == seconds * 1000)
        #expect(checks <= 2 + Int(seconds) / 15, "15 to 30 seconds lie between two checks")
    }

    @Test("a certificate that has expired has no lifetime")
    func ended() {
        #expect(lifetime(0) == nil && lifetime(-1) == nil)
        #expect(lifetime(1) != nil)
    }

    @Test("stopping the wall clock or setting it back does not extend a lifetime", arguments: [false, true])
    func setBack(_ isSetBack: Bool) throws {
        let (verdict, after, _) = try follow(lifetime(600)) { isSetBack ? -100 * $0 : 0 }
        #expect(verdict == .outlived && after == 600_000)
    }

    @Test("a lifetime is over at the next check when the wall clock is set ahead")
    func setAhead() throws {
        let (verdict, after, checks) = try follow(lifetime(86_400)) { _ in 86_400_000 }
        #expect(verdict == .expired && after <= 30_000 && checks == 1)
    }

    @Test("a lifetime can end at any date of a certificate")
    func far() throws {
        let year9999 = Int64(253_402_300_799)
        var lifetime = try #require(
            PeerCertificateLifetime(notAfter: year9999, tls.server, tls.server.trust, interval: .seconds(30)))
        #expect(lifetime.check(at: lifetime.due) == nil)
    }

    @Test("connections that began together are checked at different times")
    func spread() throws {
        let now = NIODeadline.now()
        let waits = try (0..<200).map { _ in (try #require(lifetime(86_400)).due - now).nanoseconds / 1_000_000_000 }
        #expect(waits.allSatisfy { (14...30).contains($0) }, "\(waits)")
        #expect(try #require(waits.max()) - #require(waits.min()) >= 10, "\(waits)")
    }

    @Test(
        "a lifetime is over when a CA was removed, even during the handshake, and not when one was added or the server's certificate changed"
    )
    func removed() throws {
        let (one, other) = (tls.callerCA, try TestTLSAuthority("another"))
        func exchange(_ authorities: TestTLSAuthority...) throws -> Int {
            try tls.server.prepare(ListeningTLS.credentials(tls.serverCA, trusting: authorities))()
        }
        var before = try #require(lifetime(86_400))
        let shaking = try tls.server.handshake(ListeningTLS.offer, requiresCertificate: true).trust
        #expect(try exchange(one, other) == 0)
        #expect(try exchange(other, one, other) == 0)
        #expect(before.check(at: before.due) == nil)
        var during = try #require(lifetime(86_400))
        #expect(try exchange(other) == 1)
        #expect(before.check(at: before.due) == .authorityRemoved)
        #expect(during.check(at: during.due) == .authorityRemoved)
        var late = try #require(lifetime(86_400, shaking))
        #expect(late.check(at: late.due) == .authorityRemoved, "its handshake began before")
        var after = try #require(lifetime(86_400))
        #expect(before.verdict() == .authorityRemoved && after.verdict() == nil, "whether or not a check is due")
        #expect(after.check(at: after.due) == nil)
        #expect(try exchange(one) == 1)
        #expect(after.check(at: after.due) == .authorityRemoved)
    }

    @Test("a lifetime is over when a CA expires, except for connections made afterwards")
    func authority() throws {
        let short = try TestTLSAuthority("short", notAfter: Timestamp(unixSeconds: 1_800_000_000 + 100))
        _ = try tls.server.prepare(ListeningTLS.credentials(tls.serverCA, trusting: [tls.callerCA, short]))()
        for wall: (Int64) -> Int64 in [{ $0 }, { _ in 0 }] {
            clock.set(Self.opening)
            let (verdict, after, _) = try follow(lifetime(86_400), wall: wall)
            #expect(verdict == .authorityExpired && (100_000...130_001).contains(after))
        }
        clock.set(Timestamp(unixSeconds: 1_800_000_000 + 100))
        #expect(try follow(lifetime(1000)).verdict == .expired)
    }
}
