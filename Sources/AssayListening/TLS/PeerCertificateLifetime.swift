package import NIOCore

/// How long the peer's certificate authenticates a connection: until the certificate expires, and while every CA that it may have
/// been verified with is configured and has not expired. After the handshake it is not known which of the CAs verified it.
///
/// Two clocks judge an expiry, and the earlier one counts: the wall clock, which may be set while the connection is open, and the
/// machine's uptime since the handshake. Setting the wall clock back does not extend a lifetime.
package struct PeerCertificateLifetime: Sendable {
    /// Why the certificate does not authenticate the connection any more.
    package enum Verdict: String, Sendable {
        case expired = "its certificate expired"
        case outlived = "the time has passed that its certificate had left when it connected"
        case authorityRemoved = "a CA was taken out since it connected"
        case authorityExpired = "a CA expired since it connected"
    }

    /// An expiry.
    private struct End: Sendable {
        /// Milliseconds since 1970, by the wall clock.
        let at: Int64
        /// Milliseconds from the handshake.
        let left: Int64

        init(seconds: Int64, now: Int64) {
            // Does not overflow: the last date of a certificate is in the year 9999.
            at = seconds * 1000
            left = at - now
        }
    }

    private let tls: ServerTLS
    package let opened: NIODeadline
    private let interval: TimeAmount
    private let certificate: End
    private let authority: End?
    /// ``ClientTrustStore/removals`` at the handshake.
    private let removals: Int
    /// When the next check is due.
    package private(set) var due: NIODeadline

    /// Nil for a certificate that has expired.
    ///
    /// - Parameters:
    ///   - notAfter: the end of the peer's certificate, in seconds since 1970.
    ///   - trust: the CAs that it was verified with.
    ///   - interval: the longest time between two checks.
    init?(notAfter: Int64, _ tls: ServerTLS, _ trust: ClientTrustStore, interval: Duration) {
        let wall = tls.clock()
        // Read after the wall clock: if both run alike, the wall clock reaches the end first.
        let now = NIODeadline.now()
        certificate = End(seconds: notAfter, now: wall)
        guard certificate.at > wall else { return nil }
        authority = trust.firstEnd(after: wall / 1000).map { End(seconds: $0, now: wall) }
        (self.tls, removals, opened, self.interval) = (tls, trust.removals, now, TimeAmount(interval))
        due = now
        due = nextCheck(now, left: certificate.left)
    }

    /// Checks the certificate and the CAs, if that is due. Nil: they still authenticate the connection.
    package mutating func check(at now: NIODeadline) -> Verdict? {
        guard due <= now else { return nil }
        if let verdict = verdict(at: now) { return verdict }
        due = nextCheck(now, left: min(certificate.at - tls.clock(), certificate.left - passed(at: now)))
        return nil
    }

    /// Why the certificate does not authenticate the connection any more; nil: it does.
    package func verdict(at now: NIODeadline = .now()) -> Verdict? {
        let (wall, passed) = (tls.clock(), passed(at: now))
        if certificate.at <= wall { return .expired }
        if certificate.left <= passed { return .outlived }
        if removals != tls.trust.removals { return .authorityRemoved }
        if let authority, authority.at <= wall || authority.left <= passed { return .authorityExpired }
        return nil
    }

    /// Milliseconds since the handshake.
    private func passed(at now: NIODeadline) -> Int64 { (now - opened).nanoseconds / 1_000_000 }

    /// The certificate's end, to the millisecond, or a random instant in the second half of the interval. Connections that began
    /// together are thus not checked together, and when a CA is removed their clients do not all reconnect at once.
    private func nextCheck(_ now: NIODeadline, left: Int64) -> NIODeadline {
        let chance = interval.nanoseconds / 2
        let usual = TimeAmount.nanoseconds(interval.nanoseconds - Int64.random(in: 0...max(0, chance)))
        guard left < interval.nanoseconds / 1_000_000 else { return now + usual }
        return now + min(usual, .milliseconds(left))
    }
}
