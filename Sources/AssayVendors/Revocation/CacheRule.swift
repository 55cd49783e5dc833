package import AssayCore

/// How long an answer of a feed is cached before the next request (RFC 9111 §4.2): `max-age` of Cache-Control, minus the Age of
/// the answer.
package struct CacheRule {
    /// The longest accepted age, in seconds: a year.
    private static let longestAge: Int64 = 31_536_000

    /// The time at which the content was the latest.
    package let asOf: Timestamp
    package let askAgainAt: Timestamp

    /// - Parameters:
    ///   - bounds: the shortest and longest wait in milliseconds, whatever the answer says.
    package init(_ headers: VendorAnswer.Headers, at now: Timestamp, bounds: ClosedRange<Int64>) {
        // An age that is not a number of seconds, or longer than a year, is ignored.
        let age = headers.age.flatMap { Int64($0) }.flatMap { (0...Self.longestAge).contains($0) ? $0 * 1000 : nil } ?? 0
        asOf = now.adding(milliseconds: -age)
        let wait = Self.maxAge(headers.cacheControl).map { $0 - age } ?? bounds.lowerBound
        askAgainAt = now.adding(milliseconds: min(max(wait, bounds.lowerBound), bounds.upperBound))
    }

    /// In milliseconds; `nil` if the directive is missing or not a number. `no-cache` and `no-store` are 0.
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
