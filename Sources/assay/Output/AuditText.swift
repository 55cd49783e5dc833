import AssayCore
import Foundation

/// The output form of an audit record: a line for people, or a JSON object on a line.
extension AuditRow {
    var line: String {
        let what: String
        switch AuditEntry(decoding: record) {
        case .verdict(let record):
            what =
                "\(record.purpose.name.padded(to: 9))  \(record.app)  \(record.caller)  \(record.device?.description ?? "-")  "
                + record.assurance.name + (record.simulated ? "  [simulated]" : "")
        case .change(let change): what = change.line
        case nil: what = Console.styled("a record that cannot be read", .bad)
        }
        return "\(time)  #\(number)  " + what
    }

    /// The chained members (`number`, `time_unix_ms`, `record`, `head`), and the record's fields. Members are never added to
    /// those of a verdict, since exports are compared with them.
    var json: [String: Any] {
        var object: [String: Any] = [
            "number": number, "time_unix_ms": time.unixMilliseconds, "time": time.description,
            "record": Base64.url.encode(record), "head": Hex.encode(head),
        ]
        let record: AuditRecord
        switch AuditEntry(decoding: self.record) {
        case .verdict(let verdict): record = verdict
        case .change(let change): return object.merging(change.json) { $1 }
        case nil: return object
        }
        object["request_id"] = Hex.encode(record.requestID)
        object["caller"] = record.caller
        object["app"] = record.app.text
        object["purpose"] = record.purpose.name
        object["device_id"] = record.device?.description ?? ""
        object["assurance"] = record.assurance.name
        object["evidence_digest"] = Hex.encode(record.evidenceDigest)
        object["policy_digest"] = Hex.encode(record.policyDigest)
        object["simulated"] = record.simulated
        object["claims_digest"] = Hex.encode(record.claimsDigest)
        return object
    }

    /// The chained members of an object; `nil` if it is not an audit record.
    init?(json object: [String: Any]) {
        guard let number = (object["number"] as? NSNumber)?.int64Value,
            let time = (object["time_unix_ms"] as? NSNumber)?.int64Value,
            let record = (object["record"] as? String).flatMap({ Base64.url.decode($0) }),
            let head = (object["head"] as? String).flatMap({ Hex.decode($0) })
        else { return nil }
        self.init(number: number, time: Timestamp(unixMilliseconds: time), record: record, head: head)
    }
}
