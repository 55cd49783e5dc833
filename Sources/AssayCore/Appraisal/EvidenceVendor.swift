/// A vendor's service that is asked about evidence which only it can judge.
package protocol EvidenceVendor: Sendable {
    /// Asks about the evidence, within time-outs of its own. Throws if the service was not asked at all, so that asking again
    /// does no harm; where it may have been asked and nothing is known, that is a reply.
    func ask(about evidence: Evidence) async throws(VendorUnavailable) -> VendorReply

    /// Why the service is not asked now: it failed again and again. `nil` if it is asked. For operators; does no I/O.
    func outage(at now: Timestamp) -> String?
}

extension EvidenceVendor {
    package func outage(at now: Timestamp) -> String? { nil }
}

/// The vendor's service was not asked, or asking it again does no harm: too many questions are open, or it has failed too often
/// just now. A sentence says why.
package struct VendorUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
