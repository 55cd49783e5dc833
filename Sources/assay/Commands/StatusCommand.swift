import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how the daemon is.",
        discussion: "Exit status 69 if the daemon runs but its store is unavailable.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let status = try await server.with { client throws(AssayError) in try await client.status(timeout: server.limit) }
        if json { Console.print(json: status.json) } else { status.lines.forEach(Console.print) }
        guard status.store.available else { throw ExitCode(69) }
    }
}

extension Assay_V1_StatusResponse {
    fileprivate var lines: [String] {
        var lines = [
            "assayd \(version), started \(Timestamp(unixMilliseconds: startedAtUnixMs))",
            store.available
                ? "  store     \(store.devices) devices, \(store.auditCount) accepted verdicts, audit head \(Hex.encode(store.auditHead.prefix(8)))…"
                : "  store     " + Console.styled("unavailable", .bad) + ": \(store.problem)",
        ]
        if store.evidenceMemoryFull {
            lines.append("            " + Console.styled("full", .bad) + ": no more uses of evidence may be kept")
        }
        if let head = SignedAuditHead(self) {
            lines.append("  audit     \(head)")
            lines.append("            signed by \(Base64.url.encode(audit.publicKey))")
        }
        if hasDisk {
            let room = "\(disk.freeBytes >> 20) MiB free of \(disk.capacityBytes >> 20) MiB"
            lines.append("  disk      " + room + (disk.low ? "  " + Console.styled("nearly full", .bad) : ""))
        }
        lines.append(
            "  traffic   \(traffic.challengesIssued) challenges, \(traffic.accepted) accepted, \(traffic.repeatedVerdicts) repeated, "
                + "\(traffic.rejected.values.reduce(0, +)) rejected, \(traffic.unavailable) failed")
        lines += Self.counts(traffic.rejected)
        if !traffic.notes.isEmpty { lines.append("  noted") }
        lines += Self.counts(traffic.notes)
        lines.append("  load      \(traffic.connections) connections, \(traffic.callsInFlight) calls in flight")
        if !traffic.refusedCalls.isEmpty { lines.append("  refused   calls, before or in place of a method") }
        lines += Self.counts(traffic.refusedCalls)
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
        for app in apps { lines.append("  app       \(app.app): \(app.formats.joined(separator: ", "))") }
        for anchor in anchors { lines.append("  anchor    \(anchor.name)" + (anchor.simulated ? " [test root]" : "")) }
        return lines
    }

    /// By code, the most first.
    private static func counts(_ counts: [String: UInt64]) -> [String] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { code, count in "              \(count) \(code)" }
    }

    fileprivate var json: [String: Any] {
        [
            "version": version,
            "started_at": Timestamp(unixMilliseconds: startedAtUnixMs).description,
            "now": Timestamp(unixMilliseconds: nowUnixMs).description,
            "store": [
                "available": store.available, "problem": store.problem, "devices": store.devices,
                "audit_count": store.auditCount, "audit_head": Hex.encode(store.auditHead),
                "spent_horizon_unix_ms": store.spentHorizonUnixMs, "last_entry_at_unix_ms": store.lastEntryAtUnixMs,
                "evidence_memory_full": store.evidenceMemoryFull,
            ] as [String: Any],
            "audit": [
                "count": audit.count, "head": Hex.encode(audit.head), "dropped": audit.dropped,
                "signed_head": SignedAuditHead(self)?.description ?? "", "public_key": Base64.url.encode(audit.publicKey),
            ] as [String: Any],
            "disk": [
                "free_bytes": disk.freeBytes, "capacity_bytes": disk.capacityBytes, "low": disk.low,
            ] as [String: Any],
            "traffic": [
                "challenges_issued": traffic.challengesIssued, "accepted": traffic.accepted,
                "repeated": traffic.repeatedVerdicts, "unavailable": traffic.unavailable, "rejected": traffic.rejected,
                "notes": traffic.notes,
                "connections": traffic.connections, "calls_in_flight": traffic.callsInFlight,
                "refused_calls": traffic.refusedCalls, "ended_connections": traffic.endedConnections,
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
            "apps": apps.map {
                ["app": $0.app, "formats": $0.formats, "policy_digest": Hex.encode($0.policyDigest)] as [String: Any]
            },
            "anchors": anchors.map {
                [
                    "name": $0.name, "publisher": $0.publisher, "spki_sha256": Hex.encode($0.spkiSha256),
                    "certificate_sha256": Hex.encode($0.certificateSha256), "simulated": $0.simulated,
                ] as [String: Any]
            },
        ]
    }
}
