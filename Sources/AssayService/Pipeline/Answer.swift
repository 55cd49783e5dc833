import AssayAPI
package import AssayCore

/// The outcome of a request.
package enum Answer: Sendable {
    /// Judged now.
    case verdict(Verdict)
    /// Accepted now, with what the request's step made: the message of the method.
    case completed(Verdict, message: [UInt8])
    /// Rejected now, and answered ACCEPTED, because the app does not enforce the rejection. Inside it stays what it is: a rejection.
    case reported(ReportedVerdict)
    /// Accepted before, under the same idempotency key: the stored message.
    case repeated(message: [UInt8])
    /// Not judged.
    case failed(PipelineError)
    /// Not judged, because the caller no longer awaits the answer. Nothing was spent.
    case abandoned
}

/// A rejected verdict that is answered ACCEPTED.
package final class ReportedVerdict: Sendable {
    /// As it was judged: REJECTED.
    package let verdict: Verdict
    /// What is known of the device.
    package let traits: DeviceTraits

    /// The answer.
    package let message: [UInt8]

    /// - Parameter message: `nil`: without results.
    init(_ verdict: Verdict, traits: DeviceTraits, message: [UInt8]? = nil) {
        (self.verdict, self.traits) = (verdict, traits)
        self.message = message ?? verdict.serialized(reported: true)
    }
}

extension Answer {
    /// The verdict that was made now, as it was judged; `nil`: none was.
    package var verdict: Verdict? {
        switch self {
        case .verdict(let verdict), .completed(let verdict, _): verdict
        case .reported(let reported): reported.verdict
        case .repeated, .failed, .abandoned: nil
        }
    }

    /// Whether a rejection is answered ACCEPTED now.
    var isReported: Bool { if case .reported = self { true } else { false } }
}

/// Why a request cannot be judged. Nothing was decided and nothing was spent. `RPCError+Mapping.swift` maps each case to the wire.
package enum PipelineError: Error, Hashable, Sendable {
    /// The ledger failed.
    case ledger(LedgerError)
    /// No more uses of evidence may be kept, and evidence whose use is not kept could be accepted again.
    case evidenceMemoryFull
    /// Something that the evidence has to be checked with is unavailable, such as a vendor's answer or a revocation list.
    ///
    /// - Parameter check: the check that needs it.
    case evidenceUnavailable(check: String, detail: String)
    /// The evidence is good, and the certificate cannot be made.
    case issuing(AuthorityError)
    /// The evidence is of a device of a fleet, and the app has no fleet.
    case fleetNotConfigured
    /// The device has had as many accepted verdicts as its rate allows.
    case rateLimited(RateLimits.Refusal)
    /// The request names an upload that cannot stand for a payload's hash.
    case upload(UploadRefusal)
    /// A bug: a state that the code does not allow.
    case inconsistent(String)
}

extension PipelineError {
    /// What is unavailable, for a sentence.
    var cause: String {
        switch self {
        case .evidenceUnavailable(let check, let detail): "\(check): \(detail)"
        case .ledger: "the ledger cannot be read now"
        case .upload(let refusal): refusal.description
        case .evidenceMemoryFull, .issuing, .fleetNotConfigured, .rateLimited, .inconsistent: "the request cannot be judged now"
        }
    }
}

/// Why a request left the stages of the pipeline early.
package enum StageError: Error {
    /// The evidence or the request is refused: the answer is a verdict. The device is the one that the registry has for it.
    case refused(Rejection, check: String, device: Device? = nil)
    /// The request cannot be judged. Nothing was spent.
    case failed(PipelineError)
    /// The caller no longer awaits the answer.
    case abandoned
}

/// Reads from the ledger. Its failure ends the request: it cannot be judged.
func readingLedger<T>(_ read: () async throws(LedgerError) -> T) async throws(StageError) -> T {
    do throws(LedgerError) { return try await read() } catch { throw .failed(.ledger(error)) }
}
