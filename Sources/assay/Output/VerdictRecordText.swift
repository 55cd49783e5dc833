import AssayAPI
import AssayCore

/// The output form of a recorded verdict, for people and for tools.
extension Assay_V1_VerdictRecord {
    private var time: Timestamp { Timestamp(unixMilliseconds: timeUnixMs) }
    private var deviceName: String? { DeviceID(bytes: Array(deviceID))?.description }

    /// One line: time, request id, decision, reason and check, app, and what it stands for.
    var row: String {
        var words = [time.description, Hex.encode(requestID), decision.styled(decision.name.padded(to: 8)), app]
        if decision == .accepted {
            words.append("assurance \(assurance.name)")
        } else {
            words.append(reason + (check.isEmpty ? "" : " (\(check))"))
        }
        words.append(caller)
        if standsFor > 1 { words.append("×\(standsFor)") }
        if simulated { words.append("[simulated]") }
        if wouldReject { words.append("[answered ACCEPTED]") }
        return words.joined(separator: "  ")
    }

    var lines: [String] {
        var lines = [decision.styled(decision.name.uppercased()) + headline]
        if !detail.isEmpty { lines.append("  \(detail)") }
        if wouldReject { lines.append("  " + Console.styled("answered ACCEPTED", .warning) + ": the app did not enforce it") }
        lines += [
            "  request    \(Hex.encode(requestID))", "  time       \(time)", "  app        \(app)",
        ]
        // What a caller without the role operate is shown ends here.
        guard !caller.isEmpty else { return lines }
        lines.append("  caller     \(caller)")
        lines.append("  purpose    \(purpose.word)" + (formats.isEmpty ? "" : ", with " + formats.joined(separator: ", ")))
        if let deviceName { lines.append("  device     \(deviceName)") }
        if hasTraits {
            let words = [traits.platform, traits.model, traits.osVersion, traits.appVersion].filter { !$0.isEmpty }
            lines.append("  says       " + words.joined(separator: ", "))
        }
        if !subjectHash.isEmpty { lines.append("  subject    \(Hex.short(subjectHash)) (keyed hash)") }
        if binding != .unspecified {
            lines.append(
                "  binding    \(binding.word)"
                    + (payloadSha256.isEmpty ? ", no payload" : ", payload SHA-256 \(Hex.encode(payloadSha256))"))
        }
        if standsFor > 1 {
            lines.append(
                "  stands for \(standsFor) verdicts of this app, caller and reason in a flood; the others are not kept")
        }
        if !findings.isEmpty { lines.append("") }
        for finding in findings { lines += finding.lines }
        if truncated { lines.append("  (sentences or checks were cut)") }
        if !cause.isEmpty { lines += ["", "Usual cause: \(cause)"] }
        if !remedy.isEmpty { lines.append("How to fix:  \(remedy)") }
        lines.append("")
        if !evidenceDigest.isEmpty { lines.append("  evidence   \(BytesText.hexFirst(evidenceDigest))") }
        lines.append("  policy     \(BytesText.hexFirst(policyDigest))")
        if !policyDigest.isEmpty { lines.append("             assay policy show \(Hex.encode(policyDigest.prefix(8)))") }
        for feed in feeds {
            lines.append("  feed       \(feed.feed) \(feed.id), \(DurationText.rounded(Int64(clamping: feed.ageMs))) old")
        }
        if auditNumber > 0 {
            let writer = auditWriter.isEmpty ? "" : " of \(auditWriter)"
            lines.append("  audit      record \(auditNumber)\(writer): checks of acceptances are not kept")
        }
        return lines
    }

    private var headline: String {
        var line: String
        switch decision {
        case .accepted: line = "  assurance \(assurance.name)"
        default:
            let check = check.isEmpty ? "" : "check \(check), "
            line = "  \(reason) (\(check)retry: \(retry.name))"
        }
        if simulated { line += "  [simulated]" }
        return line
    }

    /// Of a listing.
    var json: [String: Any] {
        var object: [String: Any] = [
            "time": time.description, "decision": decision.name, "app": app,
        ]
        object.add(hex: "request_id", requestID)
        if decision != .accepted {
            object["reason"] = reason
            object["detail"] = detail
            object["retry"] = retry.name
            if !check.isEmpty { object["check"] = check }
            object["would_reject"] = wouldReject
        }
        guard !caller.isEmpty else { return object }
        object["caller"] = caller
        object["purpose"] = purpose.word
        object["formats"] = formats
        object["simulated"] = simulated
        object["stands_for"] = standsFor
        object["truncated"] = truncated
        if decision == .accepted { object["assurance"] = assurance.name }
        if !deviceID.isEmpty { object.add(device: "device_id", deviceID) }
        if hasTraits {
            let named = [
                ("platform", traits.platform), ("model", traits.model), ("os_version", traits.osVersion),
                ("app_version", traits.appVersion),
            ]
            object["traits"] = Dictionary(uniqueKeysWithValues: named.filter { !$0.1.isEmpty })
        }
        if !subjectHash.isEmpty { object.add(hex: "subject_hash", subjectHash) }
        if !evidenceDigest.isEmpty { object.add(hex: "evidence_digest", evidenceDigest) }
        if !policyDigest.isEmpty { object.add(hex: "policy_digest", policyDigest) }
        if binding != .unspecified { object["binding"] = binding.word }
        if !payloadSha256.isEmpty { object.add(hex: "payload_sha256", payloadSha256) }
        return object
    }

    /// Of one record.
    var wholeJSON: [String: Any] {
        var object = json
        guard !caller.isEmpty else { return object }
        object["findings"] = findings.map { recorded in
            var finding = recorded.finding.json
            if !recorded.policyKey.isEmpty { finding["policy_key"] = recorded.policyKey }
            return finding
        }
        object["feeds"] = feeds.map { ["feed": $0.feed, "id": $0.id, "age_ms": Int64($0.ageMs)] as [String: Any] }
        if auditNumber > 0 { object["audit_number"] = auditNumber }
        if !auditWriter.isEmpty { object["audit_writer"] = auditWriter }
        if !cause.isEmpty { object["cause"] = cause }
        if !remedy.isEmpty { object["remedy"] = remedy }
        return object
    }
}

extension Assay_V1_RecordedFinding {
    /// A mark, the check, the code and the sentence, and the key that decides it.
    fileprivate var lines: [String] {
        let words = finding.words
        let mark: String
        switch finding.outcome {
        case .pass: mark = Console.styled("✓", .good)
        case .fail: mark = Console.styled("✗", .bad)
        case .unavailable: mark = Console.styled("?", .warning)
        case .note: mark = "!"
        case .skipped, .unspecified, .UNRECOGNIZED: mark = Console.styled("-", .faint)
        }
        var lines = ["  \(mark) \(finding.check.padded(to: 22)) \(finding.outcome.name)\(words.isEmpty ? "" : "  \(words)")"]
        if !policyKey.isEmpty, finding.outcome != .skipped { lines.append("      decided by \(policyKey)") }
        return lines
    }
}

extension Assay_V1_VerdictRecordState {
    /// What a reader of the list must know of its completeness, a sentence each.
    var footer: [String] {
        var lines: [String] = []
        if !recording { lines.append("the daemon records no verdicts") }
        if !problem.isEmpty { lines.append("verdicts are not recorded now: \(problem)") }
        if dropped > 0 { lines.append("\(dropped) verdicts since the start could not be recorded") }
        if uncleanSinceUnixMs != 0 {
            lines.append(
                "the daemon that was started at \(Timestamp(unixMilliseconds: uncleanSinceUnixMs)) ended without being stopped: its last "
                    + "records may be missing")
        }
        return lines
    }
}

extension Assay_V1_VerdictRecord.Decision {
    var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .unjudged: "unjudged"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate func styled(_ text: String) -> String {
        switch self {
        case .accepted: Console.styled(text, .good)
        case .rejected: Console.styled(text, .bad)
        case .unjudged, .unspecified, .UNRECOGNIZED: Console.styled(text, .warning)
        }
    }
}

extension Assay_V1_BoundTo.Mode {
    fileprivate var word: String {
        var bound = Assay_V1_BoundTo()
        bound.mode = self
        return bound.modeName
    }
}

extension Assay_V1_Purpose {
    fileprivate var word: String { (try? Purpose(self))?.name ?? "unknown" }
}
