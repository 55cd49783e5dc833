import AssayAPI
import AssayCore
import SwiftProtobuf

/// The verdicts that the ledger keeps under idempotency keys.
struct StoredVerdicts: Sendable {
    let ledger: any VerdictLedger
    let subjects: SubjectKey

    /// The answer to a request that is equal to one that was accepted before; `nil`: there was none.
    func answer(to admitted: AuthorizedRequest) async throws(StageError) -> Answer? {
        guard let asked = admitted.idempotency else { return nil }
        let found = try await readingLedger { () throws(LedgerError) in
            try await ledger.verdict(idempotencyKey: asked.key, now: admitted.now)
        }
        guard let stored = found else { return nil }
        guard stored.request == asked.request else {
            throw .refused(ReasonCode.idempotencyKeyReused.rejection, check: "idempotency")
        }
        if let objection = stored.objection { throw .refused(objection.rejection, check: DeviceAdmission.check) }
        // The verdict may be about no device, or about a device without a subject.
        if let subject = subjects.hash(admitted.request.subject, app: admitted.request.app) {
            let isBlocked = try await readingLedger { () throws(LedgerError) in
                try await ledger.isBlocked(subject: subject, of: admitted.request.app)
            }
            guard !isBlocked else { throw .subjectBlocked }
        }
        return Self.repetition(of: stored.verdict, to: admitted)
    }

    /// A stored verdict, if the configuration now in force accepts it.
    static func repetition(of message: [UInt8], to admitted: AuthorizedRequest) -> Answer {
        guard !admitted.profile.acceptsSimulated else { return .repeated(message: message) }
        // Decoded only for an app that does not accept simulated devices. A message that cannot be decoded is refused.
        let isSimulated =
            if let step = admitted.step {
                step.isSimulated(message)
            } else if let stored = try? Assay_V1_Verdict(serializedBytes: message) {
                // A rejection that was not enforced was answered in spite of what it rested on.
                stored.simulated && !stored.hasWouldReject
            } else {
                true
            }
        guard isSimulated else { return .repeated(message: message) }
        return .verdict(Verdict(refusing: admitted, .simulatedNotAccepted, check: "simulated", device: nil))
    }

    /// The verdict of an equal request that was accepted while this one was judged. This one was then refused, because it read the
    /// counter that the other one had advanced.
    func winner(over answer: Answer, to admitted: AuthorizedRequest) async -> Answer? {
        guard case .verdict = answer else { return nil }
        return try? await self.answer(to: admitted)
    }
}
