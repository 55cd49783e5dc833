import NIOCore

/// How long a connection is vouched for: until its caller's certificate ends, and as long as every CA is in use and in date that it
/// may have been verified with. Which of them it was is not known once the handshake is over.
///
/// Ends are judged by two clocks, of which the first counts. The wall clock is looked at now and then, since it may be set
/// while the connection stands. And what was left at the handshake passes by the machine's own count, so that a wall clock
/// which is set back lends nothing.
struct PeerCertificateLifetime {
    /// Why a connection is not vouched for any more.
    enum Verdict: String {
        case expired = "its certificate expired"
        case outlived = "the time has passed that its certificate had left when it connected"
        case authorityRemoved = "a CA was taken out since it connected"
        case authorityExpired = "a CA expired since it connected"

        var reason: GoAwayReason {
            switch self {
            case .expired, .outlived: .certificateExpired
            case .authorityRemoved, .authorityExpired: .authorityGone
            }
        }
    }

    /// An instant of the wall clock, and how far away it was in the handshake.
    private struct End {
        /// Milliseconds since 1970.
        let at: Int64
        let left: Int64

        init(seconds: Int64, now: Int64) {
            // The last date that a certificate can name, in the year 9999, is far from the limits.
            at = seconds * 1000
            left = at - now
        }
    }

    private let tls: ServerTLS
    let opened: NIODeadline
    private let interval: TimeAmount
    private let certificate: End
    private let authority: End?
    /// As ``ClientTrustStore/removals`` was in the handshake.
    private let removals: Int
    /// When to look again, at the latest.
    private(set) var due: NIODeadline

    /// Nil for a certificate that has ended.
    ///
    /// - Parameters:
    ///   - notAfter: the end of the caller's certificate, in seconds since 1970.
    ///   - trust: whom it was verified with.
    ///   - interval: the longest time between two looks.
    init?(notAfter: Int64, _ tls: ServerTLS, _ trust: ClientTrustStore, interval: Duration) {
        let wall = tls.clock()
        // Later than the wall clock's reading: where both run alike, it is the wall clock that comes to the end first.
        let now = NIODeadline.now()
        certificate = End(seconds: notAfter, now: wall)
        guard certificate.at > wall else { return nil }
        authority = trust.firstEnd(after: wall / 1000).map { End(seconds: $0, now: wall) }
        (self.tls, removals, opened, self.interval) = (tls, trust.removals, now, TimeAmount(interval))
        due = now
        due = nextLook(now, left: certificate.left)
    }

    /// Looks whether the connection is still vouched for, if that is due.
    mutating func look(at now: NIODeadline) -> Verdict? {
        guard due <= now else { return nil }
        let (wall, passed) = (tls.clock(), (now - opened).nanoseconds / 1_000_000)
        if certificate.at <= wall { return .expired }
        if certificate.left <= passed { return .outlived }
        if removals != tls.trust.removals { return .authorityRemoved }
        if let authority, authority.at <= wall || authority.left <= passed { return .authorityExpired }
        due = nextLook(now, left: min(certificate.at - wall, certificate.left - passed))
        return nil
    }

    /// At the certificate's end, to the millisecond; else by chance in the second half of the interval. So connections that began
    /// together do not look together, and when a CA goes not all of them come back at once.
    private func nextLook(_ now: NIODeadline, left: Int64) -> NIODeadline {
        let chance = interval.nanoseconds / 2
        let usual = TimeAmount.nanoseconds(interval.nanoseconds - Int64.random(in: 0...max(0, chance)))
        guard left < interval.nanoseconds / 1_000_000 else { return now + usual }
        return now + min(usual, .milliseconds(left))
    }
}
