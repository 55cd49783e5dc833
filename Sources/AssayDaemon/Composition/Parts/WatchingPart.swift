import AssayConfiguration
import AssayMetrics
import AssayService
import ServiceLifecycle

/// Events and those who read them: callers that watch, webhooks, and what judges devices again after a change.
struct WatchingPart: DaemonPart {
    /// Events, and those who watch them.
    let hub: WatchHub
    /// Publishes changes to those who watch events.
    let changeTail: ChangeTail
    let webhooks: WebhookService
    /// Judges registered devices again after a change.
    let reappraisal: Reappraisal
    /// The apps of the configuration in force, for what judges devices again.
    let registeredApps: AppDirectory.Slot
    /// Where the ledger's other files are, those of webhooks among them.
    private let files: String

    /// Throws if a webhook cannot be made.
    init(_ base: DaemonBase, _ live: LiveConfiguration) throws {
        files = base.fixed.store.ownFiles
        hub = WatchHub(clock: base.clock)
        changeTail = ChangeTail(ledger: base.ledger, hub: hub, clock: base.clock, logger: base.logger)
        webhooks = WebhookService(hub: hub, clock: base.clock, logger: base.logger)
        try webhooks.prepare(live.webhookRules(beside: files))()
        let apps = AppDirectory.Slot()
        registeredApps = apps
        reappraisal = Reappraisal(
            ledger: base.ledger, hub: hub, rule: live.reappraisalRule, clock: base.clock, logger: base.logger,
            apps: { apps.value })
    }

    /// What publishes events is stopped before the webhooks that deliver them.
    var services: [any Service] { [webhooks, changeTail, reappraisal] }
    var reloadSteps: [ReloadStep] {
        [
            ReloadStep("webhooks", follows: [\.webhooks, \.vendors]) { [webhooks, files] new in
                try webhooks.prepare(new.webhookRules(beside: files))
            },
            ReloadStep("reappraisal", follows: [\.reappraisal]) { [reappraisal] new in
                { reappraisal.use(new.reappraisalRule) }
            },
        ]
    }
    var collectors: [any MetricsCollector] {
        [hub, webhooks, ReappraisalMetrics(report: { [reappraisal] in reappraisal.report })]
    }
}

extension LiveConfiguration {
    /// How fast registered devices are judged again.
    fileprivate var reappraisalRule: ReappraisalRule { ReappraisalRule(devicesPerSecond: reappraisal.devicesPerSecond) }
}
