/// Whether the signals of a capture agree. Only signals of the profile's table are compared; the attestation is none.
public enum CrossValidation: String, CaseIterable, Hashable, Sendable {
    /// All signals of the table count, and all speak for the capture: 5 % more score.
    case agree
    /// Not all of them count; those that do speak for it: at most `medium_high`.
    case partial
    /// Some speak for it and some against it: at most `medium`, and the verdict has a note.
    case disagree
    /// All that count speak against it: at most `low`, whatever the attestation adds to the score.
    case contradict

    /// - Parameters:
    ///   - scores: of the signals that count.
    ///   - table: how many signals the profile's table has.
    ///   - least: the lowest score with which a signal speaks for the capture.
    init?(_ scores: [Score], of table: Int, passingFrom least: Score) {
        guard !scores.isEmpty else { return nil }
        let supporting = scores.count { $0 >= least }
        switch supporting {
        case 0: self = .contradict
        case scores.count: self = scores.count == table ? .agree : .partial
        default: self = .disagree
        }
    }

    /// Whether it is noted in the verdict.
    public var isFlagged: Bool { self == .disagree || self == .contradict }

    var ceiling: ConfidenceLevel {
        switch self {
        case .agree: .high
        case .partial: .mediumHigh
        case .disagree: .medium
        case .contradict: .low
        }
    }

    /// The weighted score, or 105 % of it, rounded; at most 1. A multiple, so that agreement on a low score does not add to it.
    func adjusted(_ score: Score) -> Score {
        self == .agree ? Score(rounding: UInt64(score.millionths) * 105, over: 100) : score
    }
}
