import AssayConfiguration
import AssayMetrics
import AssayService
import ServiceLifecycle

/// What is kept of verdicts for operators, and judged beside them: records, what verdicts went by, and shadow policies.
struct RecordsPart: DaemonPart {
    /// Records verdicts for operators.
    let recorder: VerdictRecorder
    /// Records what verdicts went by.
    let facts: FactRecorder
    /// Judges by the shadow policies of apps.
    let shadow: ShadowJudge
    private let place: VerdictRecordPlace?

    /// Throws what the ledger or the vault says, if the key of recordings cannot be read.
    ///
    /// - Parameter place: where verdicts are recorded; `nil`: nowhere.
    init(_ base: DaemonBase, _ store: LedgerPart, _ live: LiveConfiguration, in place: VerdictRecordPlace?) async throws {
        self.place = place
        recorder =
            place.map { VerdictRecorder($0.store, live.verdicts.rule, subjects: store.subjects, clock: base.clock) }
            ?? VerdictRecorder()
        let vault = SecretVault(key: try await base.secret("recordings"))
        facts = place?.recordings.map { FactRecorder($0, vault: vault, clock: base.clock) } ?? FactRecorder()
        shadow = ShadowJudge(clock: base.clock)
    }

    var services: [any Service] { [shadow] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("records of verdicts", follows: [\.verdicts]) { [place, recorder] new in
                {
                    place?.follow(new.verdicts)
                    recorder.use(new.verdicts.rule)
                }
            }
        ]
    }
    var collectors: [any MetricsCollector] {
        [VerdictRecordMetrics(recorder: recorder), RecordingMetrics(recorder: facts), shadow]
    }
    var maintenanceTasks: [any MaintenanceTask] { [recorder, facts] }
}
