import Logging

/// Is told of answers once they are decided, before the callers get them. It changes none, and does not wait.
package protocol AnswerFollower: Sendable {
    func follow(_ group: AnsweredRequests)
    func follow(_ outcome: ProvisioningOutcome)
}

/// A group of requests that were judged together, with their answers.
package struct AnsweredRequests: Sendable {
    let requests: [AuthorizedRequest]
    /// One for each request.
    let answers: [Answer]
    /// The time that each of the group took to be judged.
    let nanoseconds: UInt64
    /// What a log line names the trace of a call by, at its request's place.
    let traceNames: @Sendable (Int) -> Logger.Metadata
}
