import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the daemon, and what needs attention.",
        discussion: """
            With --check only lines that need attention are printed, or "good".

            Exit status: 0 the daemon answers; with --check, 0 if nothing needs attention and 1 if something does; 69 if it \
            cannot be reached, or its store is unavailable.
            """)

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print what needs attention, and exit with 1 if anything does.")
    var check = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let status = try await server.with { client throws(AssayError) in try await client.status(timeout: server.limit) }
        if json, check {
            let attention = status.json["attention"] ?? [Any]()
            Console.print(json: ["good": status.attention.isEmpty, "attention": attention])
        } else if json {
            Console.print(json: status.json)
        } else if check {
            status.attention.map(\.line).forEach(Console.print)
            if status.attention.isEmpty { Console.print("good") }
        } else {
            status.lines.forEach(Console.print)
        }
        guard status.store.available else { throw ExitCode(69) }
        if check, !status.attention.isEmpty { throw ExitCode(1) }
    }
}

extension Assay_V1_StatusResponse {
    fileprivate var lines: [String] {
        var lines = [
            "assayd \(version), started \(Timestamp(unixMilliseconds: startedAtUnixMs))",
            store.available
                ? "  store     \(store.devices) devices, \(store.auditCount) audit records, head \(Hex.encode(store.auditHead.prefix(8)))…"
                : "  store     " + Console.styled(store.state.isEmpty ? "unavailable" : store.state, .bad)
                    + ": \(store.problem)",
        ]
        if store.evidenceMemoryFull {
            lines.append("            " + Console.styled("full", .bad) + ": no more uses of evidence may be kept")
        }
        if let head = SignedAuditHead(self) {
            lines.append("  audit     \(head)")
            lines.append("            signed by \(Base64.url.encode(audit.publicKey))")
            if audit.dropped > 0 { lines.append("            begins with record \(audit.dropped + 1)") }
        }
        if store.writers.count > 1 { lines += store.writers.map(\.line) }
        lines += clock.lines
        if hasDisk {
            let space = "\(disk.freeBytes >> 20) MiB free of \(disk.capacityBytes >> 20) MiB"
            lines.append("  disk      " + space + (disk.low ? "  " + Console.styled("nearly full", .bad) : ""))
        }
        lines.append(
            "  traffic   \(traffic.challengesIssued) challenges, \(traffic.accepted) accepted, \(traffic.repeatedVerdicts) repeated, "
                + "\(traffic.rejected.values.reduce(0, +)) rejected, \(traffic.unavailable) failed")
        lines += Self.counts(traffic.rejected)
        if !traffic.wouldReject.isEmpty { lines.append("  reported  rejections that were answered ACCEPTED") }
        lines += Self.counts(traffic.wouldReject)
        if !traffic.notes.isEmpty { lines.append("  noted") }
        lines += Self.counts(traffic.notes)
        lines.append("  load      \(traffic.connections) connections, \(traffic.callsInFlight) calls in flight")
        if !traffic.refusedCalls.isEmpty { lines.append("  refused   calls, before or in place of a method") }
        lines += Self.counts(traffic.refusedCalls)
        if !traffic.rateLimited.isEmpty { lines.append("  limited   requests, by a rate") }
        lines += traffic.rateLimited.map { "              \($0.count) \($0.app) \($0.limit)" }
        if !traffic.endedConnections.isEmpty { lines.append("  ended     connections") }
        lines += Self.counts(traffic.endedConnections)
        lines.append(
            "  config    \(Hex.encode(configuration.digest.prefix(8)))…, loaded "
                + "\(Timestamp(unixMilliseconds: configuration.loadedAtUnixMs))")
        if configuration.refusedAtUnixMs != 0 {
            let time = Timestamp(unixMilliseconds: configuration.refusedAtUnixMs)
            lines.append("            " + Console.styled("refused", .bad) + " a newer one at \(time): \(configuration.problem)")
        }
        lines.append(
            "  receipts  \(receipts.due) due, \(receipts.exchanged) exchanged, \(receipts.failed) failed, \(receipts.ended) ended"
        )
        if receipts.problemAtUnixMs != 0 {
            let time = Timestamp(unixMilliseconds: receipts.problemAtUnixMs)
            lines.append("            " + Console.styled("problem", .bad) + " at \(time): \(receipts.problem)")
        }
        lines += verdictRecords.lines
        if hasReappraisal { lines += reappraisal.lines }
        for feed in feeds where feed.wanted {
            let version = feed.id.isEmpty ? "none is known" : "\(feed.id), \(feed.entries) entries"
            lines.append("  feed      \(feed.feed): \(version)" + (feed.oddEntries.map { ", \($0)" } ?? ""))
            if !feed.unavailable.isEmpty {
                lines.append("            " + Console.styled("unavailable", .bad) + ": \(feed.unavailable)")
            } else if !feed.problem.isEmpty {
                lines.append("            not refreshed: \(feed.problem)")
            }
        }
        for certificate in certificates {
            let use = certificate.use == .server ? "certificate" : "CA of callers"
            lines.append(
                "  tls       \(certificate.file): \(use), ends \(Timestamp(unixMilliseconds: certificate.notAfterUnixMs))")
        }
        for app in apps {
            lines.append("  app       \(app.app): \(app.formats.joined(separator: ", "))")
            if app.hasEnforcement, let enforcement = app.enforcement.line { lines.append("            " + enforcement) }
            for outage in app.outages {
                let formats = outage.formats.joined(separator: ", ")
                lines.append("            " + Console.styled("no verdict", .bad) + " on \(formats): \(outage.reason)")
            }
        }
        lines += Assay_V1_Plugin.summary(of: plugins)
        for anchor in anchors { lines.append("  anchor    \(anchor.name)" + (anchor.simulated ? " [test root]" : "")) }
        if !attention.isEmpty {
            lines.append(Console.styled("needs looking after", .bad))
            lines += attention.map { "  " + $0.line }
        }
        return lines
    }

    /// By code, the highest count first.
    private static func counts(_ counts: [String: UInt64]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { code, count in "              \(count) \(code)" }
    }

    fileprivate var json: [String: Any] {
        [
            "version": version,
            "started_at": Timestamp(unixMilliseconds: startedAtUnixMs).description,
            "now": Timestamp(unixMilliseconds: nowUnixMs).description,
            "store": [
                "available": store.available, "state": store.state, "problem": store.problem, "devices": store.devices,
                "audit_count": store.auditCount, "audit_head": Hex.encode(store.auditHead),
                "spent_horizon_unix_ms": store.spentHorizonUnixMs, "last_entry_at_unix_ms": store.lastEntryAtUnixMs,
                "evidence_memory_full": store.evidenceMemoryFull, "writers": store.writers.map(\.json),
            ] as [String: Any],
            "audit": [
                "writer": audit.writer, "count": audit.count, "head": Hex.encode(audit.head), "dropped": audit.dropped,
                "start_head": Hex.encode(audit.startHead),
                "signed_head": SignedAuditHead(self)?.description ?? "", "public_key": Base64.url.encode(audit.publicKey),
            ] as [String: Any],
            "clock": [
                "settled": Timestamp(unixMilliseconds: clock.settledUnixMs).description, "ahead_ms": clock.aheadMs,
                "followed_in_ms": clock.followedInMs, "last_step_at_unix_ms": clock.lastStepAtUnixMs,
                "last_step_ms": clock.lastStepMs, "no_challenges_until_unix_ms": clock.noChallengesUntilUnixMs,
            ] as [String: Any],
            "disk": [
                "free_bytes": disk.freeBytes, "capacity_bytes": disk.capacityBytes, "low": disk.low,
            ] as [String: Any],
            "traffic": [
                "challenges_issued": traffic.challengesIssued, "accepted": traffic.accepted,
                "repeated": traffic.repeatedVerdicts, "unavailable": traffic.unavailable, "rejected": traffic.rejected,
                "would_reject": traffic.wouldReject, "notes": traffic.notes,
                "connections": traffic.connections, "calls_in_flight": traffic.callsInFlight,
                "refused_calls": traffic.refusedCalls, "ended_connections": traffic.endedConnections,
                "rate_limited": traffic.rateLimited.map {
                    ["app": $0.app, "limit": $0.limit, "count": $0.count] as [String: Any]
                },
            ] as [String: Any],
            "configuration": [
                "digest": Hex.encode(configuration.digest),
                "loaded_at": Timestamp(unixMilliseconds: configuration.loadedAtUnixMs).description,
                "refused_at_unix_ms": configuration.refusedAtUnixMs, "problem": configuration.problem,
            ] as [String: Any],
            "receipts": [
                "due": receipts.due, "exchanged": receipts.exchanged, "failed": receipts.failed, "ended": receipts.ended,
                "problem": receipts.problem, "problem_at_unix_ms": receipts.problemAtUnixMs,
            ] as [String: Any],
            "verdict_records": [
                "recording": verdictRecords.recording, "rows": verdictRecords.rows, "bytes": verdictRecords.bytes,
                "dropped": verdictRecords.dropped, "problem": verdictRecords.problem,
                "unclean_since_unix_ms": verdictRecords.uncleanSinceUnixMs,
            ] as [String: Any],
            "reappraisal": [
                "pending_apps": reappraisal.pendingApps, "judged": reappraisal.judged, "told": reappraisal.told,
                "untold": reappraisal.untold, "no_longer_good": reappraisal.noLongerGood,
                "begun_at_unix_ms": reappraisal.begunAtUnixMs, "ended_at_unix_ms": reappraisal.endedAtUnixMs,
            ] as [String: Any],
            "apps": apps.map(\.json),
            "feeds": feeds.map { $0.json(at: Timestamp(unixMilliseconds: nowUnixMs)) },
            "certificates": certificates.map {
                [
                    "file": $0.file, "use": $0.use == .server ? "server" : "caller_ca",
                    "not_after": Timestamp(unixMilliseconds: $0.notAfterUnixMs).description,
                ] as [String: Any]
            },
            "plugins": plugins.map(\.json),
            "attention": attention.map { ["code": $0.code, "message": $0.message, "app": $0.app] as [String: Any] },
            "anchors": anchors.map {
                [
                    "name": $0.name, "publisher": $0.publisher, "spki_sha256": Hex.encode($0.spkiSha256),
                    "certificate_sha256": Hex.encode($0.certificateSha256), "simulated": $0.simulated,
                ] as [String: Any]
            },
        ]
    }
}

extension Assay_V1_StatusResponse.App {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "app": app, "formats": formats, "policy_digest": Hex.encode(policyDigest),
            "outages": outages.map { ["formats": $0.formats, "reason": $0.reason] as [String: Any] },
        ]
        // A daemon of an earlier release says nothing of it.
        if hasEnforcement { object["enforcement"] = enforcement.json }
        return object
    }
}

extension Assay_V1_StatusResponse.App.Enforcement {
    private var rule: EnforcementRule { EnforcementRule(share: share, reportsEverything: reportsEverything) }

    /// Only of an app that does not enforce all its verdicts.
    fileprivate var line: String? {
        guard rule.reports else { return nil }
        return Console.styled("not enforced", .bad) + ": rejections are answered ACCEPTED"
            + (share == 0 ? "" : ", but for \(rule.shareText) of the devices")
            + (reportsEverything ? ", replays and blocked devices too" : "") + "; \(wouldReject) since the start"
    }

    fileprivate var json: [String: Any] {
        ["share": rule.shareText, "reports_everything": reportsEverything, "would_reject": wouldReject]
    }
}

extension Assay_V1_StatusResponse.Reappraisal {
    fileprivate var lines: [String] {
        guard pendingApps > 0 || noLongerGood > 0 else { return [] }
        let state = pendingApps > 0 ? "being judged again in \(pendingApps) app\(pendingApps == 1 ? "" : "s")" : "judged again"
        return ["  devices   \(state), \(judged) judged, \(noLongerGood) no longer good"]
    }
}

extension Assay_V1_VerdictRecordState {
    fileprivate var lines: [String] {
        guard recording else { return [] }
        var lines = ["  records   \(rows) verdicts, \(bytes >> 10) KiB" + (dropped > 0 ? ", \(dropped) dropped" : "")]
        if !problem.isEmpty { lines.append("            " + Console.styled("problem", .bad) + ": \(problem)") }
        return lines
    }
}

extension Assay_V1_StatusResponse.Clock {
    /// Only lines about a clock that is wrong.
    fileprivate var lines: [String] {
        var lines: [String] = []
        if noChallengesUntilUnixMs != 0 {
            let time = Timestamp(unixMilliseconds: noChallengesUntilUnixMs)
            lines.append("  clock     " + Console.styled("no challenges", .bad) + " until \(time): the clock ran ahead before")
        }
        if aheadMs != 0 {
            lines.append(
                "  clock     " + Console.styled("ahead", .bad)
                    + " by \(DurationText.rounded(Int64(clamping: aheadMs))); followed in \(DurationText.rounded(Int64(clamping: followedInMs))) "
                    + "if it stays so")
        }
        if lastStepAtUnixMs != 0 {
            let (time, step) = (
                Timestamp(unixMilliseconds: lastStepAtUnixMs), DurationText.rounded(Int64(clamping: lastStepMs.magnitude))
            )
            lines.append("  clock     was set \(lastStepMs < 0 ? "back" : "ahead") by \(step) at \(time)")
        }
        return lines
    }
}

extension Assay_V1_StatusResponse.Attention {
    fileprivate var line: String { "\(code): " + (app.isEmpty ? "" : "\(app): ") + message }
}

extension Assay_V1_StatusResponse.Writer {
    fileprivate var line: String {
        let last = lastEntryAtUnixMs == 0 ? "no verdict" : "last verdict \(Timestamp(unixMilliseconds: lastEntryAtUnixMs))"
        return "  writer    \(name.printable): \(count) audit records, head \(Hex.encode(head.prefix(8)))…, \(last)"
    }

    fileprivate var json: [String: Any] {
        [
            "name": name, "count": count, "head": Hex.encode(head), "dropped": dropped, "start_head": Hex.encode(startHead),
            "last_entry_at_unix_ms": lastEntryAtUnixMs,
        ]
    }
}
