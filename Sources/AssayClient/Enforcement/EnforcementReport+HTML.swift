import AssayCore

extension EnforcementReport {
    /// The report as one page that needs nothing else: no script, no font, no picture from elsewhere.
    ///
    /// - Parameter limit: how many groups of a kind are shown.
    package func page(limit: Int = 20) -> String {
        let sections = Dimension.allCases.map { dimension in
            let all = groups[dimension] ?? []
            let rest = all.count > limit ? "<p>\(all.count - limit) more are not shown.</p>" : ""
            return "<h2>\(dimension.title.first?.uppercased() ?? "")\(dimension.title.dropFirst())</h2>\n"
                + Self.bars(Array(all.prefix(limit)), of: dimension.title) + rest
        }
        let name = app.map { "the app <b>\(Self.escaped($0.text))</b>" } ?? "all apps"
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>What enforcement would refuse</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <h1>What enforcement would refuse</h1>
            <p>Rejections of \(name) from \(since) to \(until) that were answered ACCEPTED because the app does not enforce them.</p>
            <p class="numbers">\(summary.map { "<span>\(Self.escaped($0))</span>" }.joined(separator: "\n"))</p>
            <p class="key"><i class="honest"></i> of devices that look honest <i class="other"></i> of other known devices
            <i class="unknown"></i> of devices that are not known</p>
            <h2>By day</h2>
            \(columns)
            \(sections.joined(separator: "\n"))
            <p class="note">A device looks honest if it is registered, so that it had an accepted verdict before, and none of its rejections in the
            period is a replay or a revocation.</p>
            </body>
            </html>

            """
    }

    /// What a reader wants to know first, a sentence each.
    package var summary: [String] {
        var lines = [
            "\(total.verdicts) verdicts would be refused"
                + (total.honestShare.map { ", \($0) % of the known devices' by devices that look honest" } ?? "")
        ]
        lines.append(
            "\(devices.all) known devices, \(devices.honest) of them look honest; \(total.unknown) verdicts are of devices that are not known"
        )
        lines.append("\(refused.all) were refused all the same, \(refused.replays) of them as replays or revocations")
        return lines
    }

    // MARK: Plots

    private static let style = """
        body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
        h1{font-size:1.5rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}svg{width:100%;height:auto}
        text{font:12px system-ui,sans-serif;fill:#222}.numbers span{display:block}.note,.key{color:#555}
        .key i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .8em}
        .honest{fill:#0072b2;background:#0072b2}.other{fill:#d55e00;background:#d55e00}.unknown{fill:#999;background:#999}
        """

    private static let width = 900
    private static let label = 260
    private static let number = 160

    /// A bar for each group, in three parts.
    private static func bars(_ groups: [Group], of what: String) -> String {
        guard let most = groups.map(\.verdicts).max(), most > 0 else { return "<p>None.</p>\n" }
        let (row, space) = (24, width - label - number)
        var svg = "<svg viewBox=\"0 0 \(width) \(groups.count * row)\" role=\"img\" aria-label=\"Verdicts \(what)\">\n"
        for (index, group) in groups.enumerated() {
            let y = index * row
            let name = group.name.isEmpty ? "not known" : group.name
            svg += "<text x=\"\(label - 8)\" y=\"\(y + 16)\" text-anchor=\"end\">\(escaped(short(name)))</text>\n"
            var x = label
            for (kind, count) in group.parts where count > 0 {
                let length = max(1, Int(Double(count) / Double(most) * Double(space)))
                svg += "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y + 4)\" width=\"\(length)\" height=\"\(row - 8)\"/>\n"
                x += length
            }
            let share = group.honestShare.map { ", \($0) % honest" } ?? ""
            svg += "<text x=\"\(x + 6)\" y=\"\(y + 16)\">\(group.verdicts)\(share)</text>\n"
        }
        return svg + "</svg>\n"
    }

    /// A column for each day.
    private var columns: String {
        guard let most = days.map(\.verdicts).max(), most > 0 else { return "<p>None.</p>" }
        let (height, foot) = (180, 20)
        let step = Double(Self.width) / Double(days.count)
        var svg = "<svg viewBox=\"0 0 \(Self.width) \(height + foot)\" role=\"img\" aria-label=\"Verdicts by day\">\n"
        for (index, day) in days.enumerated() {
            let x = Int(Double(index) * step)
            var y = height
            for (kind, count) in day.parts where count > 0 {
                let length = max(1, Int(Double(count) / Double(most) * Double(height - 16)))
                y -= length
                svg +=
                    "<rect class=\"\(kind)\" x=\"\(x + 1)\" y=\"\(y)\" width=\"\(max(1, Int(step) - 2))\" height=\"\(length)\"/>\n"
            }
            // As many dates as there is space for.
            if index % max(1, days.count / 8) == 0 { svg += "<text x=\"\(x + 1)\" y=\"\(height + 14)\">\(day.name)</text>\n" }
            if days.count <= 31, day.verdicts > 0 { svg += "<text x=\"\(x + 1)\" y=\"\(y - 3)\">\(day.verdicts)</text>\n" }
        }
        return svg + "</svg>"
    }

    private static func short(_ name: String) -> String { name.count > 36 ? String(name.prefix(35)) + "…" : name }

    /// For HTML. Names of models and versions are what devices say.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.visible.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

extension EnforcementReport.Group {
    /// The parts of a bar, each with the class that it is coloured by.
    fileprivate var parts: [(kind: String, count: Int64)] {
        [("honest", honest), ("other", verdicts - honest - unknown), ("unknown", unknown)]
    }
}
