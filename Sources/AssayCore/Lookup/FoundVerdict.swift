/// What is kept of an accepted verdict for those who look it up by the hash of a file. It names neither the device nor the subject.
package struct FoundVerdict: Hashable, Sendable {
    /// Where the hash stands in what the device signed.
    package enum Match: UInt8, CaseIterable, Hashable, Sendable {
        /// It is the bound payload's.
        case payload = 1
        /// The signed document of signals names it as a file of the capture.
        case media = 2
        /// A camera's signed bundle names it as the image's.
        case image = 3
    }

    /// The confidence in the capture.
    package struct Capture: Hashable, Sendable {
        /// The longest evidence model that is kept, in bytes. One of 16 files and 32 signals has less than 5000.
        package static let modelLimit = 7168

        package let level: ConfidenceLevel
        package let score: Score?
        /// The evidence model as the verdict has it; empty if it is longer than ``modelLimit``.
        package let model: [UInt8]

        package init(level: ConfidenceLevel, score: Score?, model: [UInt8]) {
            (self.level, self.score) = (level, score)
            self.model = model.count <= Self.modelLimit ? model : []
        }

        package init(_ confidence: Confidence) {
            self.init(level: confidence.level, score: confidence.score, model: EvidenceModel(confidence).json)
        }
    }

    /// 16 bytes.
    package var requestID: [UInt8]
    package var decidedAt: Timestamp
    package var purpose: Purpose
    package var assurance: Assurance
    /// The formats of the evidence, in order.
    package var formats: [EvidenceFormat]
    /// `nil` if the attestation does not say.
    package var platform: DevicePlatform?
    package var match: Match
    /// Trust rests on a test root.
    package var simulated: Bool
    /// What the verdict does not say.
    package var limits: [VerdictLimit]
    /// `nil` for an app without a rule of confidence.
    package var capture: Capture?

    package init(
        requestID: [UInt8], decidedAt: Timestamp, purpose: Purpose, assurance: Assurance, formats: [EvidenceFormat],
        platform: DevicePlatform?, match: Match, simulated: Bool, limits: [VerdictLimit], capture: Capture?
    ) {
        (self.requestID, self.decidedAt, self.purpose, self.assurance) = (requestID, decidedAt, purpose, assurance)
        (self.formats, self.platform, self.match) = (formats, platform, match)
        (self.simulated, self.limits, self.capture) = (simulated, limits, capture)
    }
}
