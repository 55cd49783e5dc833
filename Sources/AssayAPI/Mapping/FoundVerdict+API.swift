package import AssayCore
import Foundation
import SwiftProtobuf

extension FoundVerdict {
    /// - Parameter state: of the device, as it is now.
    package func message(_ state: Assay_V1_FoundVerdict.DeviceState) -> Assay_V1_FoundVerdict {
        let note = LookupNote(self)
        return .with {
            $0.requestID = Data(requestID)
            ($0.decision, $0.assurance) = (.accepted, assurance.message)
            $0.decidedAtUnixMs = decidedAt.unixMilliseconds
            $0.purpose = purpose.message
            $0.formats = formats.map(\.rawValue)
            $0.platform = platform?.rawValue ?? ""
            ($0.match, $0.simulated, $0.deviceState) = (match.message, simulated, state)
            $0.limits = limits.map(\.message)
            $0.set(capture)
            ($0.note, $0.noteCode) = (note.sentence, note.rawValue)
        }
    }
}

extension Assay_V1_FoundVerdict {
    fileprivate mutating func set(_ capture: FoundVerdict.Capture?) {
        guard let capture else { return }
        // The level's raw value is its number in the message.
        confidenceLevel = Assay_V1_Confidence.Level(rawValue: Int(capture.level.rawValue)) ?? .unspecified
        if let score = capture.score { confidenceScore.millionths = score.millionths }
        evidenceModelJson = String(decoding: capture.model, as: UTF8.self)
    }
}

extension FoundVerdict.Match {
    fileprivate var message: Assay_V1_FoundVerdict.Match {
        switch self {
        case .payload: .payload
        case .media: .media
        case .image: .image
        }
    }
}
