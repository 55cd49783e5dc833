import AssayCore
import AssaySimulator
import AssayTesting
import NIOCore
import Testing

@testable import AssayRPC

@Suite("Term of a certificate")
struct PeerCertificateLifetimeTests {
    static let opening = Timestamp(unixSeconds: 1_800_000_000)
    let clock = FixedClock(Self.opening)
    let tls: TestTLS

    init() throws { tls = try TestTLS(clock: clock) }

    /// As a connection has it that begins now, with a certificate that ends in so many seconds.
    private func term(_ seconds: Int64, _ trust: ClientTrustStore? = nil, interval: Duration = .seconds(30))
        -> PeerCertificateLifetime?
    {
        PeerCertificateLifetime(
            notAfter: clock.now().unixMilliseconds / 1000 + seconds, tls.server, trust ?? tls.server.trust, interval: interval)
    }

    /// Looks whenever that is due, with a wall clock that follows, or one that `wall` moves by as many milliseconds as it says.
    private func follow(
        _ term: PeerCertificateLifetime?, wall: (_ passed: Int64) -> Int64 = { $0 }
    ) throws -> (verdict: PeerCertificateLifetime.Verdict, after: Int64, looks: Int) {
        var term = try #require(term)
        let opening = term.opened
        var (last, looks) = (Int64(0), 0)
        while looks < 10_000 {
            let now = term.due
            let passed = (now - opening).nanoseconds / 1_000_000
            clock.advance(milliseconds: wall(passed - last))
            (last, looks) = (passed, looks + 1)
            if let verdict = term.look(at: now) { return (verdict, passed, looks) }
            try #require(term.due > now)
        }
        throw CancellationError()
    }

    @Test("is over when the certificate ends, and has few looks before", arguments: [1, 29, 30, 31, 3600])
    func end(_ seconds: Int64) throws {
        let (verdict, after, looks) = try follow(term(seconds))
        #expect(verdict == .expired && after == seconds * 1000)
        #expect(looks <= 2 + Int(seconds) / 15, "half a minute, or a quarter, lies between two looks")
    }

    @Test("is not given to a certificate that has ended")
    func ended() {
        #expect(term(0) == nil && term(-1) == nil)
        #expect(term(1) != nil)
    }

    @Test("is not longer for a wall clock that stands, or is set back", arguments: [false, true])
    func setBack(_ isSetBack: Bool) throws {
        let (verdict, after, _) = try follow(term(600)) { isSetBack ? -100 * $0 : 0 }
        #expect(verdict == .outlived && after == 600_000)
    }

    @Test("is over at the next look when the wall clock is set ahead")
    func setAhead() throws {
        let (verdict, after, looks) = try follow(term(86_400)) { _ in 86_400_000 }
        #expect(verdict == .expired && after <= 30_000 && looks == 1)
    }

    @Test("has no end that any date could not be")
    func far() throws {
        let year9999 = Int64(253_402_300_799)
        var term = try #require(
            PeerCertificateLifetime(notAfter: year9999, tls.server, tls.server.trust, interval: .seconds(30)))
        #expect(term.look(at: term.due) == nil)
    }

    @Test("is looked at when connections that began together do not all look")
    func spread() throws {
        let now = NIODeadline.now()
        let waits = try (0..<200).map { _ in (try #require(term(86_400)).due - now).nanoseconds / 1_000_000_000 }
        #expect(waits.allSatisfy { (14...30).contains($0) }, "\(waits)")
        #expect(try #require(waits.max()) - #require(waits.min()) >= 10, "\(waits)")
    }

    @Test("is over when a CA was taken out, also in the handshake, and not when one came or the certificate changed")
    func removed() throws {
        let (one, other) = (tls.callerCA, try TestTLSAuthority("another"))
        func exchange(_ authorities: TestTLSAuthority...) throws -> Int {
            let pem = Array(authorities.map(\.pem).joined().utf8)
            let issued = try tls.serverCA.issue(.server, names: [])
            return try tls.server.prepare(
                TLSCredentials(
                    certificates: Array(issued.certificate.utf8), privateKey: Array(issued.privateKey.utf8), authorities: pem))()
        }
        var before = try #require(term(86_400))
        let shaking = tls.server.greeting().trust
        #expect(try exchange(one, other) == 0)
        #expect(try exchange(other, one, other) == 0)
        #expect(before.look(at: before.due) == nil)
        var during = try #require(term(86_400))
        #expect(try exchange(other) == 1)
        #expect(before.look(at: before.due) == .authorityRemoved)
        #expect(during.look(at: during.due) == .authorityRemoved)
        var late = try #require(term(86_400, shaking))
        #expect(late.look(at: late.due) == .authorityRemoved, "its handshake began before")
        var after = try #require(term(86_400))
        #expect(after.look(at: after.due) == nil)
        #expect(try exchange(one) == 1)
        #expect(after.look(at: after.due) == .authorityRemoved)
    }

    @Test("is over when a CA expires, but for those who connect afterwards")
    func authority() throws {
        let short = try TestTLSAuthority("short", notAfter: Timestamp(unixSeconds: 1_800_000_000 + 100))
        _ = try tls.server.prepare(TestTLS.serverCredentials(tls.serverCA, trusting: tls.callerCA, short))()
        for wall: (Int64) -> Int64 in [{ $0 }, { _ in 0 }] {
            clock.set(Self.opening)
            let (verdict, after, _) = try follow(term(86_400), wall: wall)
            #expect(verdict == .authorityExpired && (100_000...130_001).contains(after))
        }
        clock.set(Timestamp(unixSeconds: 1_800_000_000 + 100))
        #expect(try follow(term(1000)).verdict == .expired)
    }
}
