import AssayCore
import AssayProtobuf

/// Writes `assay.v1.Confidence`. The field numbers are those of `proto/assay/v1/confidence.proto`.
extension ProtobufWriter {
    mutating func write(_ confidence: Confidence) {
        write(1, Int64(confidence.level.rawValue))
        if let score = confidence.score { writeMessage(2) { $0.write(score) } }
        write(3, confidence.breakdown.profile.rawValue)
        write(4, confidence.platform?.rawValue ?? "")
        writeMessage(5) { message in
            message.write(1, Int64(confidence.hardware.status.message.rawValue))
            message.write(2, confidence.hardware.level.rawValue)
        }
        write(6, Int64(confidence.scene.status.message.rawValue))
        for digest in confidence.scene.document?.media ?? [] { writeAlways(7, digest) }
        for part in confidence.breakdown.parts { writeMessage(8) { $0.write(part) } }
        if let score = confidence.breakdown.weightedScore { writeMessage(9) { $0.write(score) } }
        write(10, Int64(confidence.breakdown.ceiling?.rawValue ?? 0))
        if let validation = confidence.crossValidation { write(11, Int64(validation.message.rawValue)) }
        write(12, String(decoding: EvidenceModel(confidence).json, as: UTF8.self))
        write(13, Int64(confidence.level.amongFour.rawValue))
        if let score = confidence.suite?.disagreement { writeMessage(14) { $0.write(score) } }
        write(15, confidence.suite?.kind.rawValue ?? "")
    }

    private mutating func write(_ score: Score) { write(1, Int64(score.millionths)) }

    private mutating func write(_ part: ConfidenceBreakdown.Part) {
        write(1, part.name)
        if let outcome = part.outcome { write(2, Int64(outcome.message.rawValue)) }
        if let score = part.score { writeMessage(3) { $0.write(score) } }
        if let weight = part.weight { writeMessage(4) { $0.write(weight) } }
        if let contribution = part.contribution { writeMessage(5) { $0.write(contribution) } }
        if let source = part.source { write(6, Int64(source.message.rawValue)) }
    }
}

extension HardwareAttestation.Status {
    fileprivate var message: Assay_V1_Confidence.Hardware.Status {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .unavailable: .unavailable
        case .notJudged: .notJudged
        }
    }
}

extension SceneAnalysis.Status {
    fileprivate var message: Assay_V1_Confidence.Signals {
        switch self {
        case .counted: .counted
        case .notSubmitted: .notSubmitted
        case .notBound: .notBound
        case .malformed: .malformed
        case .notJudged: .notJudged
        }
    }
}

extension Signal.Outcome {
    fileprivate var message: Assay_V1_Confidence.Part.Outcome {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .unavailable: .unavailable
        }
    }
}

extension SignalReading.Source {
    fileprivate var message: Assay_V1_Confidence.Part.Source {
        switch self {
        case .device: .device
        case .server: .server
        }
    }
}

extension CrossValidation {
    fileprivate var message: Assay_V1_Confidence.CrossValidation {
        switch self {
        case .agree: .agree
        case .partial: .partial
        case .disagree: .disagree
        case .contradict: .contradict
        }
    }
}
