import AssayApps
import AssayCore
import Foundation

extension ReplayedFlip.Outcome {
    fileprivate var shown: String { decision == "accepted" ? "accepted (\(word))" : "\(decision): \(word)" }

    fileprivate var json: [String: Any] {
        guard decision != "accepted" else { return ["decision": decision, "assurance": word] }
        return ["decision": decision, "reason": word, "check": check, "detail": detail]
    }
}

extension ReplayedFlip {
    var lines: [String] {
        let head = "\(time)  \(Hex.encode(requestID))  \(app)" + (device.map { "  \($0)" } ?? "")
        let why = after.check.isEmpty ? before : after
        return [
            head,
            "    " + Console.styled("\(before.shown) → \(after.shown)", after.check.isEmpty ? .warning : .bad),
            "    check \(why.check): \(why.detail)",
        ]
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "request_id": Hex.encode(requestID), "at": time.description, "app": app.text, "change": change,
            "before": before.json, "after": after.json, "judged_by": byEvidence ? "evidence" : "claims",
        ]
        if let device { object["device"] = "\(device)" }
        return object
    }
}

extension ReplayTotals {
    func lines(of app: AppID) -> [String] {
        var lines = [
            "\(app): \(judged) judged (\(byEvidence) by evidence, \(byClaims) by claims), \(same) the same, \(flips) flipped"
        ]
        func list(_ title: String, _ counts: [String: UInt64]) {
            guard !counts.isEmpty else { return }
            lines.append("  \(title)")
            for (name, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                lines.append("    \(count)  \(name)")
            }
        }
        list("newly rejected, by reason", newlyRejected)
        list("newly accepted, by former reason", newlyAccepted)
        list("rejected for another reason", reasons)
        list("accepted with another assurance", assurances)
        list("not judged again", notJudged)
        return lines
    }

    func json(of app: AppID) -> [String: Any] {
        [
            "app": app.text, "judged": Int64(judged), "by_evidence": Int64(byEvidence), "by_claims": Int64(byClaims),
            "same": Int64(same), "flips": Int64(flips), "newly_rejected": newlyRejected.mapValues { Int64($0) },
            "newly_accepted": newlyAccepted.mapValues { Int64($0) }, "reason_changed": reasons.mapValues { Int64($0) },
            "assurance_changed": assurances.mapValues { Int64($0) }, "not_judged": notJudged.mapValues { Int64($0) },
        ]
    }
}
