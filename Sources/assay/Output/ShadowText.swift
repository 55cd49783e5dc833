import AssayAPI
import AssayCore
import Foundation

extension Assay_V1_ShadowReport {
    /// The counts in the order of the message, each with its words and its key.
    private var counts: [(words: String, key: String, count: UInt64)] {
        [
            ("the same", "same", changes.same), ("newly rejected", "newly_rejected", changes.newlyRejected),
            ("newly accepted", "newly_accepted", changes.newlyAccepted),
            ("rejected for another reason", "reason_changed", changes.reasonChanged),
            ("accepted with another assurance", "assurance_changed", changes.assuranceChanged),
            ("not judged", "not_judged", changes.notJudged), ("dropped, because too many waited", "dropped", dropped),
        ]
    }

    var lines: [String] {
        let begun = Timestamp(unixMilliseconds: begunAtUnixMs)
        return [
            "\(app): policy \(Hex.encode(policyDigest.prefix(4))), shadow \(Hex.encode(shadowDigest.prefix(4))), since \(begun)"
        ] + counts.filter { $0.count > 0 || $0.key == "same" }.map { "  \($0.count)  \($0.words)" }
            + differences.flatMap(\.lines)
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "app": app, "since": Timestamp(unixMilliseconds: begunAtUnixMs).description,
            "differences": differences.map(\.json),
        ]
        for (_, key, count) in counts { object[key] = Int64(clamping: count) }
        object.add(hex: "policy_digest", policyDigest)
        object.add(hex: "shadow_digest", shadowDigest)
        return object
    }
}

extension Assay_V1_VerdictDifference {
    private var device: DeviceID? { DeviceID(bytes: Array(deviceID)) }

    fileprivate var lines: [String] {
        let head = "\(Timestamp(unixMilliseconds: atUnixMs))  \(Hex.encode(requestID))" + (device.map { "  \($0)" } ?? "")
        let sentence = after.detail.isEmpty ? before.sentence : after.sentence
        return [
            head,
            "    " + Console.styled("\(before.word) → \(after.word)", change == "newly_rejected" ? .bad : .warning),
        ] + (sentence.isEmpty ? [] : ["    \(sentence)"])
    }

    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "at": Timestamp(unixMilliseconds: atUnixMs).description, "change": change, "before": before.json,
            "after": after.json,
        ]
        object.add(hex: "request_id", requestID)
        if let device { object["device"] = "\(device)" }
        return object
    }
}

extension Assay_V1_PolicyOutcome {
    fileprivate var word: String {
        switch decision {
        case "accepted": "accepted (\(assurance))"
        case "rejected": "rejected: \(reason)"
        default: "\(decision) (check \(check))"
        }
    }

    fileprivate var sentence: String { detail.isEmpty ? "" : "check \(check): \(detail)" }

    fileprivate var json: [String: Any] {
        let members = [
            "decision": decision, "assurance": assurance, "reason": reason, "check": check, "detail": detail,
        ]
        return members.filter { !$0.value.isEmpty }
    }
}
