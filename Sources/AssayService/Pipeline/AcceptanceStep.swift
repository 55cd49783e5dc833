import AssayCore

/// What an accepted request leads to beside its verdict, such as a certificate. It is made after the decision and before the commit,
/// counts once the entry is durable, and is discarded if the entry is refused.
package protocol AcceptanceStep: Sendable {
    /// The gRPC path of the method.
    var method: String { get }

    /// SHA-256 over the fields of the request beside `VerificationRequest`: equal requests are equal in it too.
    var digest: [UInt8] { get }

    /// Refuses the request, or makes what the entry adds and the message that answers it.
    func perform(on decided: DecidedRequest) async throws(StageError) -> AcceptanceResult

    /// Whether the verdict in a stored message rests on a test root. True for a message that cannot be read.
    func isSimulated(_ message: [UInt8]) -> Bool
}

/// What a step made.
package struct AcceptanceResult: Sendable {
    /// The verdict, with the step's findings.
    let verdict: Verdict
    /// Added to the entry; `nil`: the step issues none.
    let certificate: DeviceCertificate?
    /// The answer, serialized.
    let message: [UInt8]
    /// The answer to an equal request later, serialized. It is made only where one can be answered.
    let repetition: @Sendable () -> [UInt8]
}

extension VerificationCase.Changes {
    /// What the entry has to do with certificates; `nil` for most.
    func certification(issuing certificate: DeviceCertificate?) -> LedgerEntry.Certification? {
        guard restsOn != nil || submission != nil || certificate != nil else { return nil }
        return LedgerEntry.Certification(restsOn: restsOn, issues: certificate, submission: submission)
    }
}
