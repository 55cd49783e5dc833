import AssayAPI
import AssayCore
import AssayResults
import Foundation
import SwiftProtobuf

/// The output form of a result that verifies, for people and for tools.
struct VerifiedResultText {
    /// What the status list says that the result names.
    enum Status {
        /// The result names no list.
        case none
        case some(StatusValue)
    }

    let result: VerifiedResult
    /// `nil`: it was not looked up.
    var status: Status?

    /// Whether nothing that was looked up says that the result holds no more.
    var holds: Bool {
        if case .some(let value)? = status { value == .valid } else { true }
    }

    private var statusWord: String? {
        switch status {
        case nil: nil
        case .none?: "none: the result names no list"
        case .some(let value)?: value.description
        }
    }

    private var kid: String { Base64.url.encode(result.keyIdentifier) }
    /// Of the published key that certified the one that signed; `nil`: that one is published.
    private var certifyingKid: String? { result.certifiedBy.map { Base64.url.encode($0) } }

    /// The verdict that a COSE message holds; `nil` in every other shape.
    private var verdict: Assay_V1_Verdict? {
        guard result.holds == .verdict else { return nil }
        return result.content.flatMap { try? Assay_V1_Verdict(serializedBytes: $0) }
    }

    /// The answer to a look-up that a COSE message holds; `nil` in every other shape.
    private var lookup: LookupText? {
        guard result.holds == .lookup else { return nil }
        return result.content.flatMap { try? Assay_V1_FindVerdictsResponse(serializedBytes: $0) }.map { LookupText(answer: $0) }
    }

    var lines: [String] {
        let head = holds ? Console.styled("VERIFIED", .good) : Console.styled("HOLDS NO MORE", .bad)
        var lines = [
            head + "  \(result.shape.rawValue)" + (result.holds == .lookup ? "  [look-up]" : "")
                + (result.isSimulated ? "  [simulated]" : "")
        ]
        if let statusWord { lines.append("  status    \(statusWord)") }
        lines.append("  key       \(kid)" + (certifyingKid.map { ", certified by \($0)" } ?? ""))
        lines.append("  life      \(result.issuedAt) to \(result.expiresAt)")
        let claims = Self.flattened(.object(result.claims), "")
        let width = claims.map(\.name.count).max() ?? 0
        for claim in claims {
            let meaning = ResultClaim.meaning(of: claim.name).map { "   (\($0))" } ?? ""
            lines.append("  claim     \(claim.name.padded(to: width)) = \(claim.value)\(meaning)")
        }
        if let verdict { lines += ["  verdict"] + VerdictText(verdict: verdict).lines.map { "  " + $0 } }
        if let lookup { lines += ["  look-up"] + lookup.lines.map { "  " + $0 } }
        return lines
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "verified": true, "shape": result.shape.rawValue, "kid": kid, "simulated": result.isSimulated,
            "issued_at": result.issuedAt.description, "expires_at": result.expiresAt.description,
            "claims": (try? JSONSerialization.jsonObject(with: Data(JSONValue.object(result.claims).text))) ?? [String: Any](),
        ]
        object["certified_by"] = certifyingKid
        if let statusWord { (object["status"], object["holds"]) = (statusWord, holds) }
        if let verdict { object["verdict"] = VerdictText(verdict: verdict).json }
        if let lookup { object["lookup"] = lookup.json }
        return object
    }

    /// Each value with the names of what it is in, in the order of the token. A verdict or a look-up in JSON stays whole: it is the caller's answer.
    private static func flattened(_ value: JSONValue, _ place: String) -> [(name: String, value: String)] {
        guard case .object(let object) = value, place != "verdict", place != "lookup" else {
            return [(place, String(decoding: value.text, as: UTF8.self))]
        }
        return object.members.flatMap { member in
            let name = String(decoding: member.name, as: UTF8.self)
            return flattened(member.value, place.isEmpty ? name : "\(place).\(name)")
        }
    }
}

/// What the claims of results say, in a few words.
enum ResultClaim {
    /// `nil` for a claim that says itself what it is.
    static func meaning(of place: String) -> String? {
        let name = place.split(separator: ".").last.map(String.init) ?? place
        return byPlace[place] ?? byName[name]
    }

    private static let byPlace = [
        "iss": "who signed it", "aud": "whom it is for", "iat": "when the verdict was given", "exp": "when it ends",
        "jti": "names this token", "cti": "names this token", "nonce": "what the audience gave the caller",
        "eat_nonce": "what the audience gave the caller", "eat_profile": "the text that it follows",
        "cnf.jkt": "the thumbprint of the device's key", "cnf.jwk": "the device's key",
        "verdict": "as the caller got it", "lookup": "as the caller got it",
        "submods.device.eat_nonce": "the challenge that the device answered",
    ]

    private static let byName = [
        "ear_status": "the worst of the entries below", "ear_trustworthiness_vector": "AR4SI",
        "ear_appraisal_policy_ids": "the app's policy by its digest", "idx": "the place in the status list",
        "uri": "where the status list is", "limits": "what the verdict does not say",
        "device": "the device, as the app names it to this audience", "payload_sha256": "what the device signed",
        "request_id": "the verdict in the daemon's records",
    ]
}
