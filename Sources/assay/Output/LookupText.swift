import AssayAPI
import AssayCore

/// The output form of what a look-up found, for people and for tools.
struct LookupText {
    let answer: Assay_V1_FindVerdictsResponse

    var lines: [String] {
        guard answer.found else {
            return [Console.styled("NOT FOUND", .warning), "  \(answer.note)"] + results.flatMap(\.lines)
        }
        var lines = answer.verdicts.flatMap(\.lines)
        if answer.truncated { lines.append("older verdicts on the file are kept, too") }
        return lines + results.flatMap(\.lines)
    }

    /// What came of the results that were asked for.
    var results: [ResultText] { answer.results.map { ResultText(result: $0) } }

    var json: [String: Any] {
        var object: [String: Any] = [
            "app": answer.app, "found": answer.found, "truncated": answer.truncated,
            "answered_at": Timestamp(unixMilliseconds: answer.answeredAtUnixMs).description,
            "verdicts": answer.verdicts.map(\.json),
        ]
        object.add(hex: "payload_sha256", answer.payloadSha256)
        if !answer.note.isEmpty { (object["note"], object["note_code"]) = (answer.note, answer.noteCode) }
        if !answer.results.isEmpty { object["results"] = results.map(\.json) }
        return object
    }
}

extension Assay_V1_FoundVerdict {
    private var time: Timestamp { Timestamp(unixMilliseconds: decidedAtUnixMs) }

    fileprivate var lines: [String] {
        var headline = Console.styled("ACCEPTED", .good) + "  assurance \(assurance.name) at \(time)"
        if simulated { headline += "  [simulated]" }
        var lines = [headline, "  \(note)"]
        lines.append("  found as  \(match.word)")
        let device = [platform, deviceState.word].filter { !$0.isEmpty }
        if !device.isEmpty { lines.append("  device    \(device.joined(separator: ", "))") }
        lines.append("  evidence  \(formats.joined(separator: ", "))")
        lines += confidence?.lines ?? []
        lines.append("  request   \(Hex.encode(requestID))")
        if !limitWords.isEmpty { lines.append("  limits    \(limitWords.joined(separator: ", "))") }
        return lines
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "decision": decision == .accepted ? "accepted" : "unknown", "assurance": assurance.name,
            "decided_at": time.description, "purpose": purposeWord, "formats": formats, "match": match.word,
            "simulated": simulated, "note": note, "note_code": noteCode, "limits": limitWords,
        ]
        object.add(hex: "request_id", requestID)
        if !platform.isEmpty { object["platform"] = platform }
        if !deviceState.word.isEmpty { object["device_state"] = deviceState.word }
        if let level = UInt8(exactly: confidenceLevel.rawValue).flatMap(ConfidenceLevel.init(rawValue:)) {
            object["confidence_level"] = level.name
        }
        if let confidence { object["evidence_model"] = confidence.json }
        return object
    }

    private var purposeWord: String { (try? Purpose(purpose))?.name ?? "unknown" }
    private var limitWords: [String] { limits.compactMap { VerdictLimit($0)?.rawValue } }

    /// `nil` for an app without a rule of confidence.
    private var confidence: ConfidenceText? {
        evidenceModelJson.isEmpty ? nil : ConfidenceText(json: Array(evidenceModelJson.utf8))
    }
}

extension Assay_V1_FoundVerdict.Match {
    fileprivate var word: String {
        switch self {
        case .payload: "payload"
        case .media: "media"
        case .image: "image"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

extension Assay_V1_FoundVerdict.DeviceState {
    fileprivate var word: String {
        switch self {
        case .registered: "registered"
        case .blocked: "blocked"
        case .replaced: "replaced"
        case .unspecified, .UNRECOGNIZED: ""
        }
    }
}
