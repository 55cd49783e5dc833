import AssayCore
import AssayTop

/// Rules of what was called and judged since the daemon's start. Soon after a start nothing follows from nothing.
extension MetricsSample {
    /// What was not used for so long since the start is worth a word, in milliseconds.
    private static let quiet: Int64 = 86_400_000
    /// The least verdicts from which a share is meant.
    private static let least = 20.0
    /// Rejections of more than this share of an app's verdicts are a warning.
    private static let share = 0.5

    private var since: String { "since the start, \(DurationText.rounded(max(0, time - startedAt))) ago" }
    private var isQuietMeant: Bool { time - startedAt >= Self.quiet }

    private static func words(_ count: Double, _ word: String) -> String { "\(Int(count)) \(word)\(count == 1 ? "" : "s")" }

    /// The sum of a family's series that are meant.
    private func sum(_ family: String, where isMeant: ([String: String]) -> Bool = { _ in true }) -> Double {
        series(family).reduce(0) { sum, series in
            guard case .number(let value) = series.value, isMeant(series.labels) else { return sum }
            return sum + value
        }
    }

    // MARK: Callers

    var callerFindings: [DoctorFinding] {
        series("assay_caller_calls_total").compactMap { series in
            guard let caller = series.labels["caller"], case .number(let calls) = series.value else { return nil }
            guard calls == 0 else {
                return DoctorFinding(.ok, .caller, "caller \(caller)", "\(Self.words(calls, "call")) \(since)")
            }
            guard isQuietMeant else { return DoctorFinding(.ok, .caller, "caller \(caller)", "no call yet \(since)") }
            return DoctorFinding(
                .warning, .callerUnseen, "caller \(caller)", "has not called \(since)",
                do:
                    "look whether it is known as what it shows (assay whoami with its credentials); if it is not needed, remove it from "
                    + "callers.known")
        }
    }

    // MARK: Apps

    /// - Parameter apps: those of the configuration in force that the caller may name.
    func appFindings(of apps: [String]) -> [DoctorFinding] { apps.map { finding(of: $0) } }

    private func finding(of app: String) -> DoctorFinding {
        let subject = "app \(app)"
        let verdicts = sum("assay_verdicts_total") { $0["app"] == app }
        let rejected = sum("assay_verdicts_total") { $0["app"] == app && $0["decision"] == "rejected" }
        let unavailable = sum("assay_verdicts_unavailable_total") { $0["app"] == app }
        let challenges = sum("assay_challenges_issued_total") { $0["app"] == app }
        if verdicts + unavailable + challenges == 0 {
            guard isQuietMeant else { return DoctorFinding(.ok, .app, subject, "not used yet \(since)") }
            return DoctorFinding(
                .warning, .appUnused, subject, "not used \(since)",
                do:
                    "look whether a caller may name it (assay whoami), and whether its service asks this daemon; if it is not needed, "
                    + "remove it")
        }
        if unavailable >= Self.least, verdicts == 0 {
            return DoctorFinding(
                .problem, .appWithoutVerdicts, subject,
                "\(Int(unavailable)) requests and no verdict \(since): \(reasons(of: app, "assay_verdicts_unavailable_total"))",
                do: "bring back what it needs: 'assay status' and 'assay feeds' say what is unavailable")
        }
        let words = "\(Self.words(verdicts, "verdict")), \(Int(rejected)) rejected, \(since)"
        guard rejected > 0, rejected >= Self.least, rejected > verdicts * Self.share else {
            return DoctorFinding(.ok, .app, subject, words)
        }
        let isAll = rejected == verdicts
        return DoctorFinding(
            isAll ? .problem : .warning, isAll ? .appRejectsAll : .appRejectsMany, subject,
            (isAll ? "rejects everything: " : "rejects more than it accepts: ") + words + ": "
                + reasons(of: app, "assay_verdicts_total"), do: remedy(of: app))
    }

    /// The reasons of an app with their counts, the most frequent first.
    private func counts(of app: String, _ family: String) -> [(reason: String, count: Double)] {
        var counts: [String: Double] = [:]
        for series in series(family) where series.labels["app"] == app {
            guard let reason = series.labels["reason"], !reason.isEmpty, case .number(let count) = series.value else {
                continue
            }
            counts[reason, default: 0] += count
        }
        return counts.map { ($0.key, $0.value) }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }

    private func reasons(of app: String, _ family: String) -> String {
        counts(of: app, family).prefix(3).map { "\($0.reason) \(Int($0.count))" }.joined(separator: ", ")
    }

    /// What the table of reason codes says of the most frequent one.
    private func remedy(of app: String) -> String {
        let first = counts(of: app, "assay_verdicts_total").first?.reason ?? ""
        let advice = ReasonCode(rawValue: first).map { $0.guidance.remedy + " " } ?? ""
        return advice + "'assay verdicts --app \(app) --reason \(first)' shows the requests."
    }

    // MARK: Load

    /// Of file descriptors more than this share in use is a warning.
    private static let descriptorShare = 0.8

    var loadFindings: [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let failures = sum("assay_ledger_commit_failures_total")
        if failures > 0 {
            findings.append(
                DoctorFinding(
                    .warning, .commitsFail, "", "\(Int(failures)) transactions of the ledger failed \(since)",
                    do: "read the daemon's log (journalctl -u assayd) for what the ledger said: space, the disk, the database"))
        }
        if let open = value("process_open_fds"), let most = value("process_max_fds"), most > 0,
            open > most * Self.descriptorShare
        {
            findings.append(
                DoctorFinding(
                    .warning, .descriptorsShort, "", "\(Int(open)) of \(Int(most)) file descriptors are in use",
                    do: "raise LimitNOFILE of the unit, or lower limits.max_connections"))
        }
        for series in series("assay_vendor_breaker_open") {
            guard case .number(1) = series.value, let host = series.labels["host"] else { continue }
            findings.append(
                DoctorFinding(
                    .warning, .vendorUnavailable, host, "requests to the service wait, because it failed repeatedly",
                    do: "look whether the daemon's machine reaches it (curl https://\(host)/), through its firewall and proxy"))
        }
        return findings
    }
}
