import AssayCore
import Foundation

/// The output form of the confidence in a capture, for people and for tools.
struct ConfidenceText {
    let model: EvidenceModel
    /// SHA-256 of each file of the capture, for models of the profile `suite`, which do not have them.
    let media: [[UInt8]]

    init(_ model: EvidenceModel) { (self.model, media) = (model, []) }

    /// `nil` for JSON that is no evidence model.
    init?(json: [UInt8], media: [[UInt8]] = []) {
        guard let model = try? EvidenceModel(parsing: json) else { return nil }
        (self.model, self.media) = (model, model.suite == nil ? [] : media)
    }

    var lines: [String] {
        var lines = ["  level     " + headline]
        if let suite = model.suite {
            return lines + suite.lines + media.map { "  media     SHA-256 \(Hex.encode($0))" }
        }
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
            model.suite.map { _ in "profile suite" }, model.breakdown?.profile.map { "profile \($0.rawValue)" },
            model.platform?.rawValue,
            model.breakdown?.weightedScore.map { "before cross-validation \($0)" },
            model.crossValidation.map { "cross-validation: \($0.rawValue)" }, model.suite?.agreement,
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
            source.map { "measured by the \($0.rawValue)" },
        ]
        return "\(name): " + parts.compactMap { $0 }.joined(separator: ", ")
    }
}

extension SuiteModel {
    /// Of the headline.
    fileprivate var agreement: String? {
        let words = [
            methodsAgree.map { $0 ? "methods agree" : "methods do not agree" }, disagreementScore.map { "disagreement \($0)" },
            isFlagged == true ? "flagged" : nil,
        ].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    /// Below the headline.
    fileprivate var lines: [String] {
        var lines: [String] = []
        if let hardware {
            let words = [hardware.status, hardware.method.map { "(\($0))" }, hardware.deviceModel.map { "on \($0)" }].compactMap
            { $0 }
            lines.append("  hardware  " + words.joined(separator: " ") + (hardware.simulated == true ? "  [simulated]" : ""))
        }
        let scene = [
            status, isLikelyRealScene.map { $0 ? "likely a real scene" : "not likely a real scene" },
            primaryMethod.map { "primary method \($0)" },
        ].compactMap { $0 }
        if !scene.isEmpty { lines.append("  signals   " + scene.joined(separator: ", ")) }
        lines += methods.map { "  method    \($0.sentence)" }
        if let finalScore { lines.append("  final     \(finalScore)") }
        return lines.map(\.visible)
    }
}

extension SuiteModel.Method {
    fileprivate var sentence: String {
        let parts =
            [
                score?.description ?? "no score", weight.map { "weight \($0)" },
                source.map { "measured by the \($0.rawValue)" },
            ].compactMap { $0 } + detailTexts
        return "\(name): " + parts.joined(separator: ", ")
    }
}
