import AssayAPI
import AssayConfiguration
import AssayCore
import AssaySchemes
import AssayVendors

extension Configuration {
    /// Webhooks that work as written and may surprise.
    func webhookFindings() -> [ConfigurationFinding] {
        live.webhooks.flatMap { webhook -> [ConfigurationFinding] in
            var findings: [ConfigurationFinding] = []
            let place = "webhooks.\(webhook.name)"
            if webhook.events.contains(WatchKind.verdict) || webhook.events.contains("verdict.accepted") {
                findings.append(
                    finding(
                        .webhookEveryVerdict, at: place + ".events",
                        "every accepted verdict is sent: of a busy daemon more than a receiver takes, and what it does not take goes to the dead-letter file"
                    ))
            }
            if webhook.address.isPlain {
                findings.append(
                    finding(.webhookPlain, at: place + ".url", "events go over HTTP without TLS, to this machine"))
            }
            return findings
        }
    }
}
