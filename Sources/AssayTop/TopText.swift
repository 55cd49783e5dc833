import Foundation

/// The view as lines of a terminal.
package struct TopText: Sendable {
    package enum Style: Sendable { case plain, bold, good, bad, faint }

    /// A line in parts, each with a style; the texts together are the line.
    package typealias Line = [(text: String, style: Style)]

    package let view: TopView
    /// In characters; longer lines are cut.
    package let width: Int
    /// Lines at most; sections are shortened to fit. `nil`: as many as there are.
    package let height: Int?

    package init(_ view: TopView, width: Int, height: Int? = nil) {
        (self.view, self.width, self.height) = (view, max(20, width), height.map { max(5, $0) })
    }

    /// Never wider than the width, never more than the height.
    package var lines: [Line] {
        var lines: [Line] = head
        let sections = [methods, stages, apps, rejections, feeds].filter { !$0.isEmpty }
        // What a short terminal has no lines for is cut from the end of the longest section.
        var kept = sections.map(\.count)
        if let height {
            while lines.count + kept.reduce(0, +) + kept.count(where: { $0 > 0 }) > height,
                let longest = kept.indices.max(by: { kept[$0] < kept[$1] }), kept[longest] > 0
            {
                // A heading alone says nothing.
                kept[longest] = kept[longest] <= 2 ? 0 : kept[longest] - 1
            }
        }
        for (section, count) in zip(sections, kept) where count > 0 { lines += [[("", .plain)]] + section.prefix(count) }
        if let height { lines = Array(lines.prefix(height)) }
        return lines.map(cut)
    }

    private func cut(_ line: Line) -> Line {
        var (rest, cut) = (width, Line())
        for part in line where rest > 0 {
            let text = String(part.text.prefix(rest))
            rest -= text.count
            cut.append((text, part.style))
        }
        return cut
    }

    // MARK: Sections

    private var head: [Line] {
        var lines: [Line] = [
            [
                ("assayd \(view.version)", .bold), ("  up \(Self.span(view.uptime))  ", .plain),
                (view.isReady ? "ready" : "not ready", view.isReady ? .good : .bad),
                ("  over \(Self.time(view.seconds))", .faint),
            ],
            [
                (
                    "verdicts  \(Self.rate(view.accepted)) accepted, \(Self.rate(view.rejected)) rejected, "
                        + "\(Self.rate(view.repeated)) repeated, ", .plain
                ),
                ("\(Self.rate(view.unavailable)) unavailable", view.unavailable > 0 ? .bad : .plain), (" a second", .plain),
            ],
            [
                (
                    "load      \(view.connections) connections, \(view.callsInFlight) calls in flight, \(view.callsWaiting) waiting, ",
                    .plain
                ),
                ("\(Self.rate(view.refusedCalls)) refused a second", view.refusedCalls > 0 ? .bad : .plain),
                (view.commitSize.map { ", \(Self.rate($0)) entries a commit" } ?? "", .plain),
            ],
        ]
        lines += view.concerns.prefix(5).map { concern in
            [
                ("  \(concern.code)", .bad), (concern.app.isEmpty ? ": " : " (\(concern.app)): ", .plain),
                (concern.message, .plain),
            ]
        }
        if view.concerns.count > 5 { lines.append([("  and \(view.concerns.count - 5) more: assay status --check", .plain)]) }
        return lines
    }

    private var methods: [Line] {
        table(
            ["method", "calls/s", "errors/s", "p50", "p99"],
            view.methods.map { method in
                let name = method.name.split(separator: "/").suffix(2).joined(separator: "/")
                return [
                    name.hasPrefix("assay.v1.") ? String(name.dropFirst(9)) : name, Self.rate(method.rate),
                    Self.rate(method.errors), Self.time(method.median), Self.time(method.p99),
                ]
            })
    }

    private var stages: [Line] {
        table(
            ["stage", "requests/s", "", "p50", "p99"],
            view.stages.map { [$0.name, Self.rate($0.rate), "", Self.time($0.median), Self.time($0.p99)] })
    }

    private var apps: [Line] {
        table(
            ["app, slowest first", "verdicts/s", "rejected/s", "unavail./s", "mean"],
            view.apps.map {
                [$0.name, Self.rate($0.verdicts), Self.rate($0.rejected), Self.rate($0.unavailable), Self.time($0.meanTime)]
            })
    }

    private var rejections: [Line] {
        table(
            ["rejected because", "per second", "", "", ""],
            view.rejections.map { ["\($0.reason) (\($0.app))", Self.rate($0.rate), "", "", ""] })
    }

    private var feeds: [Line] {
        table(
            ["list", "age", "limit", "", ""],
            view.feeds.map { feed in
                let state = feed.isUsable ? (feed.isFailing ? "failing" : "good") : feed.isWanted ? "unusable" : "not needed"
                return [feed.name, feed.age.map(Self.span) ?? "none", Self.span(feed.limit), state, ""]
            })
    }

    /// The first column takes what the others leave, and is cut before them.
    private func table(_ titles: [String], _ rows: [[String]]) -> [Line] {
        guard !rows.isEmpty else { return [] }
        let narrow = 11
        let name = max(8, min(44, width - (titles.count - 1) * narrow))
        func line(_ cells: [String], _ style: Style) -> Line {
            let first = cells.first ?? ""
            var text = first.count > name ? first.prefix(name - 1) + "…" : first.padded(to: name)
            for cell in cells.dropFirst() { text += String(repeating: " ", count: max(1, narrow - cell.count)) + cell }
            while text.hasSuffix(" ") { text.removeLast() }
            return [(text, style)]
        }
        return [line(titles, .faint)] + rows.map { line($0, .plain) }
    }

    // MARK: Numbers

    /// With as many digits as are of use.
    static func rate(_ value: Double) -> String {
        switch value {
        case ..<0.005: "0"
        case ..<10: value.text(2)
        case ..<1000: value.text(1)
        default: value.text(0)
        }
    }

    /// A time of microseconds to minutes, in seconds.
    static func time(_ seconds: Double?) -> String {
        guard let seconds else { return "-" }
        switch seconds {
        case ..<0.001: return "\((seconds * 1_000_000).text(0)) µs"
        case ..<1: return "\((seconds * 1000).text(seconds < 0.01 ? 1 : 0)) ms"
        default: return "\(seconds.text(1)) s"
        }
    }

    /// A time of seconds to days.
    static func span(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds, 1e15)))
        let (days, hours, minutes) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60)
        if days > 0 { return "\(days)d\(hours)h" }
        if hours > 0 { return "\(hours)h\(minutes)m" }
        return minutes > 0 ? "\(minutes)m\(whole % 60)s" : "\(whole)s"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Double {
    fileprivate func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
