import AssayAPI
import AssayCore
import Foundation

/// The output form of plugins, for people and for tools.
enum PluginText {
    static func show(_ plugins: [Assay_V1_Plugin], json: Bool) {
        guard !json else { return plugins.forEach { Console.print(json: $0.json, pretty: false) } }
        table(plugins).forEach(Console.print)
    }

    /// One line a plugin, under headings.
    private static func table(_ plugins: [Assay_V1_Plugin]) -> [String] {
        guard !plugins.isEmpty else { return ["the catalog has no plugins"] }
        let headings = ["ID", "STATE", "VERSION", "ROLE", "APPS", "FORMATS"]
        let rows = plugins.map(\.cells)
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String], _ styled: (Int, String) -> String = { $1 }) -> String {
            zip(cells, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
                return styled(column, cell.0) + (column == cells.count - 1 ? "" : padding)
            }.joined(separator: "  ")
        }
        var lines = [line(headings) { Console.styled($1, .faint) }]
        for (plugin, cells) in zip(plugins, rows) {
            lines.append(line(cells) { column, cell in column == 1 ? Console.styled(cell, plugin.state.style) : cell })
            if !plugin.trouble.isEmpty { lines.append("  " + plugin.trouble.printable) }
        }
        return lines
    }
}

extension Assay_V1_Plugin {
    /// Why it does not work; empty if it does.
    fileprivate var trouble: String { problem.isEmpty ? health : problem }

    private var formatNames: [String] {
        formats.map { $0.format + ($0.replacesBuiltin ? " (replaces)" : $0.builtIn && role != .shadow ? " (objects)" : "") }
    }

    fileprivate var cells: [String] {
        let does = formatNames + (observes ? ["(observes)"] : [])
        return [
            id, state.name + (required ? " (required)" : ""), version.isEmpty ? "-" : version.printable, role.name,
            apps.joined(separator: ","), does.joined(separator: ","),
        ]
    }

    /// The state in one line.
    var row: String {
        "\(id)  \(Console.styled(state.name, state.style))" + (trouble.isEmpty ? "" : ": \(trouble.printable)")
    }

    /// What `assay status` says of the plugins: how many are ready, and the others.
    static func summary(of plugins: [Assay_V1_Plugin]) -> [String] {
        guard !plugins.isEmpty else { return [] }
        let others = plugins.filter { $0.state != .ready }
        return ["  plugins   \(plugins.count - others.count) ready, \(others.count) not"]
            + others.map { "            " + $0.row + ($0.required ? "  [required]" : "") }
    }

    var lines: [String] {
        var lines = ["\(id)  \(Console.styled(state.name, state.style))" + (required ? "  [required]" : "")]
        func add(_ name: String, _ text: String) { lines.append("  \(name.padded(to: 10)) \(text)") }
        func list(_ name: String, _ texts: [String]) {
            for (index, text) in texts.enumerated() { add(index == 0 ? name : "", text) }
        }
        if !problem.isEmpty { add("problem", Console.styled(problem.printable, .bad)) }
        if !health.isEmpty { add("health", Console.styled(health.printable, .bad)) }
        add("plugin", name + (version.isEmpty ? ", not started yet" : " \(version.printable), protocol \(protocolVersion)"))
        if !file.isEmpty { add("entry", file.printable) }
        add("role", role.meaning)
        add("apps", apps.joined(separator: ", "))
        list("formats", formats.map(\.line))
        if observes { add("observes", "the verdicts of its apps") }
        if !services.isEmpty { add("services", services.joined(separator: ", ")) }
        add("files", "SHA-256 of the manifest \(Hex.encode(digest))")
        add(
            "",
            Console.styled(
                "only files in the manifest are pinned; libraries and an interpreter's modules only if it lists them", .faint))
        list("enforced", enforcement)
        for text in missing { add("missing", Console.styled("demanded and not enforced: \(text.printable)", .bad)) }
        list("processes", processes.map(\.line))
        if waitingCalls > 0 { add("waiting", "\(waitingCalls) calls") }
        lines += counts.lines
        if !metrics.isEmpty { list("metrics", metrics.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.plain)" }) }
        list("last lines", lastLines.map(\.printable))
        return lines
    }

    /// What the launcher enforces, step by step, with what it means where that is not plain.
    private var enforcement: [String] {
        guard !enforced.isEmpty else { return ["not known before it was started once"] }
        return enforced.map { step in
            let meaning =
                switch (step.step, step.state) {
                case ("network", let state) where state.contains("tcp"): "  the ports may be reached at any address"
                case ("landlock", "none"): "  files and ports are not confined"
                case ("seccomp", "none"): "  system calls are not confined"
                default: ""
                }
            return "\(step.step.printable.padded(to: 12)) \(step.state.printable)" + Console.styled(meaning, .warning)
        }
    }

    var json: [String: Any] {
        [
            "id": id, "name": name, "file": file, "state": state.name, "problem": problem, "version": version,
            "protocol_version": protocolVersion, "role": role.name, "required": required, "apps": apps,
            "formats": formats.map {
                ["format": $0.format, "built_in": $0.builtIn, "replaces_builtin": $0.replacesBuiltin] as [String: Any]
            },
            "observes": observes, "services": services, "manifest_digest": Hex.encode(digest),
            "enforced": enforced.map { ["step": $0.step, "state": $0.state] }, "missing": missing,
            "processes": processes.map {
                [
                    "pid": $0.pid, "started_at": Timestamp(unixMilliseconds: $0.startedAtUnixMs).description,
                    "in_flight": $0.inFlight,
                ] as [String: Any]
            },
            "waiting_calls": waitingCalls,
            "counts": [
                "calls": counts.calls, "rejections": counts.rejections, "unavailable": counts.unavailable,
                "timeouts": counts.timeouts, "invalid": counts.invalid, "deaths": counts.deaths, "starts": counts.starts,
                "agreements": counts.agreements, "differences": counts.differences, "dropped": counts.dropped,
                "quarantined": counts.quarantined,
            ],
            "health": health, "last_lines": lastLines,
            // JSON has no other numbers.
            "metrics": metrics.mapValues { $0.isFinite ? $0 as Any : "\($0)" as Any },
        ]
    }
}

extension Assay_V1_Plugin.Format {
    fileprivate var line: String {
        guard builtIn else { return format }
        return format
            + (replacesBuiltin ? ": in place of Assay's own verifier" : ": beside Assay's own verifier; it can only reject")
    }
}

extension Assay_V1_Plugin.Process {
    fileprivate var line: String {
        "\(pid), since \(Timestamp(unixMilliseconds: startedAtUnixMs)), \(inFlight) calls in flight"
    }
}

extension Assay_V1_Plugin.Counts {
    fileprivate var lines: [String] {
        var lines = [
            "  calls      \(calls), of them \(rejections) rejected and \(unavailable) UNAVAILABLE",
            "  faults     \(timeouts) beyond the deadline, \(invalid) against the contract, \(deaths) deaths in \(starts) starts, "
                + "\(quarantined) in quarantine",
        ]
        if agreements + differences > 0 { lines.append("  shadow     \(agreements) agree, \(differences) differ") }
        if dropped > 0 { lines.append("  dropped    \(dropped) verdicts were not observed") }
        return lines
    }
}

extension Assay_V1_Plugin.State {
    fileprivate var name: String {
        switch self {
        case .starting: "starting"
        case .ready: "ready"
        case .waiting: "waiting"
        case .broken: "broken"
        case .refused: "refused"
        case .disabled: "disabled"
        case .stopped: "stopped"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate var style: Console.Style {
        switch self {
        case .ready: .good
        case .starting, .waiting: .warning
        case .disabled, .stopped: .faint
        case .broken, .refused, .unspecified, .UNRECOGNIZED: .bad
        }
    }
}

extension Assay_V1_Plugin.Role {
    fileprivate var name: String {
        switch self {
        case .primary: "primary"
        case .shadow: "shadow"
        case .all: "all"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate var meaning: String {
        switch self {
        case .primary: "primary: it decides"
        case .shadow: "shadow: it judges beside, and never decides"
        case .all: "all: it and the primary must accept"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

extension Double {
    /// Without a fraction where there is none.
    fileprivate var plain: String { Int64(exactly: self).map(String.init) ?? String(self) }
}

extension Assay_V1_QuarantinedEvidence {
    private var since: Timestamp { Timestamp(unixMilliseconds: sinceUnixMs) }

    /// One line of a listing.
    var row: String { "\(Hex.encode(digest))  \(plugin)  \(app)  \(format)  \(size) bytes  \(since): \(end.printable)" }

    var lines: [String] {
        [
            Hex.encode(digest), "  plugin     \(plugin)", "  app        \(app)", "  format     \(format)",
            "  since      \(since)", "  end        the process \(end.printable)",
            "  size       \(size) bytes" + (body.isEmpty && size > 0 ? ", not kept" : ""),
        ]
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "plugin": plugin, "app": app, "format": format, "since": since.description, "end": end, "size": size,
        ]
        object.add(hex: "digest", digest)
        if !body.isEmpty { object["body_base64"] = Base64.standard.encode(body) }
        return object
    }
}
