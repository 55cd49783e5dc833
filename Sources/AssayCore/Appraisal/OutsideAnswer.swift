/// What a source outside the daemon, such as a vendor's service, says about evidence that only it can check.
public enum OutsideAnswer: Hashable, Sendable {
    /// The answer's bytes, for the verifier to parse; only the connection to the source authenticates them.
    case answered([UInt8])
    /// The source's statements, read by its client. The verifier takes those that it knows.
    case stated(Claims)
    /// The source does not accept the evidence.
    case refused(Rejection)
    /// The source could not be asked, or did not answer. A sentence gives the reason.
    case unavailable(String)
}

/// A source outside the daemon that is asked about evidence which only it can check.
package protocol AnswerSource: Sendable {
    /// Asks about the evidence, with its own time-outs. Throws if the source was not asked, so that a repetition is safe; if
    /// it may have been asked without a result, the result is an answer.
    func ask(about evidence: Evidence) async throws(AnswerSourceError) -> OutsideAnswer

    /// Why the source is not asked at present: it failed repeatedly. `nil` if it is asked. For operators; does no I/O.
    func outage(at now: Timestamp) -> String?
}

extension AnswerSource {
    package func outage(at now: Timestamp) -> String? { nil }
}

/// The source was not asked, or a repetition is safe: too many requests are in flight, or it failed too often recently. A
/// sentence gives the reason.
package struct AnswerSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
