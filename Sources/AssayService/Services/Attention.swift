import AssayAPI
package import AssayCore
import AssayResults
import SwiftProtobuf
import Synchronization

/// What needs an operator's attention, in `Operations.Status`. Raw values are a contract: docs/operate/status.md lists them.
package enum AttentionCode: String, CaseIterable, Sendable {
    /// The ledger does not answer: nothing is accepted.
    case storeUnavailable = "store_unavailable"
    /// The ledger is damaged: nothing is accepted until the daemon is restarted.
    case storeDamaged = "store_damaged"
    /// Files of the ledger were removed or replaced: nothing is accepted until they are back or the daemon is restarted.
    case storeReplaced = "store_replaced"
    /// The spent horizon is ahead of the clock: no challenges are issued until the clock reaches it.
    case noChallenges = "no_challenges"
    /// The limit on remembered uses of evidence is reached (`store.max_spent_evidence`).
    case evidenceMemoryFull = "evidence_memory_full"
    /// Less space is free on the ledger's disk than the configuration requires.
    case diskLow = "disk_low"
    /// A newer configuration was refused.
    case reloadRefused = "reload_refused"
    /// Some evidence of an app cannot be appraised.
    case appUnavailable = "app_unavailable"
    /// Rejections of an app are answered ACCEPTED (`enforce`).
    case verdictsNotEnforced = "verdicts_not_enforced"
    /// There is no list of a feed that an app needs.
    case feedMissing = "feed_missing"
    /// A list that an app needs is too old, or its date is in the future.
    case feedOutdated = "feed_outdated"
    /// A list that an app needs cannot be refreshed, and is close to its maximum age.
    case feedNotRefreshed = "feed_not_refreshed"
    case certificateExpired = "certificate_expired"
    case certificateExpiresSoon = "certificate_expires_soon"
    /// No CA signs device certificates: its key cannot be used, or its certificate has ended.
    case issuingUnavailable = "issuing_unavailable"
    /// The certificate of the CA that signs device certificates ends soon.
    case authorityExpiresSoon = "authority_expires_soon"
    /// A revocation list cannot be renewed or published.
    case revocationListNotRefreshed = "revocation_list_not_refreshed"
    /// This daemon signs no results: no key of the issuer signs, it does not have the one that does, or a token is away.
    case resultKeyUnavailable = "result_key_unavailable"
    /// Results are signed no more within a week unless a key is added.
    case resultKeyEndsSoon = "result_key_ends_soon"
    /// This daemon does not have the key that signs results next.
    case resultKeyMissing = "result_key_missing"
    /// The published status lists have not been brought to what the ledger says for a while: a block is not visible in them.
    case statusListsNotRefreshed = "status_lists_not_refreshed"

    /// A plugin does not run: it ends too often, cannot be started, or says that it cannot work.
    case pluginNotReady = "plugin_not_ready"
    /// Evidence ended processes of a plugin, and is kept aside.
    case pluginQuarantine = "plugin_quarantine"
    /// Verdicts are not recorded: their file cannot be used or written. Verdicts go on.
    case recordsUnavailable = "records_unavailable"
    /// A webhook cannot be delivered to for minutes, its receiver has ended it, or its dead letters cannot be kept.
    case webhookFailing = "webhook_failing"

    /// A list that cannot be refreshed needs attention when its age exceeds this part of its maximum age, in percent.
    static let feedNotice: Int64 = 75
    /// Status lists need attention when they are this much behind, in milliseconds: a block is to be visible within a minute.
    static let statusListNotice: Int64 = 60_000
    /// A webhook needs attention when it has failed for so long, in milliseconds: shorter outages of receivers are usual.
    static let webhookNotice: Int64 = 300_000
}

extension AttentionCode {
    /// The code for a store that does not answer, by its state in the status.
    fileprivate init(store state: String) {
        switch state {
        case "damaged": self = .storeDamaged
        case "replaced": self = .storeReplaced
        default: self = .storeUnavailable
        }
    }
}

extension Assay_V1_StatusResponse {
    /// What needs attention, the most urgent first. It names nothing that the rest of the response does not show to its caller.
    func attention() -> [Assay_V1_StatusResponse.Attention] {
        var list = AttentionList()
        noteLedger(in: &list)
        noteApps(in: &list)
        notePlugins(in: &list)
        noteFeeds(in: &list)
        noteCertificates(in: &list)
        noteAuthorities(in: &list)
        noteResultKeys(in: &list)
        noteStatusLists(in: &list)
        noteOutlets(in: &list)
        if configuration.refusedAtUnixMs != 0 {
            let time = Timestamp(unixMilliseconds: configuration.refusedAtUnixMs)
            list.add(.reloadRefused, "a newer configuration was refused at \(time): \(configuration.problem)")
        }
        return list.items
    }

    private func noteLedger(in list: inout AttentionList) {
        if !store.available { list.add(.init(store: store.state), "the store gives no answer: \(store.problem)") }
        if clock.noChallengesUntilUnixMs != 0 {
            let time = Timestamp(unixMilliseconds: clock.noChallengesUntilUnixMs)
            list.add(.noChallenges, "no challenges until \(time): the clock ran ahead before")
        }
        if store.evidenceMemoryFull { list.add(.evidenceMemoryFull, "no more uses of evidence may be kept") }
        if disk.low { list.add(.diskLow, "the disk of the ledger is nearly full: \(disk.freeBytes >> 20) MiB are free") }
    }

    private func noteApps(in list: inout AttentionList) {
        for app in apps {
            for outage in app.outages {
                list.add(
                    .appUnavailable, "no verdict on \(outage.formats.joined(separator: ", ")): \(outage.reason)", app: app.app)
            }
            if let sentence = app.enforcement.attention { list.add(.verdictsNotEnforced, sentence, app: app.app) }
        }
    }

    private func notePlugins(in list: inout AttentionList) {
        for plugin in plugins {
            switch plugin.state {
            case .broken, .refused: list.add(.pluginNotReady, "the plugin \(plugin.id) does not run: \(plugin.problem)")
            default:
                if !plugin.health.isEmpty { list.add(.pluginNotReady, "the plugin \(plugin.id) cannot work: \(plugin.health)") }
            }
            if plugin.counts.quarantined > 0 {
                list.add(
                    .pluginQuarantine,
                    "\(plugin.counts.quarantined) pieces of evidence ended the plugin \(plugin.id) twice each and are kept aside"
                )
            }
        }
    }

    private func noteFeeds(in list: inout AttentionList) {
        for feed in feeds where feed.wanted {
            if !feed.unavailable.isEmpty {
                list.add(feed.id.isEmpty ? .feedMissing : .feedOutdated, "\(feed.feed): \(feed.unavailable)")
            } else if !feed.problem.isEmpty, feed.isNearlyOutdated(at: nowUnixMs) {
                list.add(.feedNotRefreshed, "\(feed.feed) cannot be refreshed and will be too old soon: \(feed.problem)")
            }
        }
    }

    private func noteCertificates(in list: inout AttentionList) {
        for certificate in certificates {
            let end = Timestamp(unixMilliseconds: certificate.notAfterUnixMs)
            let left = end.milliseconds(since: Timestamp(unixMilliseconds: nowUnixMs))
            if left < 0 {
                list.add(.certificateExpired, "\(certificate.file): a certificate expired \(end)")
            } else if left < CertificateEnd.notice {
                list.add(.certificateExpiresSoon, "\(certificate.file): a certificate expires \(end)")
            }
        }
    }

    private func noteAuthorities(in list: inout AttentionList) {
        if !authorities.isEmpty, !authorities.contains(where: { $0.state == .signing }) {
            list.add(.issuingUnavailable, "no CA of the configuration signs device certificates now")
        }
        for authority in authorities where authority.state != .ended {
            if authority.state == .signing, !authority.problem.isEmpty {
                list.add(.issuingUnavailable, "the CA \(authority.name) cannot sign device certificates: \(authority.problem)")
            }
            let end = Timestamp(unixMilliseconds: authority.notAfterUnixMs)
            if authority.state == .signing,
                end.milliseconds(since: Timestamp(unixMilliseconds: nowUnixMs)) < CertificateEnd.notice
            {
                list.add(.authorityExpiresSoon, "the certificate of the CA \(authority.name) ends \(end)")
            }
            if !authority.revocationListProblem.isEmpty {
                list.add(
                    .revocationListNotRefreshed,
                    "the revocation list of the CA \(authority.name): \(authority.revocationListProblem)")
            }
        }
    }

    private func noteResultKeys(in list: inout AttentionList) {
        for issuer in resultIssuers {
            if !issuer.problem.isEmpty {
                list.add(.resultKeyUnavailable, "no results are signed for \(issuer.issuer): \(issuer.problem)")
            }
            let end = Timestamp(unixMilliseconds: issuer.signingEndsUnixMs)
            let left = end.milliseconds(since: Timestamp(unixMilliseconds: nowUnixMs))
            if issuer.signingEndsUnixMs != 0, left < ResultKeyRule.notice {
                list.add(.resultKeyEndsSoon, "no results are signed for \(issuer.issuer) from \(end) on: no key follows")
            }
            if !issuer.nextProblem.isEmpty {
                list.add(.resultKeyMissing, "results for \(issuer.issuer): \(issuer.nextProblem)")
            }
        }
    }

    private func noteStatusLists(in list: inout AttentionList) {
        guard !statusLists.problem.isEmpty, nowUnixMs - statusLists.checkedAtUnixMs >= AttentionCode.statusListNotice else {
            return
        }
        let since =
            statusLists.checkedAtUnixMs == 0 ? "the start" : "\(Timestamp(unixMilliseconds: statusLists.checkedAtUnixMs))"
        list.add(.statusListsNotRefreshed, "status lists say nothing new since \(since): \(statusLists.problem)")
    }

    /// Where verdicts go beside their callers.
    private func noteOutlets(in list: inout AttentionList) {
        if !verdictRecords.problem.isEmpty {
            list.add(.recordsUnavailable, "verdicts are not recorded: \(verdictRecords.problem)")
        }
        for webhook in webhooks {
            let failing = webhook.failingSinceUnixMs == 0 ? 0 : nowUnixMs - webhook.failingSinceUnixMs
            guard
                webhook.state == .gone || failing >= AttentionCode.webhookNotice
                    || (webhook.state == .delivering && !webhook.problem.isEmpty)
            else { continue }
            list.add(.webhookFailing, "the webhook \(webhook.name): \(webhook.problem)")
        }
    }
}

/// The items in their order.
private struct AttentionList {
    private(set) var items: [Assay_V1_StatusResponse.Attention] = []

    mutating func add(_ code: AttentionCode, _ message: String, app: String = "") {
        // A refused configuration has a line for each problem; an item of the list is one line.
        let line = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
        items.append(.with { ($0.code, $0.message, $0.app) = (code.rawValue, line, app) })
    }
}

extension Assay_V1_Feed {
    fileprivate func isNearlyOutdated(at now: Int64) -> Bool {
        let age = Timestamp(unixMilliseconds: now).milliseconds(since: Timestamp(unixMilliseconds: asOfUnixMs))
        return age >= maxAgeMs / 100 * AttentionCode.feedNotice
    }
}

/// Why the last reload was refused.
package struct ReloadProblem: Hashable, Sendable {
    package let at: Timestamp
    /// For the operator.
    package let text: String

    package init(at: Timestamp, text: String) { (self.at, self.text) = (at, text) }

    /// The problem of the last reload; `nil` after a reload that succeeded, and before the first.
    package final class Slot: Sendable {
        private let state = Mutex<ReloadProblem?>(nil)

        package init() {}

        package var value: ReloadProblem? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }
}

extension Assay_V1_StatusResponse.App.Enforcement {
    /// What is to be known of an app that does not enforce its verdicts; `nil` for one that does.
    fileprivate var attention: String? {
        let rule = EnforcementRule(share: share, reportsEverything: reportsEverything)
        guard rule.reports else { return nil }
        let enforced = share == 0 ? "no rejection is enforced" : "rejections of \(rule.shareText) of the devices are enforced"
        let everything = reportsEverything ? ", replays and blocked devices included" : ""
        return "\(enforced): since the start \(wouldReject) were answered ACCEPTED\(everything)"
    }
}
