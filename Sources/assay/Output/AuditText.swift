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
                + (record.wouldReject.isEmpty ? record.assurance.name : "[not enforced: \(record.wouldReject.printable)]")
                + (record.simulated ? "  [simulated]" : "")
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
        // A record of another version, which no accepted verdict has.
        if !record.wouldReject.isEmpty { object["would_reject"] = record.wouldReject }
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

/// The output form of a change in the audit log.
extension AuditChange {
    /// The end of a line: kind, app, caller, device or other target, and the rest.
    var line: String {
        var words = [kind.name.padded(to: 9), app?.text ?? "-", who, subject]
        switch kind {
        case .block:
            words.append(Self.counted(count, "registered device") + (flag ? ", was blocked before" : ""))
        case .unblock: words.append(Self.counted(count, "registered device"))
        case .forget where flag: words.append("its key stays blocked")
        case .forget: break
        case .forgetClaims: words.append("claims beside " + Self.counted(count, "record"))
        case .importDevices: words.append(Self.counted(count, "device") + ", digest \(Hex.encode(digest.prefix(8)))…")
        case .listLoad:
            words.append(
                "\(name.printable), \(count) entries, digest \(Hex.encode(digest.prefix(8)))…" + (flag ? ", by force" : ""))
        case .configurationLoad: words.append("digest \(Hex.encode(digest.prefix(8)))…, assayd \(name.printable)")
        case .issueCertificate: words.append("serial \(name.printable)" + (flag ? ", simulated" : ""))
        case .revokeCertificate: words.append("serial \(name.printable), \(revocationReason)")
        case .createKey, .revokeKey: words.append("key \(name.printable)")
        case .enrol, .removeEnrolment, .readmit:
            words.append(Self.counted(count, "permission") + ", digest \(Hex.encode(digest.prefix(8)))…")
        case .resendWebhook: words.append("\(name.printable), " + Self.counted(count, "dead letter"))
        case .publishResultKey:
            words.append("\(name.printable), key \(Base64.url.encode(digest))" + (flag ? ", signs at once" : ""))
        case .signWithResultKey: words.append("\(name.printable), key \(Base64.url.encode(digest)), from \(signsFrom)")
        case .setFlag:
            words.append(
                "\(name.printable), until \(Timestamp(unixMilliseconds: count))" + (flag ? ", was set before" : ""))
        case .clearFlag: words.append(name.printable)
        }
        if !reason.isEmpty { words.append("\"\(reason.printable)\"") }
        return words.joined(separator: "  ")
    }

    /// As the standard writes it, or its number.
    private var revocationReason: String {
        UInt8(exactly: count).flatMap(RevocationReason.init(rawValue:))?.name ?? "reason \(count)"
    }

    private var signsFrom: Timestamp { Timestamp(unixMilliseconds: count) }

    private var who: String {
        switch origin {
        case .caller(let name): name.printable
        case .start: "(start)"
        case .signal: "(signal)"
        case .schedule: "(schedule)"
        case .plugin(let name): "(plugin \(name.printable))"
        }
    }

    private var subject: String {
        if let device { return device.description }
        return switch target {
        case .subject(let hash): "subject:\(Hex.encode(hash))"
        case .key(let id): "key:\(Base64.url.encode(id))"
        case nil: "-"
        }
    }

    private static func counted(_ count: Int64, _ noun: String) -> String { "\(count) \(noun)" + (count == 1 ? "" : "s") }

    /// The record's fields as members of a JSON object: every field that is set, and `flag` and `count` for kinds that have
    /// them.
    var json: [String: Any] {
        var object: [String: Any] = ["change": kind.name, "origin": origin.name]
        if let caller = origin.caller { object["caller"] = caller }
        if case .plugin(let name) = origin { object["plugin"] = name }
        if let app { object["app"] = app.text }
        if let device { object["device_id"] = device.description }
        switch target {
        case .subject(let hash): object["subject_hash"] = Hex.encode(hash)
        case .key(let id): object["key_id"] = Base64.url.encode(id)
        case nil: break
        }
        if !digest.isEmpty { object["digest"] = Hex.encode(digest) }
        if !reason.isEmpty { object["reason"] = reason }
        switch kind {
        case .block: (object["devices"], object["was_blocked"]) = (count, flag)
        case .unblock: object["devices"] = count
        case .forget: object["key_stays_blocked"] = flag
        case .forgetClaims: object["records"] = count
        case .importDevices: object["devices"] = count
        case .listLoad: (object["feed"], object["entries"], object["forced"]) = (name, count, flag)
        case .configurationLoad: object["version"] = name
        case .issueCertificate: (object["serial"], object["simulated"]) = (name, flag)
        case .revokeCertificate: (object["serial"], object["revocation_reason"]) = (name, revocationReason)
        case .createKey, .revokeKey: object["key"] = name
        case .enrol, .removeEnrolment, .readmit: object["permissions"] = count
        case .resendWebhook: (object["webhook"], object["dead_letters"]) = (name, count)
        case .publishResultKey: (object["issuer"], object["signs"]) = (name, flag)
        case .signWithResultKey: (object["issuer"], object["signs_from_unix_ms"]) = (name, count)
        case .setFlag: (object["flag"], object["until_unix_ms"], object["was_flagged"]) = (name, count, flag)
        case .clearFlag: object["flag"] = name
        }
        return object
    }
}

extension ChangeOrigin {
    fileprivate var name: String {
        switch self {
        case .caller: "caller"
        case .start: "start"
        case .signal: "signal"
        case .schedule: "schedule"
        case .plugin: "plugin"
        }
    }
}
