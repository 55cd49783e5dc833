import AssayCore
import AssayEncoding

/// A status list token whose form and signature are good, and whose claims are not judged yet. Only reading makes one.
struct OpenedStatusList {
    let key: JSONWebKey
    /// `sub`.
    let uri: String
    let issuedAt: Int64
    /// `nil`: it does not say.
    let expiresAt: Int64?
    /// In seconds; `nil`: it does not say.
    let timeToLive: Int64?
    let bits: Int64
    /// The list as ZLIB.
    let compressed: [UInt8]

    init(_ token: [UInt8], by keys: JSONWebKeySet) throws(ResultFault) {
        guard token.count <= StatusListReader.sizeLimit else {
            throw ResultFault(.tooLarge, "token", "\(token.count) bytes, limit \(StatusListReader.sizeLimit)")
        }
        if token.first == SignedMessage.tag { try self.init(cwt: token, keys) } else { try self.init(jwt: token, keys) }
    }

    private init(jwt token: [UInt8], _ keys: JSONWebKeySet) throws(ResultFault) {
        let jws = try ResultFault.wrapping("token") { () throws(Rejection) in try CompactJWS(parsing: token[...]) }
        let header = ClaimFields(jws.header.fields.object, at: "header")
        guard try (header.optionalText("typ") ?? "").hasBytes(of: StatusListForm.type) else {
            throw ResultFault(.wrongType, "header.typ", "is not \(StatusListForm.type)")
        }
        for member in header.object.members where !["alg", "kid", "typ"].contains(where: { member.name == Array($0.utf8) }) {
            let name = String(decoding: member.name, as: UTF8.self)
            throw ResultFault(.unknownHeader, header.place(name), "is in no header of a status list")
        }
        key = try keys.namedKey(header)
        guard key.algorithms.contains(jws.header.algorithm) else {
            throw ResultFault(.wrongAlgorithm, "header.alg", "is none for a key of \(key.curve.name)")
        }
        guard key.isValid(jws.signature, over: Array(jws.signedPart)) else {
            throw ResultFault(.badSignature, "signature", "the key did not sign header and claims")
        }
        let value = try ResultFault.wrapping("claims") { () throws(Rejection) in
            try JSONReader.parse(jws.payload[...], code: .malformedToken)
        }
        guard case .object(let object) = value else { throw ResultFault(.malformed, "claims", "is not an object") }
        let claims = ClaimFields(object)
        (uri, issuedAt) = (try claims.text("sub"), try claims.integer("iat"))
        expiresAt = claims.has("exp") ? try claims.integer("exp") : nil
        timeToLive = claims.has("ttl") ? try claims.integer("ttl") : nil
        let list = try claims.section("status_list")
        bits = try list.integer("bits")
        guard let bytes = Base64.url.decode(try list.text("lst")) else {
            throw ResultFault(.malformed, "status_list.lst", "is not base64url")
        }
        compressed = bytes
    }

    private init(cwt token: [UInt8], _ keys: JSONWebKeySet) throws(ResultFault) {
        let message = try ResultFault.wrapping("token") { () throws(Rejection) in try SignedMessage(parsing: token[...]) }
        let header = message.protected
        guard try header.text(COSELabel.type, "header.typ").hasBytes(of: StatusListForm.cwt.mediaType) else {
            throw ResultFault(.wrongType, "header.typ", "is not \(StatusListForm.cwt.mediaType)")
        }
        let allowed = [COSELabel.algorithm, COSELabel.keyIdentifier, COSELabel.type]
        for label in header.labels where !allowed.contains(label) {
            throw ResultFault(.unknownHeader, "header.\(label)", "is in no header of a status list")
        }
        key = try keys.namedKey(header)
        guard let algorithm = header[COSELabel.algorithm]?.integer, key.algorithmIdentifiers.contains(algorithm) else {
            throw ResultFault(.wrongAlgorithm, "header.alg", "is none for a key of \(key.curve.name)")
        }
        guard key.isValid(message.signature, over: message.signedBytes) else {
            throw ResultFault(.badSignature, "signature", "the key did not sign header and claims")
        }
        let claims = try LabelledClaims(message.payload)
        (uri, issuedAt) = (
            try claims.text(StatusListClaims.Label.subject, "sub"), try claims.integer(StatusListClaims.Label.issuedAt, "iat")
        )
        expiresAt = try claims.optionalInteger(StatusListClaims.Label.expiry, "exp")
        timeToLive = try claims.optionalInteger(StatusListClaims.Label.timeToLive, "ttl")
        (bits, compressed) = try claims.statusList()
    }
}

/// The claims of a CWT by label.
private struct LabelledClaims {
    private var claims: [(label: Int64, value: CBORItem)] = []

    init(_ bytes: ArraySlice<UInt8>) throws(ResultFault) {
        claims = try ResultFault.wrapping("claims") { () throws(Rejection) in
            var found: [(label: Int64, value: CBORItem)] = []
            try CBORReader.parse(bytes, code: .malformedToken).pairs("the claims") { key, value throws(Rejection) in
                if let label = key.integer { found.append((label, value)) }
            }
            return found
        }
    }

    private func value(_ label: Int64, _ name: String) throws(ResultFault) -> CBORItem {
        guard let value = claims.first(where: { $0.label == label })?.value else {
            throw ResultFault(.wrongClaim, name, "is missing")
        }
        return value
    }

    func text(_ label: Int64, _ name: String) throws(ResultFault) -> String {
        let item = try value(label, name)
        return try ResultFault.wrapping(name) { () throws(Rejection) in try item.text("it") }
    }

    func integer(_ label: Int64, _ name: String) throws(ResultFault) -> Int64 {
        guard let number = try value(label, name).integer else { throw ResultFault(.malformed, name, "is not an integer") }
        return number
    }

    func optionalInteger(_ label: Int64, _ name: String) throws(ResultFault) -> Int64? {
        claims.contains { $0.label == label } ? try integer(label, name) : nil
    }

    func statusList() throws(ResultFault) -> (bits: Int64, compressed: [UInt8]) {
        let list = try value(StatusListClaims.Label.statusList, "status_list")
        var (bits, compressed): (Int64?, [UInt8]?) = (nil, nil)
        try ResultFault.wrapping("status_list") { () throws(Rejection) in
            try list.pairs("it") { key, value throws(Rejection) in
                guard key.kind == .textString else { return }
                if key.content.spells("bits") { bits = value.integer }
                if key.content.spells("lst") { compressed = Array(try value.bytes("lst")) }
            }
        }
        guard let bits else { throw ResultFault(.wrongClaim, "status_list.bits", "is missing, or is not an integer") }
        guard let compressed else { throw ResultFault(.wrongClaim, "status_list.lst", "is missing") }
        return (bits, compressed)
    }
}
