/// The checks of the examination, in the order in which they are made. `docs/extend/check.md` describes each.
package enum ExaminationCheck: String, CaseIterable, Sendable {
    case start
    case description
    case versions
    case startedByHand = "started_by_hand"
    case configuration
    case beforeConfigure = "before_configure"
    case unknownMethod = "unknown_method"
    case undecodableMessage = "undecodable_message"
    case brokenFrames = "broken_frames"
    case changedFrames = "changed_frames"
    case endWithinFrame = "end_within_frame"
    case halfClose = "half_close"
    case ping
    case badBodies = "bad_bodies"
    case vectors
    case changedEvidence = "changed_evidence"
    case payload
    case sameAnswer = "same_answer"
    case deadline
    case memory
    case restarts
    case output
    case shutdown

    /// What a plugin that passes does.
    package var meaning: String {
        switch self {
        case .start: "starts in the sandbox and describes itself"
        case .description: "says of itself what the contract allows, and always the same"
        case .versions: "does not take versions of the protocol that it does not know"
        case .startedByHand: "says what it is when it is started by hand"
        case .configuration: "takes the good configuration, and survives and refuses bad ones"
        case .beforeConfigure: "judges nothing before it is configured"
        case .unknownMethod: "answers methods that it does not have with UNIMPLEMENTED"
        case .undecodableMessage: "answers undecodable messages with INVALID_ARGUMENT"
        case .brokenFrames: "ends with a status when the framing is broken"
        case .changedFrames: "neither hangs nor dies of changed frames"
        case .endWithinFrame: "ends with a status other than 0 when the connection ends within a frame"
        case .halfClose: "answers what is in flight at half-close, and exits with 0"
        case .ping: "answers pings among calls"
        case .badBodies: "neither accepts nor dies of empty, random, cut and large bodies"
        case .vectors: "judges each case as expected"
        case .changedEvidence: "accepts no changed evidence"
        case .payload: "accepts no part of a payload alone, or beside another payload"
        case .sameAnswer: "gives the same answer to the same request"
        case .deadline: "answers within the deadline"
        case .memory: "needs no more memory after many calls"
        case .restarts: "starts and ends many times, and leaves nothing behind"
        case .output: "goes on while it writes to stdout and stderr"
        case .shutdown: "ends by itself, and when the daemon is gone"
        }
    }
}

/// What came of one check.
package struct ExaminationResult: Sendable {
    package enum Outcome: String, Sendable { case passed, failed, skipped }

    package let check: ExaminationCheck
    package let outcome: Outcome
    /// What was found; of a failure also what was expected; of a skipped check why.
    package let sentence: String
    package let duration: Duration
}

/// The plugin does not do what a check expects: a sentence with expected and found.
struct CheckFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The check cannot be made: a sentence with the reason.
struct CheckSkipped: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
