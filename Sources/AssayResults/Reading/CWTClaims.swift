import AssayCore
import AssayEncoding

/// Claims in CBOR by the names and in the form that they have in JSON, so that one set of checks reads both. Byte strings become base64url, except
/// those that are hexadecimal in JSON.
struct CWTClaims {
    /// What a map is, which says what its keys mean.
    private enum Place {
        case claims
        case submodules
        case appraisal
        case vector
        case verifier
        case details
        case other
    }

    /// The name of claim 10 where the claims stand: `eat_nonce` in an EAR.
    private let nonce: String

    static func read(_ map: CBORItem, nonce: String) throws(Rejection) -> JSONObject {
        try CWTClaims(nonce: nonce).object(map, .claims)
    }

    private func object(_ map: CBORItem, _ place: Place) throws(Rejection) -> JSONObject {
        var members: [JSONObject.Member] = []
        try map.pairs("claims") { key, value throws(Rejection) in
            let name = try name(of: key, in: place)
            guard !members.contains(where: { $0.name == name }) else {
                throw Rejection(.malformedToken, "a claim is there by its number and by its name")
            }
            members.append(
                JSONObject.Member(name: name, value: try self.value(value, named: String(decoding: name, as: UTF8.self), place))
            )
        }
        return JSONObject(members)
    }

    private func name(of key: CBORItem, in place: Place) throws(Rejection) -> [UInt8] {
        if key.kind == .textString { return Array(try key.textBytes("a name")) }
        guard let label = key.integer else { throw Rejection(.malformedToken, "a label is neither a number nor a text") }
        return Array((named(label, in: place) ?? String(label)).utf8)
    }

    private func named(_ label: Int64, in place: Place) -> String? {
        switch place {
        case .claims, .appraisal: claim(label)
        case .vector: Int(exactly: label).flatMap(TrustVector.Entry.init(rawValue:)).map { "\($0.name)" }
        case .verifier: label == 0 ? "developer" : label == 1 ? "build" : nil
        case .submodules, .details, .other: nil
        }
    }

    private func claim(_ label: Int64) -> String? {
        switch label {
        case CWTLabel.issuer: "iss"
        case CWTLabel.audience: "aud"
        case CWTLabel.expiresAt: "exp"
        case CWTLabel.issuedAt: "iat"
        case CWTLabel.identifier: "jti"
        case CWTLabel.nonce: nonce
        case CWTLabel.profile: "eat_profile"
        case CWTLabel.submodules: "submods"
        case CWTLabel.status: "ear_status"
        case CWTLabel.trustVector: "ear_trustworthiness_vector"
        case CWTLabel.policies: "ear_appraisal_policy_ids"
        case CWTLabel.verifier: "ear_verifier_id"
        case CWTLabel.verifierClaims: "ear_verifier_claims"
        case CWTLabel.statusReference: "status"
        default: nil
        }
    }

    private func value(_ item: CBORItem, named name: String, _ place: Place) throws(Rejection) -> JSONValue {
        switch item.kind {
        case .unsigned, .negative: return try number(item, named: name)
        case .byteString: return .string(Array(text(of: item.content, named: name, place).utf8))
        case .textString: return .string(Array(item.content))
        case .array:
            var elements: [JSONValue] = []
            try item.elements("a list") { element throws(Rejection) in
                elements.append(try value(element, named: "", .other))
            }
            return .array(elements)
        case .map: return .object(try object(item, inner(name, place)))
        case .simple where item.encoded.count == 1 && item.argument == 20: return .boolean(false)
        case .simple where item.encoded.count == 1 && item.argument == 21: return .boolean(true)
        case .simple, .tag: throw Rejection(.malformedToken, "a value that no claim has")
        }
    }

    /// A tier has a name in JSON.
    private func number(_ item: CBORItem, named name: String) throws(Rejection) -> JSONValue {
        guard let number = item.integer else { throw Rejection(.malformedToken, "a number of more than 63 bits") }
        guard name.hasBytes(of: "ear_status") else { return .number(Array(String(number).utf8)[...]) }
        guard let tier = TrustVector.Tier(rawValue: number) else { throw Rejection(.malformedToken, "ear_status is no tier") }
        return .string(Array("\(tier.name)".utf8))
    }

    private func text(of bytes: ArraySlice<UInt8>, named name: String, _ place: Place) -> String {
        let isHexadecimal = place == .details && (name.hasBytes(of: "request_id") || name.hasBytes(of: "payload_sha256"))
        return isHexadecimal ? Hex.encode(bytes) : Base64.url.encode(bytes)
    }

    private func inner(_ name: String, _ place: Place) -> Place {
        switch place {
        case .claims where name.hasBytes(of: "submods"): .submodules
        case .claims where name.hasBytes(of: "ear_verifier_id"): .verifier
        case .claims where name.hasBytes(of: "assay"): .details
        case .submodules: .appraisal
        case .appraisal where name.hasBytes(of: "ear_trustworthiness_vector"): .vector
        case .appraisal where name.hasBytes(of: "ear_verifier_claims"): .details
        case .claims, .appraisal, .vector, .verifier, .details, .other: .other
        }
    }
}
