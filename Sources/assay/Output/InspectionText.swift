import AssayConfiguration
import AssayCore
import AssaySchemes

/// The output form of an inspection, for people and for tools.
struct InspectionText {
    let inspection: Inspection
    /// What a transport did to the evidence, as sentences.
    var transport: [String] = []
    /// No time of appraisal was given.
    var isJudgedNow = false

    /// The kind is known, and everything could be read on which a check depends.
    var isWhole: Bool {
        guard inspection.kind != .unknown else { return false }
        return inspection.explanation.firstProblem == nil || isGoodInSpite
    }

    /// Something cannot be read, and all checks were made without it.
    private var isGoodInSpite: Bool {
        inspection.explanation.firstProblem != nil && !inspection.findings.isEmpty && inspection.isGood
    }

    var lines: [String] {
        var lines = lines(of: inspection.explanation, depth: 0)
        if !inspection.findings.isEmpty {
            let policy = inspection.app.map { "the policy of \($0)" } ?? "the platform's own checks"
            lines += ["", Console.styled("checks", .bold) + "  by \(policy), at \(inspection.judgedAt)"]
            let width = inspection.findings.map(\.check.count).max() ?? 0
            lines += inspection.findings.flatMap { self.lines(of: $0, width: width) }
            lines += ["", summary]
        }
        if !remarks.isEmpty { lines.append("") }
        return lines + remarks.map { Console.styled("note", .faint) + "  " + $0 }
    }

    /// The result in one line.
    private var summary: String {
        let failed = inspection.findings.count { $0.outcome == .fail }
        if failed > 0 { return Console.styled("bad", .bad) + "  \(failed) of \(inspection.findings.count) checks failed" }
        guard !inspection.isFullyJudged else { return Console.styled("good", .good) }
        return Console.styled("not fully judged", .warning) + "  no check failed, and what was not given would decide others"
    }

    private var remarks: [String] {
        guard isGoodInSpite, let problem = inspection.explanation.firstProblem else { return transport + timeRemarks }
        return transport + timeRemarks + [
            "A part cannot be read (\(problem.code.rawValue)), and no check that is required here depends on it."
        ]
    }

    private var timeRemarks: [String] {
        let outOfDate: Set<String> = [ReasonCode.expired.rawValue, ReasonCode.receiptExpired.rawValue]
        guard isJudgedNow, inspection.findings.contains(where: { $0.outcome == .fail && outOfDate.contains($0.code) }) else {
            return inspection.remarks
        }
        return inspection.remarks + ["It is judged as of now. --at judges as of the time at which it came."]
    }

    // MARK: Parts

    private func lines(of part: Explanation, depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: depth)
        let place = "bytes \(part.range.lowerBound)..<\(part.range.upperBound)"
        var lines = [indent + Console.styled(part.title, .bold) + Console.styled("  \(place)", .faint)]
        let width = part.fields.map(\.name.count).max() ?? 0
        for field in part.fields {
            var line = "\(indent)  \(field.name.padded(to: width))  \(field.value.inspected)"
            if !field.meaning.isEmpty { line += Console.styled("  (\(field.meaning))", .faint) }
            lines.append(line)
        }
        for part in part.parts { lines += self.lines(of: part, depth: depth + 1) }
        if let problem = part.problem { lines += self.lines(of: problem, in: part.bytes).map { indent + "  " + $0 } }
        return lines
    }

    /// The problem, and the bytes of the part around its offset.
    private func lines(of problem: Rejection, in bytes: ArraySlice<UInt8>) -> [String] {
        var lines = [Console.styled("breaks", .bad) + "  \(problem.code.rawValue): \(problem.detail)"]
        guard let offset = problem.offset, (bytes.startIndex...bytes.endIndex).contains(offset) else { return lines }
        let (before, after) = (bytes[..<offset].suffix(8), bytes[offset...].prefix(8))
        lines.append("        at byte \(offset):  \(Self.spaced(before)) ▸ \(after.isEmpty ? "end" : Self.spaced(after))")
        return lines
    }

    private static func spaced(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { Hex.encode([$0]) }.joined(separator: " ")
    }

    // MARK: Checks

    private func lines(of finding: Finding, width: Int) -> [String] {
        let mark =
            switch finding.outcome {
            case .pass: Console.styled("✓", .good)
            case .fail: Console.styled("✗", .bad)
            case .unavailable: Console.styled("?", .warning)
            case .skipped where finding.code == Finding.notJudged: Console.styled("?", .warning)
            case .skipped, .note: Console.styled("·", .faint)
            }
        let compared = inspection.meaning(of: finding.check) ?? ""
        var lines = ["  \(mark) \(finding.check.padded(to: width))  " + Console.styled(compared, .faint)]
        if finding.code == Finding.notJudged || finding.outcome == .unavailable {
            return lines + ["      not judged: " + finding.detail]
        }
        let words = [finding.code, finding.detail].filter { !$0.isEmpty }.joined(separator: ": ")
        if !words.isEmpty {
            lines.append("      " + (finding.outcome == .fail ? Console.styled(words, .bad) : words))
        }
        return lines
    }

    // MARK: JSON

    var json: [String: Any] {
        var object: [String: Any] = [
            "kind": inspection.kind.rawValue, "explanation": Self.json(of: inspection.explanation),
            "checks": inspection.findings.map { finding in
                [
                    "check": finding.check, "outcome": "\(finding.outcome)", "code": finding.code, "detail": finding.detail,
                    "compared": inspection.meaning(of: finding.check) ?? "",
                ]
            },
            "good": inspection.isGood, "fully_judged": inspection.isFullyJudged,
            "remarks": remarks, "judged_at": inspection.judgedAt.description,
        ]
        if let app = inspection.app { object["app"] = app.text }
        if let depth = inspection.depth { object["depth"] = Self.json(of: depth) }
        return object
    }

    /// The numbers of a depth map, those that a signed document has under its names.
    private static func json(of depth: (statistics: DepthStatistics, judgement: DepthJudgement)) -> [String: Any] {
        let (numbers, judgement) = depth
        return [
            "variance": numbers.deviation, "layers": numbers.layers, "edge_coherence": numbers.edgeCoherence,
            "min": numbers.minimum,
            "max": numbers.maximum, "mean": numbers.mean, "median": numbers.median, "near_median": numbers.medianShare,
            "quadrant_deviation": numbers.quadrantDeviation, "valid_pixels": numbers.validPixels,
            "is_screen_like": judgement.isScreenLike, "is_likely_real_scene": judgement.isLikelyRealScene,
        ]
    }

    private static func json(of part: Explanation) -> [String: Any] {
        var object: [String: Any] = [
            "title": part.title, "from": part.range.lowerBound, "to": part.range.upperBound,
            "fields": part.fields.map { ["name": $0.name, "value": $0.value.json, "meaning": $0.meaning] as [String: Any] },
            "parts": part.parts.map(json(of:)),
        ]
        if let problem = part.problem {
            var problemObject: [String: Any] = ["code": problem.code.rawValue, "detail": problem.detail]
            if let offset = problem.offset { problemObject["offset"] = offset }
            object["problem"] = problemObject
        }
        return object
    }
}

extension Claims.Value {
    /// Bytes in hexadecimal.
    fileprivate var inspected: String {
        if case .bytes(let bytes) = self { Hex.encode(bytes) } else { text }
    }
}
