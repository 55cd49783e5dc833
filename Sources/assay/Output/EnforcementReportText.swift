import AssayClient
import AssayCore

/// The output form of the report, for people and for tools.
extension EnforcementReport {
    /// - Parameter limit: how many groups of a kind are shown.
    func lines(limit: Int) -> [String] {
        var lines = ["from \(since) to \(until)" + (app.map { ", \($0)" } ?? "")]
        lines += summary.map { "  " + $0 }
        guard total.verdicts > 0 else { return lines }
        for dimension in Dimension.allCases {
            let all = groups[dimension] ?? []
            lines += ["", dimension.title] + all.prefix(limit).map(\.line)
            if all.count > limit { lines.append("            \(all.count - limit) more (--top)") }
        }
        return lines
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "since": since.description, "until": until.description, "would_reject": total.json,
            "devices": ["known": devices.all, "honest_looking": devices.honest],
            "refused": ["verdicts": refused.all, "replays_and_revocations": refused.replays],
            "days": days.map(\.json),
        ]
        if let app { object["app"] = app.text }
        for dimension in Dimension.allCases { object["by_" + dimension.rawValue] = (groups[dimension] ?? []).map(\.json) }
        return object
    }
}

extension EnforcementReport.Group {
    fileprivate var line: String {
        let count = "\(verdicts)"
        let share = honestShare.map { "\($0) % honest-looking" } ?? "no known device"
        let padding = String(repeating: " ", count: max(0, 10 - count.count))
        return "  \(padding)\(count)  \(share.padded(to: 21))  \(name.isEmpty ? "not known" : name)"
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["verdicts": verdicts, "honest_looking": honest, "unknown_device": unknown]
        if !name.isEmpty { object["name"] = name }
        if let honestShare { object["honest_looking_percent"] = honestShare }
        return object
    }
}
