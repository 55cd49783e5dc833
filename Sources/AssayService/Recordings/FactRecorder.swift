package import AssayCore
import Synchronization

/// Records what verdicts went by, for apps that ask for it, beside the way of a request: nothing waits, and what cannot be kept is dropped and
/// counted. Recordings are encoded, encrypted and written by the store.
package final class FactRecorder: Sendable {
    /// `nil`: nothing is recorded.
    private let store: (any RecordingStore)?
    /// Wraps the keys of kept evidence.
    private let vault: SecretVault?
    private let clock: any WallClock
    private let apps = AppDirectory.Slot()
    private let made = Atomic<UInt64>(0)

    package init(_ store: any RecordingStore, vault: SecretVault, clock: any WallClock) {
        (self.store, self.vault, self.clock) = (store, vault, clock)
    }

    /// Records nothing, for a daemon without a store.
    package init() { (store, vault, clock) = (nil, nil, SystemClock()) }

    /// Follows the configuration.
    package func follow(_ apps: AppDirectory) {
        self.apps.value = apps
        perform()
    }

    // MARK: Recording

    func judged(_ judged: [JudgedRequest]) {
        guard let store, let vault else { return }
        let recordings = judged.compactMap { PendingRecording($0, vault: vault) }
        guard !recordings.isEmpty else { return }
        made.wrappingAdd(UInt64(recordings.count), ordering: .relaxed)
        store.append(recordings)
    }

    // MARK: Reading

    /// Recordings that were handed to the store, since the start.
    package var count: UInt64 { made.load(ordering: .relaxed) }

    /// `nil` if nothing is recorded.
    package var status: RecordingStatus? { store?.recordingStatus }

    func page(_ listing: RecordingListing) async throws(VerdictRecordError) -> RecordingPage {
        guard let store else { return RecordingPage(recordings: [], next: nil) }
        return try await store.recordings(listing)
    }

    func count(_ listing: RecordingListing) async throws(VerdictRecordError) -> UInt64 {
        guard let store else { return 0 }
        return try await store.count(listing)
    }

    /// The evidence of a recording in the clear; `nil` if none is kept, or its key is of another ledger.
    func evidence(of content: RecordingContent) -> [UInt8]? {
        guard let vault, let sealed = content.evidence else { return nil }
        return try? vault.open(sealed, of: content.recording)
    }

    // MARK: Forgetting

    /// Deletes what is recorded of a device. A file that cannot be used fails only while an app records: otherwise it may never have had any.
    func forget(_ device: DeviceID, of app: AppID, evidenceOnly: Bool = false) async throws(VerdictRecordError) -> UInt64 {
        guard let store else { return 0 }
        do throws(VerdictRecordError) {
            return try await store.forget(device, of: app, evidenceOnly: evidenceOnly)
        } catch {
            guard evidenceOnly || apps.value.all.contains(where: { $0.recording != nil }) else { return 0 }
            throw error
        }
    }
}

/// Drops what is too old, or too much.
extension FactRecorder: MaintenanceTask {
    package func perform() {
        guard let store else { return }
        let limits = apps.value.all.compactMap { app in app.recording.map { (app.id, $0.bytes) } }
        store.keepRecordings(Dictionary(limits, uniquingKeysWith: { first, _ in first }), now: clock.now())
    }
}

extension PendingRecording {
    /// `nil` for what the app does not record.
    fileprivate init?(_ judged: JudgedRequest, vault: SecretVault) {
        let request = judged.admitted
        guard let rule = request.profile.recording else { return nil }
        let verdict: Verdict
        switch judged.answer {
        case .verdict(let given), .completed(let given, _): verdict = given
        case .reported(let reported): verdict = reported.verdict
        case .failed, .repeated, .abandoned: return nil
        }
        guard rule.takes(request.requestID, isAccepted: !verdict.isRejected) else { return nil }
        self.init(
            app: request.request.app, device: judged.filedDevice(verdict), time: request.now,
            end: request.now.adding(milliseconds: rule.age),
            weight: judged.appraised?.weight ?? request.request.weight
        ) {
            RecordingContent(judged, verdict, keepingEvidence: rule.keepsEvidence ? vault : nil)
        }
    }
}

extension RecordingContent {
    /// - Parameter vault: wraps the key of the evidence; `nil`: none is kept.
    fileprivate init(_ judged: JudgedRequest, _ verdict: Verdict, keepingEvidence vault: SecretVault?) {
        let pieces = judged.appraised?.recordedPieces(of: verdict) ?? []
        // What replay says under the same policy. It says otherwise of what no policy states, such as a challenge that was used before.
        // Without its evidence a request is not replayed that was refused before the appraisal.
        let judgement: Judgement? =
            if let appraised = judged.appraised {
                appraised.prepared.judgement(of: appraised.appraisals)
            } else if vault != nil {
                judged.known.flatMap { Judgement.beforeAppraisal(of: judged.admitted, over: $0) }
            } else {
                nil
            }
        let isDecided = judgement.map { TrialOutcome($0) } == TrialOutcome(verdict.decision)
        let record = VerdictRecord(judged.admitted, .verdict(verdict), subject: [])
        let recording = record.map {
            Recording(record: $0, pieces: pieces, isPolicyDecision: isDecided).encoded()
        }
        self.init(recording: recording ?? [])
        guard let vault, judged.appraised != nil || isDecided, let kept = judged.evidence(verdict) else { return }
        // What cannot be encrypted is not kept.
        evidence = try? vault.seal(kept, of: self.recording)
    }
}

extension AppraisedRequest {
    /// What is kept of each piece without its evidence.
    fileprivate func recordedPieces(of verdict: Verdict) -> [Recording.Piece] {
        zip(prepared.pieces, appraisals).map { piece, appraisal in
            var facts = piece.facts
            var registers = false
            if case .register(let registration) = appraisal.effect {
                registers = true
                facts.device = Device(
                    id: verdict.device ?? .random(), app: prepared.admitted.request.app, subject: nil,
                    registration: registration, registeredAt: prepared.admitted.now)
            }
            return Recording.Piece(
                format: piece.evidence.format, claims: appraisal.claims, facts: facts.recorded, registers: registers)
        }
    }

    /// The facts of the request, with those entries of the revocation list alone that its chains need.
    fileprivate var known: RequestFacts {
        var known = prepared.known
        for (index, appraisal) in appraisals.enumerated() {
            let facts = known.pieces[index].facts
            guard case .snapshot = facts.revocation else { continue }
            if let serials = facts.device?.registration.chainSerials {
                known.pieces[index].facts = facts.keepingEntries(for: serials)
            } else if case .register(let made) = appraisal.effect {
                known.pieces[index].facts = facts.keepingEntries(for: made.chainSerials)
            } else if appraisal.findings.contains(where: { $0.check == "revocation" && $0.outcome == .pass }) {
                // A chain whose numbers are not known any more passed the list, or did not come so far.
                known.pieces[index].facts = facts.keepingEntries(for: [])
            } else {
                known.pieces[index].facts.revocation = .unavailable("the list of that time was not kept")
            }
        }
        return known
    }
}

extension JudgedRequest {
    /// The evidence that is kept of a request which was refused before its evidence was appraised, in bytes: no verifier has bounded it.
    private static let refusedLimit = 65_536

    /// The registered devices that the evidence is said to be of.
    private var devices: Set<DeviceID> {
        Set((appraised?.prepared.pieces.compactMap(\.device) ?? known?.pieces.compactMap(\.facts.device) ?? []).map(\.id))
    }

    /// The device whose recordings it is one of, so that forgetting the device deletes it.
    fileprivate func filedDevice(_ verdict: Verdict) -> DeviceID? {
        guard verdict.device == nil else { return verdict.device }
        return devices.count == 1 ? devices.first : nil
    }

    /// What is kept of the evidence, before it is encrypted; `nil` for a request that was not looked at, is too large to be kept, or tells of a
    /// device beside the one whose recording it is.
    fileprivate func evidence(_ verdict: Verdict) -> [UInt8]? {
        guard devices.isSubset(of: filedDevice(verdict).map { [$0] } ?? []), let facts = appraised?.known ?? known else {
            return nil
        }
        let encoded = RecordedEvidence(request: admitted.request, known: facts).encoded()
        return appraised != nil || encoded.count <= Self.refusedLimit ? encoded : nil
    }
}
