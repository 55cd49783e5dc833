import AssayAPI
import AssayCore

/// What ends on a day. The daemon's own rules say it 14 days before; these say it while there is still time to order something.
enum DateRule {
    /// A certificate or key that ends sooner is a warning, in milliseconds.
    static let notice: Int64 = 30 * 86_400_000

    /// "in 12 d", or "3 d ago".
    static func words(until end: Timestamp, from now: Timestamp) -> String {
        let left = end.milliseconds(since: now)
        let days = abs(left) / 86_400_000
        return left < 0 ? "\(days) d ago" : "in \(days) d"
    }
}

extension Assay_V1_StatusResponse {
    private var now: Timestamp { Timestamp(unixMilliseconds: nowUnixMs) }

    /// The lists that apps need, as far as the daemon does not say itself that they need attention.
    var feedFindings: [DoctorFinding] {
        let told = attention.filter { $0.code == "feed_not_refreshed" }.map(\.message)
        return feeds.filter { feed in
            feed.wanted && feed.unavailable.isEmpty && !told.contains { $0.hasPrefix(feed.feed + " ") }
        }.map { feed in
            let age = now.milliseconds(since: Timestamp(unixMilliseconds: feed.asOfUnixMs))
            let words = "\(DurationText.rounded(age)) old, of at most \(DurationText.rounded(feed.maxAgeMs))"
            guard !feed.problem.isEmpty else { return DoctorFinding(.ok, .feed, feed.feed, words) }
            return DoctorFinding(
                .warning, .feedFailing, feed.feed, "cannot be refreshed (\(feed.problem)), and is \(words)",
                do:
                    "let the daemon reach \(feed.source.isEmpty ? "the list" : feed.source), or load a copy of it: assay feeds load"
            )
        }
    }

    /// The certificates of listeners and of callers' CAs, the CAs of device certificates, and the keys of results.
    var certificateFindings: [DoctorFinding] {
        let told = Set(attention.map(\.code))
        let files = certificates.compactMap { certificate in
            dated(
                certificate.file, "the certificate", certificate.notAfterUnixMs,
                isTold: told.contains("certificate_expired") || told.contains("certificate_expires_soon"),
                do: "renew it in its file, then systemctl reload assayd")
        }
        let authorities = authorities.filter { $0.state == .signing }.compactMap { authority in
            dated(
                "CA \(authority.name)", "its certificate", authority.notAfterUnixMs,
                isTold: told.contains("authority_expires_soon"),
                do: "make the next CA (assay ca next), and add it to the configuration before this one ends")
        }
        let keys = resultIssuers.filter { $0.signingEndsUnixMs != 0 }.compactMap { issuer in
            dated(
                "results for \(issuer.issuer)", "the last of its keys", issuer.signingEndsUnixMs,
                isTold: told.contains("result_key_ends_soon"),
                do: "make another key (assay results new-key), and add it to results.keys")
        }
        return files + authorities + keys
    }

    /// `nil` for what ends so soon that the daemon says it itself.
    private func dated(
        _ subject: String, _ what: String, _ end: Int64, isTold: Bool, do remedy: String
    ) -> DoctorFinding? {
        let end = Timestamp(unixMilliseconds: end)
        let left = end.milliseconds(since: now)
        if isTold, left < CertificateEnd.notice { return nil }
        let words = "\(what) ends \(DateRule.words(until: end, from: now)) (\(end))"
        return left < DateRule.notice
            ? DoctorFinding(.warning, .certificateEnds, subject, words, do: remedy)
            : DoctorFinding(.ok, .certificate, subject, words)
    }
}

extension InstallationFacts {
    /// API keys that are not revoked.
    var keyFindings: [DoctorFinding] {
        guard let keys, let now else { return [] }
        return keys.filter { $0.revokedAtUnixMs == 0 && $0.expiresAtUnixMs > now.unixMilliseconds }.map { key in
            let end = Timestamp(unixMilliseconds: key.expiresAtUnixMs)
            let words = "expires \(DateRule.words(until: end, from: now)) (\(end))"
            if !key.usable {
                return DoctorFinding(
                    .warning, .apiKeyUnusable, "key \(key.name)", "the configuration allows nothing of what it was made for",
                    do: "revoke it (assay key revoke \(key.name)), or widen callers.keys")
            }
            if end.milliseconds(since: now) < CertificateEnd.notice {
                return DoctorFinding(
                    .warning, .apiKeyEnds, "key \(key.name)", words,
                    do: "make another (assay key create), give it to the caller, then revoke this one")
            }
            return DoctorFinding(.ok, .apiKey, "key \(key.name)", words)
        }
    }
}
