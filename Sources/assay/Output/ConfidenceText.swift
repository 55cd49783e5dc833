import AssayCore
import Foundation

/// The output form of the confidence in a capture, for people and for tools.
struct ConfidenceText {
    let model: EvidenceModel

    init(_ model: EvidenceModel) { self.model = model }

    /// `nil` for JSON that is no evidence model.
    init?(json: [UInt8]) {
        guard let model = try? EvidenceModel(parsing: json) else { return nil }
        self.model = model
    }

    var lines: [String] {
        var lines = ["  level     " + headline]
        if let hardware = model.hardware {
            let words = [hardware.status?.rawValue, hardware.level.map { "(\($0.rawValue))" }].compactMap { $0 }
            lines.append("  hardware  " + words.joined(separator: " ") + (hardware.simulated == true ? "  [simulated]" : ""))
        }
        if let scene = model.scene, let status = scene.status { lines.append("  signals   \(status.rawValue)") }
        for digest in model.scene?.media ?? [] { lines.append("  media     SHA-256 \(Hex.encode(digest))") }
        lines += (model.breakdown?.parts ?? []).map { "  part      \($0.sentence)" }
        return lines
    }

    /// `high, score 0.9408 (profile weighted, before cross-validation 0.896, signals agree)`.
    private var headline: String {
        let reasons = [
            model.breakdown?.profile.map { "profile \($0.rawValue)" }, model.platform?.rawValue,
            model.breakdown?.weightedScore.map { "before cross-validation \($0)" },
            model.crossValidation.map { "cross-validation: \($0.rawValue)" },
            model.breakdown?.ceiling.map { "at most \($0.name)" },
        ].compactMap { $0 }
        return (model.level?.name ?? "not stated") + (model.score.map { ", score \($0)" } ?? "")
            + (reasons.isEmpty ? "" : " (" + reasons.joined(separator: ", ") + ")")
    }

    /// The evidence model.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(model.json))) as? [String: Any] ?? [:]
    }
}

extension ConfidenceBreakdown.Part {
    fileprivate var sentence: String {
        let parts = [
            outcome?.rawValue, score?.description, weight.map { "weight \($0)" }, contribution.map { "contributes \($0)" },
        ]
        return "\(name): " + parts.compactMap { $0 }.joined(separator: ", ")
    }
}
