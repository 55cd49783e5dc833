/// A vendor's service that is asked about evidence which only the vendor can check.
package protocol AnswerSource: Sendable {
    /// Asks about the evidence, with its own time-outs. Throws if the service was not asked, so that a repetition is safe; if
    /// it may have been asked without a result, the result is a reply.
    func ask(about evidence: Evidence) async throws(OutsideUnavailable) -> OutsideAnswer

    /// Why the service is not asked at present: it failed repeatedly. `nil` if it is asked. For operators; does no I/O.
    func outage(at now: Timestamp) -> String?
}

extension AnswerSource {
    package func outage(at now: Timestamp) -> String? { nil }
}

/// The vendor's service was not asked, or a repetition is safe: too many requests are in flight, or it failed too often
/// recently. A sentence gives the reason.
package struct OutsideUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
