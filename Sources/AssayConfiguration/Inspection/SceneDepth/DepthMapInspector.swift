import AssayCore
package import AssaySchemes
import Foundation

extension InspectedKind {
    /// A gzip of floats.
    package static let depthMap = InspectedKind(rawValue: "depth-map")
}

/// Explains a depth map and judges it as the plugin `scene-depth` does, without a signed document.
struct DepthMapInspector: EvidenceInspector {
    let kind = InspectedKind.depthMap
    let recognition = InspectedKind.Recognition.beginning { DepthMap.isGzip($0) }

    /// `nil` if the map cannot be read, or if no pixel is valid.
    static func numbers(of input: InspectionInput) -> (statistics: DepthStatistics, judgement: DepthJudgement)? {
        guard let map = try? DepthMap(input), let statistics = DepthStatistics(map) else { return nil }
        return (statistics, DepthJudgement(statistics, strict: input.depth.isStrict))
    }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        explain(InspectionInput(bytes: bytes, now: Timestamp(unixMilliseconds: 0)), for: subject)
    }

    func explain(_ input: InspectionInput, for subject: InspectionSubject) -> Explanation {
        var explanation = Explanation("depth map", of: input.bytes[...])
        explanation.read { (explanation) throws(Rejection) in
            let map = try DepthMap(input)
            explanation.add("geometry", .text("\(map.geometry)"), "pixels, \(map.geometry.bytes) bytes of floats")
            let statistics = DepthStatistics(map)
            explanation.add("valid pixels", .integer(Int64(statistics?.validPixels ?? 0)), "from 0.1 to 20 m; only these count")
            guard let statistics else { return }
            explanation.add("least", .text(Self.metres(statistics.minimum)))
            explanation.add("greatest", .text(Self.metres(statistics.maximum)))
            explanation.add("mean", .text(Self.metres(statistics.mean)))
            explanation.add("median", .text(Self.metres(statistics.median)))
            explanation.add("near the median", .text(Self.percent(statistics.medianShare)), "within 5 cm")
            explanation.add("deviation", .text(Self.metres(statistics.deviation)), "standard deviation")
            explanation.add("layers", .integer(Int64(statistics.layers)), "peaks of the histogram")
            explanation.add("edge coherence", .text(Self.number(statistics.edgeCoherence)), "0 to 1")
            explanation.add("quadrants", .text(Self.metres(statistics.quadrantDeviation)), "deviation of their means")
        }
        return explanation
    }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        guard (try? DepthMap(input)) != nil else { return InspectionResult([]) }
        let remarks = ["The signed document that names the map is not looked at: that is the plugin's task, scene-depth."]
        guard let (statistics, judgement) = Self.numbers(of: input) else {
            let unmeasured = Finding(
                check: "pixels", outcome: .unavailable, code: "depth_no_valid_pixel", detail: "no pixel is from 0.1 to 20 m")
            return InspectionResult([unmeasured], remarks: remarks)
        }
        return InspectionResult(findings(statistics, judgement), remarks: remarks)
    }

    private func findings(_ statistics: DepthStatistics, _ judgement: DepthJudgement) -> [Finding] {
        let reach =
            "range \(Self.metres(statistics.range)), \(Self.percent(statistics.medianShare)) within 5 cm of the median, mean "
            + Self.metres(statistics.mean)
        var findings = [
            Self.finding(
                "deviation", judgement.deviates,
                "\(Self.metres(statistics.deviation)), needed: above \(DepthJudgement.deviationAbove) m"),
            Self.finding("layers", judgement.isLayered, "\(statistics.layers), needed: \(DepthJudgement.layersLeast)"),
            Self.finding(
                "edge_coherence", judgement.hasEdges,
                "\(Self.number(statistics.edgeCoherence)), needed: above \(judgement.coherenceAbove)"),
            Self.finding("screen", !judgement.isScreenLike, reach, else: "depth_screen_like"),
        ]
        if judgement.hasAlikeQuadrants {
            let detail =
                "their means deviate by \(Self.metres(statistics.quadrantDeviation)), at most \(DepthJudgement.quadrantsAlike) m"
            findings.append(.note("quadrants", "depth_quadrants_alike", detail))
        }
        return findings
    }

    private static func finding(
        _ check: String, _ holds: Bool, _ detail: String, else code: String = "depth_not_a_scene"
    ) -> Finding {
        Finding(check: check, outcome: holds ? .pass : .fail, code: holds ? "" : code, detail: detail)
    }

    func meaning(of check: String) -> String? { Self.meanings[check] }

    private static let meanings: [String: String] = [
        "pixels": "whether a pixel has a depth that the sensor can measure",
        "deviation": "the standard deviation of the depth against that of a flat surface",
        "layers": "the peaks of the depth's histogram: things at different distances",
        "edge_coherence": "how many pixels have a step in depth beside them",
        "screen": "range, share near the median, and mean against those of a screen within reach",
        "quadrants": "the mean depths of the four quarters against each other",
    ]

    static func number(_ value: Double) -> String { String(format: "%.4f", value) }
    static func metres(_ value: Double) -> String { number(value) + " m" }
    /// In metres, to a centimetre.
    static func centimetres(_ value: Double) -> String { String(format: "%.2f m", value) }
    static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
}
