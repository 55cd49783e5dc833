import AssayCore
package import AssayMetrics

extension VerdictCounters: MetricsCollector {
    private static let verdicts = MetricFamily(
        "assay_verdicts", .counter, labels: ["app", "format", "decision", "reason", "assurance"],
        "Verdicts by app, format, decision (accepted, rejected, repeated), reason of a rejection and assurance of an acceptance."
    )
    private static let wouldReject = MetricFamily(
        "assay_verdicts_would_reject", .counter, labels: ["app", "format", "reason"],
        "Rejected verdicts that were answered ACCEPTED (enforce), by app, format and reason; counted in assay_verdicts as rejected."
    )
    private static let unavailable = MetricFamily(
        "assay_verdicts_unavailable", .counter, labels: ["app", "format", "reason"],
        "Requests that could not be judged, by the reason of the error that answered them.")
    private static let challenges = MetricFamily(
        "assay_challenges_issued", .counter, labels: ["app", "purpose"], "Challenges issued, by app and purpose.")
    private static let lookups = MetricFamily(
        "assay_lookups", .counter, labels: ["app", "result"],
        "Look-ups of verdicts by the hash of a file, by app and result (found, nothing).")
    private static let notes = MetricFamily(
        "assay_notes", .counter, labels: ["code"],
        "Notes in verdicts by their code, such as attestation_key_overused: what was let pass and is worth knowing.")

    private static let seconds = MetricFamily(
        "assay_verdict_seconds", .counter, labels: ["app"],
        "The time that requests took to be judged, summed over the requests: vendors, plugins and the commit included.")
    private static let rateLimited = MetricFamily(
        "assay_rate_limited", .counter, labels: ["app", "limit"],
        "Requests that a rate limit refused, by app and limit (caller, caller_in_app, app, address, device).")
    private static let remembered = MetricFamily(
        "assay_refusals_remembered", .counter,
        "Rejections that were answered from memory, because an equal request was refused for good shortly before.")

    package var metricFamilies: [MetricFamily] {
        [
            Self.verdicts, Self.wouldReject, Self.unavailable, Self.seconds, Self.challenges, Self.lookups, Self.notes,
            Self.rateLimited,
            Self.remembered,
        ]
    }

    /// Counts of rejections that are zero have no series: there are some sixty reasons for each format.
    package func collect(into exposition: inout Exposition) {
        for app in apps {
            for format in app.formats {
                collect(format, of: app, into: &exposition)
            }
            exposition.add(Self.seconds, [app.app], number: Double(app.nanoseconds) / 1e9)
            for purpose in Purpose.allCases {
                guard let count = app.challenges[purpose] else { continue }
                exposition.add(Self.challenges, [app.app, purpose.name], count: count)
            }
            for found in [true, false] {
                guard let count = app.lookups[found] else { continue }
                exposition.add(Self.lookups, [app.app, found ? "found" : "nothing"], count: count)
            }
        }
        let counts = counts
        for (limited, count) in counts.rateLimited.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.rateLimited, [limited.app.text, limited.limit.rawValue], count: count)
        }
        exposition.add(Self.remembered, count: counts.refusalsRemembered)
        for (code, count) in counts.notes.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.notes, [code], count: count)
        }
    }

    private func collect(_ format: FormatCounts, of counts: AppCounts, into exposition: inout Exposition) {
        let app = counts.app
        func add(_ decision: String, _ reason: String, _ assurance: String, _ count: UInt64) {
            exposition.add(Self.verdicts, [app, format.format, decision, reason, assurance], count: count)
        }
        for (assurance, count) in zip(Assurance.allCases, format.accepted) where count > 0 || counts.isKnown {
            add("accepted", "", assurance.name, count)
        }
        for (code, count) in format.rejected.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            add("rejected", code.rawValue, "", count)
        }
        if format.rejectedByOtherCodes > 0 { add("rejected", Self.other, "", format.rejectedByOtherCodes) }
        for (code, count) in format.wouldReject.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            exposition.add(Self.wouldReject, [app, format.format, code.rawValue], count: count)
        }
        if format.wouldRejectByOtherCodes > 0 {
            exposition.add(Self.wouldReject, [app, format.format, Self.other], count: format.wouldRejectByOtherCodes)
        }
        if format.repeated > 0 || counts.isKnown { add("repeated", "", "", format.repeated) }
        for (reason, count) in format.unavailable.sorted(by: { $0.key < $1.key }) {
            exposition.add(Self.unavailable, [app, format.format, reason], count: count)
        }
    }
}
