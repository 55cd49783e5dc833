/// The members of an answer as the suite compares them: each is there, and enumerations are without their prefix.
enum DriverOutcome {
    static func of(_ method: String, _ answer: [String: Any]) -> [String: Any] {
        switch method {
        case "issueChallenge":
            ["challenge": text(answer, "challenge"), "expiresAtUnixMs": digits(answer, "expiresAtUnixMs")]
        case "verify": verdict(answer)
        case "provisionDevice": provisioned(answer)
        case "getDevice": device(answer)
        case "listDevices":
            ["devices": objects(answer, "devices").map(device), "nextPageToken": text(answer, "nextPageToken")]
        case "block":
            [
                "devices": number(answer, "devices"), "wasBlocked": flag(answer, "wasBlocked"),
                "revokedCertificates": number(answer, "revokedCertificates"),
            ]
        case "unblock":
            [
                "devices": number(answer, "devices"), "wasBlocked": flag(answer, "wasBlocked"),
                "stillBlocked": number(answer, "stillBlocked"),
            ]
        case "findVerdicts": found(answer)
        case "whoAmI":
            [
                "name": text(answer, "name"), "recognisedBy": text(answer, "recognisedBy"), "roles": list(answer, "roles"),
                "allApps": flag(answer, "allApps"), "apps": list(answer, "apps"),
            ]
        default: answer
        }
    }

    private static func verdict(_ answer: [String: Any]) -> [String: Any] {
        let wouldReject = answer["wouldReject"] as? [String: Any] ?? [:]
        let claims = objects(answer, "claims").map { claim in (text(claim, "name"), value(of: claim)) }
        let findings = objects(answer, "findings").map { finding in
            [
                "check": text(finding, "check"), "outcome": name(finding, "outcome", "OUTCOME_"),
                "code": text(finding, "code"),
            ]
        }
        return [
            "accepted": name(answer, "decision", "DECISION_") == "ACCEPTED",
            "decision": name(answer, "decision", "DECISION_"),
            "assurance": name(answer, "assurance", "ASSURANCE_"), "reason": text(answer, "reason"),
            "detail": text(answer, "detail"), "check": text(answer, "check"),
            "retry": name(answer, "retry", "RETRY_CLASS_"), "findings": findings,
            "claims": Dictionary(claims, uniquingKeysWith: { first, _ in first }), "deviceId": text(answer, "deviceId"),
            "requestId": text(answer, "requestId"), "simulated": flag(answer, "simulated"),
            "repeated": flag(answer, "repeated"), "decidedAtUnixMs": digits(answer, "decidedAtUnixMs"),
            "wouldReject": text(wouldReject, "reason"),
        ]
    }

    private static func value(of claim: [String: Any]) -> Any {
        if let texts = claim["texts"] as? [String: Any] { return list(texts, "values") }
        return claim.first { $0.key != "name" }?.value ?? ""
    }

    private static func provisioned(_ answer: [String: Any]) -> [String: Any] {
        let rejection = answer["rejection"] as? [String: Any]
        return [
            "provisioned": rejection == nil && !text(answer, "deviceCertificate").isEmpty,
            "deviceCertificate": text(answer, "deviceCertificate"), "certificateChain": list(answer, "certificateChain"),
            "keyTables": objects(answer, "keyTables").map { list($0, "keys").count },
            "keyTableIndices": list(answer, "keyTableIndices"), "deviceSecret": text(answer, "deviceSecret"),
            "devicePrivateKey": text(answer, "devicePrivateKey"), "deviceId": text(answer, "deviceId"),
            "repeated": flag(answer, "repeated"), "reason": text(rejection ?? [:], "reason"),
            "retry": name(rejection ?? [:], "retry", "RETRY_CLASS_"),
        ]
    }

    private static func device(_ answer: [String: Any]) -> [String: Any] {
        [
            "deviceId": text(answer, "deviceId"), "app": text(answer, "app"), "format": text(answer, "format"),
            "keyId": text(answer, "keyId"), "state": name(answer, "state", "STATE_"), "counter": number(answer, "counter"),
            "registeredAtUnixMs": digits(answer, "registeredAtUnixMs"), "simulated": flag(answer, "simulated"),
            "blockReason": text(answer, "blockReason"),
        ]
    }

    private static func found(_ answer: [String: Any]) -> [String: Any] {
        let verdicts = objects(answer, "verdicts").map { each in
            [
                "requestId": text(each, "requestId"), "decision": name(each, "decision", "DECISION_"),
                "decidedAtUnixMs": digits(each, "decidedAtUnixMs"), "match": name(each, "match", "MATCH_"),
                "deviceState": name(each, "deviceState", "DEVICE_STATE_"), "simulated": flag(each, "simulated"),
            ] as [String: Any]
        }
        return [
            "found": flag(answer, "found"), "verdicts": verdicts, "truncated": flag(answer, "truncated"),
            "noteCode": text(answer, "noteCode"),
        ]
    }

    // MARK: Members

    private static func text(_ object: [String: Any], _ name: String) -> String { object[name] as? String ?? "" }
    private static func digits(_ object: [String: Any], _ name: String) -> String { object[name] as? String ?? "0" }
    private static func number(_ object: [String: Any], _ name: String) -> Int { object[name] as? Int ?? 0 }
    private static func flag(_ object: [String: Any], _ name: String) -> Bool { object[name] as? Bool ?? false }
    private static func list(_ object: [String: Any], _ name: String) -> [Any] { object[name] as? [Any] ?? [] }
    private static func objects(_ object: [String: Any], _ name: String) -> [[String: Any]] {
        object[name] as? [[String: Any]] ?? []
    }

    private static func name(_ object: [String: Any], _ name: String, _ prefix: String) -> String {
        let value = text(object, name)
        let short = value.hasPrefix(prefix) ? String(value.dropFirst(prefix.count)) : value
        return short == "UNSPECIFIED" ? "" : short
    }
}
