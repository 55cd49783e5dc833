import AssayCore
import AssayEncoding

/// A token whose form and signature are good, and whose claims are not judged yet. Only reading makes one.
struct OpenedResult {
    let key: JSONWebKey
    /// The key of the set that certified `key`, which is one in the issuer's memory; `nil`: `key` itself is in the set.
    let certifiedBy: JSONWebKey?
    let claims: JSONObject
    /// The content beside the claims: the verdict's protobuf.
    let content: [UInt8]?

    /// - Parameter expected: every other shape and content is refused, and a certificate that is not valid then.
    init(_ token: [UInt8], as expected: ResultExpectation, by keys: JSONWebKeySet) throws(ResultFault) {
        guard token.count <= ResultReader.sizeLimit else {
            throw ResultFault(.tooLarge, "token", "\(token.count) bytes, limit \(ResultReader.sizeLimit)")
        }
        let type = ResultProfiles.type(of: expected.shape, expected.content)
        if expected.shape.isBinary {
            try self.init(cose: token, expected, type, keys)
        } else {
            try self.init(jose: token, expected, type, keys)
        }
    }

    // MARK: JOSE

    private init(
        jose token: [UInt8], _ expected: ResultExpectation, _ type: String, _ keys: JSONWebKeySet
    ) throws(ResultFault) {
        let shape = expected.shape
        let jws = try ResultFault.wrapping("token") { () throws(Rejection) in try CompactJWS(parsing: token[...]) }
        let header = ClaimFields(jws.header.fields.object, at: "header")
        try Self.checkType(try header.optionalText("typ") ?? "", shape, type)
        let isCertified = shape.hasCertificates || header.has("x5c") && !header.has("kid")
        let allowed: [OpaqueText] = ["alg", "typ", isCertified ? "x5c" : "kid"]
        for member in header.object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard allowed.contains(OpaqueText(name)) else {
                throw ResultFault(.unknownHeader, header.place(name), "is in no header of \(shape.rawValue)")
            }
        }
        (key, certifiedBy) =
            try isCertified ? Self.certifiedKey(HeaderCertificates(header), expected, keys) : (keys.namedKey(header), nil)
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
        (claims, content) = (object, nil)
    }

    private static func checkType(_ stated: String, _ shape: ResultShape, _ type: String) throws(ResultFault) {
        if stated.hasBytes(of: type) { return }
        if shape == .keyAttestation, stated.hasBytes(of: ResultProfiles.otherTypeOfKeyAttestation) { return }
        throw ResultFault(.wrongType, "header.typ", "is not \(type)")
    }

    /// The key that the certificates of a header tell: one of the set, where the shape always has certificates, or one that a key of the set
    /// certified.
    private static func certifiedKey(
        _ certificates: HeaderCertificates, _ expected: ResultExpectation, _ keys: JSONWebKeySet
    ) throws(ResultFault) -> (JSONWebKey, certifiedBy: JSONWebKey?) {
        if expected.shape.hasCertificates, let key = try certificates.publishedKey(in: keys) { return (key, nil) }
        let (key, certifiedBy) = try certificates.certifiedKey(by: keys, expected)
        return (key, certifiedBy)
    }

    // MARK: COSE

    private init(
        cose token: [UInt8], _ expected: ResultExpectation, _ type: String, _ keys: JSONWebKeySet
    ) throws(ResultFault) {
        let shape = expected.shape
        let message = try ResultFault.wrapping("token") { () throws(Rejection) in try SignedMessage(parsing: token[...]) }
        let header = message.protected
        guard try header.text(COSELabel.type, "header.typ").hasBytes(of: type) else {
            throw ResultFault(.wrongType, "header.typ", "is not \(type)")
        }
        let isCertified = header[COSELabel.certificates] != nil && header[COSELabel.keyIdentifier] == nil
        var allowed = [
            COSELabel.algorithm, isCertified ? COSELabel.certificates : COSELabel.keyIdentifier, COSELabel.type,
        ]
        if shape == .plainCOSE { allowed += [COSELabel.contentType, COSELabel.claims] }
        for label in header.labels where !allowed.contains(label) {
            throw ResultFault(.unknownHeader, "header.\(label)", "is in no header of \(shape.rawValue)")
        }
        let (key, certifiedBy) =
            try isCertified ? Self.certifiedKey(HeaderCertificates(header), expected, keys) : (keys.namedKey(header), nil)
        guard let algorithm = header[COSELabel.algorithm]?.integer, key.algorithmIdentifiers.contains(algorithm) else {
            throw ResultFault(.wrongAlgorithm, "header.alg", "is none for a key of \(key.curve.name)")
        }
        guard key.isValid(message.signature, over: message.signedBytes) else {
            throw ResultFault(.badSignature, "signature", "the key did not sign header and content")
        }
        (self.key, self.certifiedBy) = (key, certifiedBy)
        guard shape == .plainCOSE else {
            (claims, content) = (try Self.claims(message.payload, nonce: "eat_nonce"), nil)
            return
        }
        let contentType = try header.text(COSELabel.contentType, "header.content_type")
        guard contentType.hasBytes(of: ResultProfiles.contentTypeOfVerdict) else {
            throw ResultFault(.wrongType, "header.content_type", "is not \(ResultProfiles.contentTypeOfVerdict)")
        }
        guard let map = header[COSELabel.claims] else { throw ResultFault(.wrongClaim, "header.claims", "is missing") }
        (claims, content) = (try Self.claims(map.encoded, nonce: "nonce"), Array(message.payload))
    }

    private static func claims(_ bytes: ArraySlice<UInt8>, nonce: String) throws(ResultFault) -> JSONObject {
        try ResultFault.wrapping("claims") { () throws(Rejection) in
            let map = try CBORReader.parse(bytes, code: .malformedToken, depth: SignedMessage.depthLimit)
            return try CWTClaims.read(map, nonce: nonce)
        }
    }
}

extension JSONWebKeySet {
    /// The key that the `kid` of a header names.
    func namedKey(_ header: ClaimFields) throws(ResultFault) -> JSONWebKey {
        guard header.has("kid") else { throw ResultFault(.wrongType, "header.kid", "is missing") }
        return try namedKey(header.text("kid"))
    }

    /// The same of a COSE message, whose `kid` is the thumbprint itself.
    func namedKey(_ header: ProtectedHeader) throws(ResultFault) -> JSONWebKey {
        try namedKey(Base64.url.encode(header.bytes(COSELabel.keyIdentifier, "header.kid")))
    }

    private func namedKey(_ identifier: String) throws(ResultFault) -> JSONWebKey {
        guard let key = key(identifier) else {
            throw ResultFault(.unknownKey, "header.kid", "names no key of the key set")
        }
        return key
    }
}

extension ResultFault {
    /// Runs a reader of bytes, whose rejections become faults at the place.
    static func wrapping<T>(_ place: String, _ body: () throws(Rejection) -> T) throws(ResultFault) -> T {
        do throws(Rejection) { return try body() } catch { throw ResultFault(.malformed, place, error.detail) }
    }
}
