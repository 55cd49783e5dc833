package import AssayConfiguration
import AssayService
import AssayVendors

extension LiveConfiguration {
    /// - Parameter ledger: the ledger's path.
    package func webhookRules(beside ledger: String) -> [WebhookRule] {
        webhooks.map { webhook in
            WebhookRule(
                name: webhook.name, address: webhook.address, secrets: webhook.secrets,
                filter: WatchFilter(
                    kinds: webhook.events, apps: webhook.apps, callers: webhook.callers, codes: webhook.codes),
                settings: VendorSettings(
                    connectMilliseconds: min(3000, webhook.timeoutMilliseconds), totalMilliseconds: webhook.timeoutMilliseconds,
                    answerLimit: 64 << 10, callLimit: 2, extraRoots: vendors.extraRoots),
                attempts: webhook.attempts, waiting: webhook.waiting, deadLetters: webhook.deadLetters(beside: ledger),
                deadLetterBytes: webhook.deadLetterBytes)
        }
    }
}
