import AssayAPI
import AssayMetrics

/// The lists that verdicts depend on, by their name (`assay feeds list`).
enum FeedMetrics: StatusSubject {
    private static let wanted = MetricFamily(
        "assay_feed_wanted", .gauge, labels: ["feed"], "1 if an app needs the list.")
    private static let usable = MetricFamily(
        "assay_feed_usable", .gauge, labels: ["feed"], "1 if verdicts may rest on the list: it was loaded and is not too old.")
    private static let age = MetricFamily(
        "assay_feed_age_seconds", .gauge, unit: .seconds, labels: ["feed"], "The age of the list. Missing before the first one."
    )
    private static let limit = MetricFamily(
        "assay_feed_max_age_seconds", .gauge, unit: .seconds, labels: ["feed"], "The age from which on the list is too old.")
    private static let failing = MetricFamily(
        "assay_feed_refresh_failing", .gauge, labels: ["feed"], "1 if the last attempt to refresh the list failed.")
    private static let entries = MetricFamily("assay_feed_entries", .gauge, labels: ["feed"], "Entries of the list.")
    private static let odd = MetricFamily(
        "assay_feed_odd_entries", .gauge, labels: ["feed", "kind"],
        "Entries of the list that cannot be read (unreadable) or have a status that is not known (unknown_status).")

    static var families: [MetricFamily] { [wanted, usable, age, limit, failing, entries, odd] }

    static func collect(_ status: Assay_V1_StatusResponse, into exposition: inout Exposition) {
        for feed in status.feeds {
            let name = [feed.feed]
            exposition.add(wanted, name, isTrue: feed.wanted)
            exposition.add(usable, name, isTrue: feed.unavailable.isEmpty && !feed.id.isEmpty)
            exposition.add(limit, name, number: Double(feed.maxAgeMs) / 1000)
            exposition.add(failing, name, isTrue: !feed.problem.isEmpty)
            guard !feed.id.isEmpty else { continue }
            exposition.add(age, name, number: Double(status.nowUnixMs - feed.asOfUnixMs) / 1000)
            exposition.add(entries, name, count: feed.entries)
            exposition.add(odd, name + ["unreadable"], count: feed.unreadableEntries)
            exposition.add(odd, name + ["unknown_status"], count: feed.unknownStatusEntries)
        }
    }
}
