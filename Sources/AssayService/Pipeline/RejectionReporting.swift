import AssayAPI
import AssayCore

/// Answers rejections ACCEPTED where the app does not enforce them (``EnforcementRule``): the one place that does.
///
/// What is answered so is durable first, like an acceptance: its challenge is spent, so that it is answered once, the answer is kept under the
/// request's idempotency key, and the audit log says what was answered. Nothing is registered and no counter advances. Requests for certificates
/// are left out, and so is what could not be judged.
struct RejectionReporting: Sendable {
    let ledger: any VerdictLedger
    let subjects: SubjectKey
    let reservations: Reservations

    /// Replaces the answers of those requests of a group whose rejections are not enforced.
    func report(_ group: [LiveRequest]) async {
        var pending: [Pending] = []
        for live in group {
            guard case .verdict(let verdict) = live.answer, let one = reportable(live, verdict) else { continue }
            pending.append(one)
        }
        // The commit may refuse one for a replay. Where those are reported too, it is committed once more, and then spends nothing.
        for _ in 0..<2 where !pending.isEmpty { pending = await commit(pending) }
    }

    private struct Pending {
        let live: LiveRequest
        let verdict: Verdict
        let known: LiveRequest.Judged
        let entry: LedgerEntry
        let spendsNothing: Bool
    }

    /// `nil`: the rejection is enforced.
    private func reportable(_ live: LiveRequest, _ verdict: Verdict) -> Pending? {
        let admitted = live.admitted
        let rule = admitted.profile.enforcement
        guard let known = live.judged, admitted.step == nil, verdict.isRejected, !admitted.isAbandoned() else { return nil }
        let subject = subjects.hash(admitted.request.subject, app: admitted.request.app)
        let group: EnforcementRule.Group =
            if let device = verdict.device ?? known.device?.id {
                .device(device)
            } else if let subject {
                .subject(subject)
            } else {
                .evidence(admitted.evidenceDigest)
            }
        guard known.isAppraised || rule.reportsEverything, rule.reports(verdict, of: admitted.request.app, group: group)
        else { return nil }
        // A replay, or what a blocked device sent, has nothing more to spend, and the ledger would refuse what names the device.
        let spendsNothing = verdict.isReplayOrRevocation
        let entry = LedgerEntry(
            verdict, of: admitted, known, spendsNothing: spendsNothing, subject: spendsNothing ? nil : subject)
        return Pending(live: live, verdict: verdict, known: known, entry: entry, spendsNothing: spendsNothing)
    }

    /// Commits, and answers. What the ledger refuses is rejected for that; it is given back where it may be reported all the same.
    private func commit(_ all: [Pending]) async -> [Pending] {
        let pending = all.filter { one in
            guard let freshness = one.known.freshness, !one.spendsNothing else { return true }
            do throws(StageError) { try reservations.checkMemory(for: freshness, one.known.uses) } catch {
                fail(one.live, .evidenceMemoryFull)
                return false
            }
            return true
        }
        guard !pending.isEmpty else { return [] }
        do throws(LedgerError) {
            var again: [Pending] = []
            for (one, outcome) in zip(pending, try await ledger.commit(pending.map(\.entry))) {
                if let repeated = conclude(one, outcome) { again.append(repeated) }
            }
            return again
        } catch {
            for one in pending { fail(one.live, .ledger(error)) }
            return []
        }
    }

    private func conclude(_ one: Pending, _ outcome: CommitOutcome) -> Pending? {
        switch outcome {
        case .committed: one.live.stage = .ended(.reported(ReportedVerdict(one.verdict, traits: one.known.traits(one.verdict))))
        case .repeated(let message): one.live.stage = .ended(StoredVerdicts.repetition(of: message, to: one.live.admitted))
        case .refused(.challengeReused) where one.verdict.binding?.mode == .inEvidence:
            let again = one.verdict.adding([
                .note("statement", Finding.repeatedStatement, "the same statement was answered before")
            ])
            one.live.stage = .ended(.repeated(message: again.serialized(repeated: true, reported: true)))
        case .refused(let code):
            let device = code == .unknownDevice ? nil : one.verdict.device
            let refused = one.verdict.rejected(code.rejection, check: "commit", device: device)
            one.live.stage = .ended(.verdict(refused))
            return one.spendsNothing ? nil : reportable(one.live, refused)
        }
        return nil
    }

    /// Nothing was decided after all.
    private func fail(_ live: LiveRequest, _ why: PipelineError) {
        reservations.giveBackAttempt(live.taken)
        live.stage = .ended(.failed(why))
    }
}

extension LedgerEntry {
    /// What is kept of a rejection that is answered ACCEPTED.
    fileprivate convenience init(
        _ verdict: Verdict, of admitted: AuthorizedRequest, _ known: LiveRequest.Judged, spendsNothing: Bool, subject: [UInt8]?
    ) {
        let device = spendsNothing ? nil : verdict.device
        let uses = known.uses.map { LedgerEntry.Spend(token: $0.token, expiry: $0.until) }
        let until = known.freshness?.repeatableUntil ?? admitted.now.adding(milliseconds: Freshness.repeatableAfterExpiry)
        let reason = if case .rejected(let rejection, _) = verdict.decision { rejection.code } else { FailureCode.malformed }
        // The key belongs to another request.
        let isKeyTaken = reason == .idempotencyKeyReused
        self.init(
            time: admitted.now, spends: spendsNothing ? [] : (known.freshness?.spends ?? []) + uses,
            idempotency: isKeyTaken
                ? nil
                : admitted.idempotency.map { asked in
                    LedgerEntry.Idempotency(
                        key: asked.key, request: asked.request, expiry: until,
                        verdict: verdict.serialized(repeated: true, reported: true), device: device)
                },
            audit: AuditRecord(
                requestID: verdict.requestID, caller: admitted.caller.name, app: admitted.request.app,
                purpose: admitted.request.purpose, device: device, assurance: .none, evidenceDigest: verdict.evidenceDigest,
                policyDigest: verdict.policyDigest, simulated: verdict.simulated, wouldReject: reason.rawValue),
            subject: subject)
    }
}

extension LiveRequest.Judged {
    fileprivate func traits(_ verdict: Verdict) -> DeviceTraits {
        DeviceTraits([verdict.claims] + claims + [device?.registration.claims].compactMap(\.self), platform: platform)
    }
}
