import AssayAPI
import AssayCore

/// Makes acceptances durable: those of a group of requests in one commit.
struct AcceptanceCommit: Sendable {
    let ledger: any VerdictLedger
    /// Called after a registration that may have revoked certificates of the device that it replaces. Never waits.
    let revoked: @Sendable () -> Void

    /// One answer for each acceptance, in order.
    func commit(_ acceptances: [PendingAcceptance]) async -> [Answer] {
        do throws(LedgerError) {
            let outcomes = try await ledger.commit(acceptances.map(\.entry))
            var answers: [Answer] = []
            answers.reserveCapacity(outcomes.count)
            for (accepted, outcome) in zip(acceptances, outcomes) {
                if let answer = conclude(accepted, outcome) {
                    answers.append(answer)
                } else {
                    answers.append(await concludeUsed(accepted))
                }
            }
            return answers
        } catch {
            return acceptances.map { _ in .failed(.ledger(error)) }
        }
    }

    /// `nil`: the ledger has to be asked what was used before (``concludeUsed(_:)``).
    private func conclude(_ accepted: PendingAcceptance, _ outcome: CommitOutcome) -> Answer? {
        switch outcome {
        case .committed:
            // The certificates of the replaced device are revoked.
            if accepted.entry.replacement != nil { revoked() }
            guard let result = accepted.result else { return .verdict(accepted.verdict) }
            return .completed(accepted.verdict, message: result.message)
        case .repeated(let message): return StoredVerdicts.repetition(of: message, to: accepted.admitted)
        case .refused(.challengeReused) where accepted.uses.contains { $0.repetition != .repeated }:
            return nil
        case .refused(.challengeReused) where accepted.verdict.binding?.mode == .inEvidence:
            // The same statement was accepted before. Device and certificate were checked in the commit, before the statement's use.
            let again = accepted.verdict.adding([
                .note("statement", Finding.repeatedStatement, "the same statement was accepted before")
            ])
            return .repeated(message: again.serialized(repeated: true))
        case .refused(let code): return accepted.refused(accepted.rejection(code), check: "commit")
        }
    }

    /// Something that the evidence may be used for once was used before: says what.
    private func concludeUsed(_ accepted: PendingAcceptance) async -> Answer {
        let spent: [Bool]
        do { spent = try await ledger.areSpent(accepted.uses.map(\.token)) } catch { return .failed(.ledger(error)) }
        for (use, isSpent) in zip(accepted.uses, spent) where isSpent {
            guard case .rejected(let rejection) = use.repetition else { continue }
            return accepted.refused(rejection, check: Finding.useCheck)
        }
        return accepted.refused(ReasonCode.challengeReused.rejection, check: "commit")
    }
}

extension PendingAcceptance {
    /// A device that would have been registered is not named.
    fileprivate func refused(_ rejection: Rejection, check: String) -> Answer {
        let device = entry.registrations.isEmpty ? verdict.device : nil
        return .verdict(verdict.rejected(rejection, check: check, device: device))
    }

    /// Why the ledger refused the entry, with the values that it compared.
    fileprivate func rejection(_ code: ReasonCode) -> Rejection {
        switch code {
        case .unknownDevice where entry.replacement != nil:
            return entry.replacement.map { .replacementUnknown($0.device.id) } ?? code.rejection
        case .tooManyDevices:
            let limit = entry.devicesPerSubject.map { "\($0)" } ?? "any number"
            return Rejection(code, "the subject has as many registered devices as the app allows: \(limit)")
        case .counterNotIncreasing, .counterTooOld:
            guard let counter = entry.advances.first?.counter else { return code.rejection }
            return Rejection(code, "the counter \(counter) was accepted, or overtaken, while this request was judged")
        case .challengeReused:
            return Rejection(
                code, "the challenge was accepted once already, by another request or by an earlier try of this one")
        default: return code.rejection
        }
    }
}
