package import AssayCore

/// How long an answer of a feed may be kept before it is asked for again (RFC 9111 §4.2): `max-age` of Cache-Control, less the
/// Age that the answer had when it came.
package struct CacheRule {
    /// Longest age that is taken for one, in seconds: a year.
    private static let longestAge: Int64 = 31_536_000

    /// What is known was the latest at this time.
    package let asOf: Timestamp
    package let askAgainAt: Timestamp

    /// - Parameters:
    ///   - bounds: shortest and longest wait in milliseconds, whatever the answer says.
    package init(_ headers: VendorAnswer.Headers, at now: Timestamp, bounds: ClosedRange<Int64>) {
        // An age that is no number of seconds, or longer than a year, is no age.
        let age = headers.age.flatMap { Int64($0) }.flatMap { (0...Self.longestAge).contains($0) ? $0 * 1000 : nil } ?? 0
        asOf = now.adding(milliseconds: -age)
        let wait = Self.maxAge(headers.cacheControl).map { $0 - age } ?? bounds.lowerBound
        askAgainAt = now.adding(milliseconds: min(max(wait, bounds.lowerBound), bounds.upperBound))
    }

    /// In milliseconds; `nil` where the directive is missing or is no number. `no-cache` and `no-store` are 0.
    private static func maxAge(_ header: String?) -> Int64? {
        guard let header else { return nil }
        var age: Int64?
        for directive in header.lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\"" } }
            switch (parts.first, parts.count) {
            case ("no-cache", _), ("no-store", _): return 0
            case ("max-age", 2): age = Int64(parts[1]).map { min(max($0, 0), longestAge) * 1000 } ?? age
            default: continue
            }
        }
        return age
    }
}
