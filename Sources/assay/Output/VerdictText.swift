import AssayAPI
import AssayCore

/// The output form of a verdict, for people and for tools.
struct VerdictText {
    let verdict: Assay_V1_Verdict

    var isAccepted: Bool { verdict.decision == .accepted }

    /// `ACCEPTED  secure_element` or `REJECTED  bad_signature`, and further fields.
    var headline: String {
        var line: String
        if isAccepted {
            line = Console.styled("ACCEPTED", .good) + "  assurance \(verdict.assurance.name)"
        } else {
            line =
                Console.styled("REJECTED", .bad) + "  \(verdict.reason) (check \(verdict.check), retry: \(verdict.retry.name))"
        }
        if verdict.hasWouldReject {
            line += "  " + Console.styled("[not enforced: would be rejected, \(verdict.wouldReject.reason)]", .warning)
        }
        if verdict.simulated { line += "  [simulated]" }
        if verdict.repeated { line += "  [repeated: do not act twice]" }
        return line
    }

    var lines: [String] {
        var lines = [headline]
        if !isAccepted { lines.append("  " + verdict.detail) }
        if verdict.hasWouldReject { lines.append("  " + verdict.wouldReject.detail) }
        if let id = DeviceID(bytes: Array(verdict.deviceID)) { lines.append("  device    \(id)") }
        if verdict.hasBound { lines.append("  bound     \(verdict.bound.sentence)") }
        lines += confidence?.lines ?? []
        for finding in verdict.findings where finding.outcome != .pass {
            let words = finding.words
            lines.append("  \(finding.outcome.name.padded(to: 9)) \(finding.check)\(words.isEmpty ? "" : ": " + words)")
        }
        let passed = verdict.findings.filter { $0.outcome == .pass }.map(\.check)
        if !passed.isEmpty { lines.append("  passed    " + passed.joined(separator: ", ")) }
        for claim in Claims(verdict.claims).all { lines.append("  claim     \(claim.name) = \(claim.value.text)") }
        lines.append("  evidence  \(BytesText.hexFirst(verdict.evidenceDigest))")
        lines.append("  policy    \(BytesText.hexFirst(verdict.policyDigest))")
        lines.append("  request   \(Hex.encode(verdict.requestID)) at \(Timestamp(unixMilliseconds: verdict.decidedAtUnixMs))")
        let limits = verdict.limits.compactMap { VerdictLimit($0)?.rawValue }
        if !limits.isEmpty { lines.append("  limits    " + limits.joined(separator: ", ")) }
        return lines + results.flatMap(\.lines)
    }

    /// What came of the results that were asked for.
    var results: [ResultText] { verdict.results.map { ResultText(result: $0) } }

    /// `nil` for an app without a rule of confidence.
    private var confidence: ConfidenceText? {
        guard verdict.hasConfidence else { return nil }
        return ConfidenceText(
            json: Array(verdict.confidence.evidenceModelJson.utf8), media: verdict.confidence.mediaSha256.map { Array($0) })
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "decision": isAccepted ? "accepted" : "rejected",
            "assurance": verdict.assurance.name,
            "simulated": verdict.simulated,
            "repeated": verdict.repeated,
            "findings": verdict.findings.map(\.json),
            "claims": Claims(verdict.claims).json,
            "decided_at": Timestamp(unixMilliseconds: verdict.decidedAtUnixMs).description,
        ]
        object.add(hex: "evidence_digest", verdict.evidenceDigest)
        object.add(hex: "policy_digest", verdict.policyDigest)
        object.add(hex: "request_id", verdict.requestID)
        if !isAccepted {
            object["reason"] = verdict.reason
            object["detail"] = verdict.detail
            object["check"] = verdict.check
            object["retry"] = verdict.retry.name
        }
        if verdict.hasWouldReject {
            let why = verdict.wouldReject
            object["would_reject"] = ["reason": why.reason, "detail": why.detail, "check": why.check, "retry": why.retry.name]
        }
        if !verdict.deviceID.isEmpty { object.add(device: "device_id", verdict.deviceID) }
        if verdict.hasBound { object["bound"] = verdict.bound.json }
        if let confidence {
            object["confidence"] = confidence.json
            if !confidence.media.isEmpty { object["media_sha256"] = confidence.media.map { Hex.encode($0) } }
        }
        if !verdict.limits.isEmpty { object["limits"] = verdict.limits.compactMap { VerdictLimit($0)?.rawValue } }
        if !verdict.results.isEmpty { object["results"] = results.map(\.json) }
        return object
    }
}

extension Assay_V1_BoundTo {
    var modeName: String {
        switch mode {
        case .clientData: "client_data"
        case .embedded: "embedded"
        case .callerOwned: "caller_owned"
        case .inEvidence: "in_evidence"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }

    fileprivate var sentence: String {
        payloadSha256.isEmpty ? "\(modeName), no payload" : "\(modeName), payload SHA-256 \(Hex.encode(payloadSha256))"
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["mode": modeName]
        object.add(hex: "client_data_hash", clientDataHash)
        if !payloadSha256.isEmpty { object.add(hex: "payload_sha256", payloadSha256) }
        return object
    }
}

extension Assay_V1_Finding {
    /// The code, that of another system in brackets, and the sentence.
    var words: String {
        let codes = [code, vendorCode.isEmpty ? "" : "[\(vendorCode)]"].filter { !$0.isEmpty }.joined(separator: " ")
        return [codes, detail].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    var json: [String: Any] {
        var object = ["check": check, "outcome": outcome.name, "code": code, "detail": detail]
        if !vendorCode.isEmpty { object["vendor_code"] = vendorCode }
        return object
    }
}

extension Assay_V1_Finding.Outcome {
    var name: String {
        switch self {
        case .pass: "pass"
        case .fail: "fail"
        case .unavailable: "unavailable"
        case .skipped: "skipped"
        case .note: "note"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

extension Assay_V1_Assurance {
    var name: String { UInt8(exactly: rawValue).flatMap(Assurance.init(rawValue:))?.name ?? "unknown" }
}

extension Assay_V1_RetryClass {
    var name: String {
        switch self {
        case .never: RetryClass.never.rawValue
        case .newChallenge: RetryClass.newChallenge.rawValue
        case .reAttest: RetryClass.reAttest.rawValue
        case .later: RetryClass.later.rawValue
        case .contactOperator: RetryClass.contactOperator.rawValue
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
