import Logging

/// Is told of answers once they are decided and durable, before the callers get them.
package protocol AnswerFollower: Sendable {
    /// It may wait, which the callers of the group wait for too, and may replace an accepted verdict's answer by the same verdict with a message
    /// that says more, such as a signed one (``Answer/completed(_:message:)``). Followers later in the list are told of the new answer.
    func follow(_ group: inout AnsweredRequests) async
    func follow(_ outcome: ProvisioningOutcome)
}

/// A group of requests that were judged together, with their answers.
package struct AnsweredRequests: Sendable {
    package let requests: [AuthorizedRequest]
    /// One for each request.
    package var answers: [Answer]
    /// The time that each of the group took to be judged.
    let nanoseconds: UInt64
    /// What a log line names the trace of a call by, at its request's place.
    let traceNames: @Sendable (Int) -> Logger.Metadata
}
