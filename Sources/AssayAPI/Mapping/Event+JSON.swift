import AssayCore
import Foundation

/// Events as JSON objects: in webhooks, and as lines of `assay watch --json`. docs/operate/watch.md describes the members; they are never renamed.
extension Assay_V1_Event {
    package var json: [String: Any] {
        var object: [String: Any] = [
            "sequence": sequence, "time": Timestamp(unixMilliseconds: timeUnixMs).description, "kind": kind,
        ]
        object.add("app", app)
        object.add("device_id", DeviceID(bytes: Array(deviceID))?.description ?? "")
        object.add("caller", caller)
        switch content {
        case .verdict(let verdict): object.merge(verdict.json) { old, _ in old }
        case .change(let change): object.merge(change.json) { old, _ in old }
        case .device(let device): object.merge(device.json) { old, _ in old }
        case nil: break
        }
        return object
    }
}

extension Assay_V1_VerdictEvent {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["request_id": Hex.encode(requestID), "formats": formats, "simulated": simulated]
        object.add("code", code)
        object.add("check", check)
        object.add("purpose", (try? Purpose(purpose))?.name ?? "")
        if decision == .accepted { object["assurance"] = assurance.word }
        if wouldReject { object["would_reject"] = true }
        object.add("policy_digest", Hex.encode(policyDigest))
        return object
    }
}

extension Assay_V1_ChangeEvent {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["audit_number": auditNumber, "origin": origin]
        object.add("name", name)
        if count != 0 { object["count"] = count }
        return object
    }
}

extension Assay_V1_DeviceEvent {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["code": code, "check": check, "detail": detail]
        object.add("policy_digest", Hex.encode(policyDigest))
        object.add("feed", feed)
        object.add("feed_id", feedID)
        return object
    }
}

extension Assay_V1_Assurance {
    fileprivate var word: String { Assurance.allCases.first { $0.message == self }?.name ?? "unknown" }
}

extension [String: Any] {
    /// Leaves out what is empty.
    fileprivate mutating func add(_ name: String, _ text: String) { if !text.isEmpty { self[name] = text } }
}
