import AssayCertificates
package import AssayCore
import AssayEncoding

/// A certification request (PKCS#10, RFC 2986) whose signature proves possession of the private key. Nothing but its key is used: names,
/// attributes and extensions that it asks for are ignored. So departures from the RFC there, which embedded devices make and other CAs read, are
/// named and not refused.
package struct CertificateRequest: Sendable {
    /// The longest request that is read, in bytes.
    package static let sizeLimit = 16 * 1024

    package let key: RequestedKey

    /// Reads exactly one request in DER. Throws `malformed_csr`, `unsupported_key` or `possession_not_proven`.
    package init(der: [UInt8]) throws(Rejection) {
        guard der.count <= Self.sizeLimit else {
            throw Rejection(.malformedCSR, "a request of \(der.count) bytes, at most \(Self.sizeLimit) are read")
        }
        guard der.first != UInt8(ascii: "-") else {
            throw Rejection(.malformedCSR, "PEM text where the request's DER is due")
        }
        let request = try SignedRequest(der)
        let key = try CertifiableKey(request.publicKey, code: .malformedCSR)
        try request.checkSignature(by: key)
        self.key = key.requested(request.quirks)
    }
}

/// A key that may stand in a certificate: an uncompressed point on P-256 or P-384.
struct CertifiableKey {
    /// SubjectPublicKeyInfo.
    private let der: ArraySlice<UInt8>
    private let curve: RequestedKey.Curve
    let key: AssayCertificates.PublicKey

    /// - Parameter code: for bytes that are no SubjectPublicKeyInfo. Other keys throw `unsupported_key`.
    init(_ der: ArraySlice<UInt8>, code: ReasonCode) throws(Rejection) {
        let info = try SubjectPublicKeyInfo(der: der, code: code)
        switch info.algorithm {
        case .p256: curve = .p256
        case .p384: curve = .p384
        case .unsupported(let curveOrAlgorithm): throw Self.unsupported("of the curve or algorithm \(curveOrAlgorithm)")
        case .rsa: throw Self.unsupported("an RSA key")
        default: throw Self.unsupported("of kind \(info.algorithm)")
        }
        (self.der, key) = (info.der, try AssayCertificates.PublicKey(info))
    }

    private static func unsupported(_ kind: String) -> Rejection {
        Rejection(.unsupportedKey, "the public key is \(kind); expected P-256, or P-384 where the device is not of a fleet")
    }

    /// Octets of each half of a signature by the key.
    var width: Int {
        switch curve {
        case .p256: 32
        case .p384: 48
        }
    }

    func requested(_ quirks: [RequestedKey.Quirk] = []) -> RequestedKey {
        RequestedKey(publicKey: Array(der), curve: curve, quirks: quirks)
    }
}

/// A request as it was read (RFC 2986 §4): in strict DER, but for what nothing rests on.
private struct SignedRequest {
    /// The CertificationRequestInfo as it came.
    let signed: ArraySlice<UInt8>
    /// SubjectPublicKeyInfo.
    let publicKey: ArraySlice<UInt8>
    let algorithm: AlgorithmIdentifier
    let signature: ArraySlice<UInt8>
    private(set) var quirks: [RequestedKey.Quirk] = []

    init(_ der: [UInt8]) throws(Rejection) {
        var quirks: [RequestedKey.Quirk] = []
        (signed, publicKey, algorithm, signature) = try DERReader.parse(der[...], code: .malformedCSR) {
            outer throws(Rejection) in
            try outer.sequence { request throws(Rejection) in
                let info = try Self.field("the request's content") { () throws(Rejection) in try request.element(.sequence) }
                var fields = DERReader(info.content, code: .malformedCSR)
                let key = try Self.publicKey(&fields)
                try Self.checkAttributes(&fields, &quirks)
                try fields.finish("the request's attributes")
                let algorithm = try Self.field("the signature's algorithm") { () throws(Rejection) in
                    try AlgorithmIdentifier(from: &request)
                }
                let signature = try Self.field("the signature") { () throws(Rejection) in try request.bitString() }
                return (info.encoded, key, algorithm, signature)
            }
        }
        var used: CertificateLeniencies = []
        kind = SignatureAlgorithm(algorithm, leniencies: .ecdsaWithNull, used: &used)
        if used.contains(.ecdsaWithNull) { quirks.append(.ecdsaWithNull) }
        self.quirks = quirks
    }

    private let kind: SignatureAlgorithm

    private static func publicKey(_ fields: inout DERReader) throws(Rejection) -> ArraySlice<UInt8> {
        let version = try field("the version") { () throws(Rejection) in try fields.smallInteger() }
        guard version == 0 else {
            throw Rejection(.malformedCSR, "the version field has the value \(version), want 0, which stands for version 1")
        }
        _ = try field("the subject") { () throws(Rejection) in try fields.element(.sequence) }
        return try field("the public key") { () throws(Rejection) in try fields.element(.sequence).encoded }
    }

    /// Attributes of the form `SEQUENCE { type, SET OF value }`. What they ask for, and their order, nothing rests on; embedded devices leave the
    /// field out, and clients of SCEP do not sort it.
    private static func checkAttributes(
        _ fields: inout DERReader, _ quirks: inout [RequestedKey.Quirk]
    ) throws(Rejection) {
        guard !fields.isAtEnd else { return quirks.append(.withoutAttributes) }
        let content = try field("the attributes") { () throws(Rejection) in try fields.content(.context(0)) }
        var attributes = DERReader(content, code: .malformedCSR)
        var before: ArraySlice<UInt8> = []
        var isSorted = true
        while !attributes.isAtEnd {
            let attribute = try field("an attribute") { () throws(Rejection) -> DERElement in
                let attribute = try attributes.element(.sequence)
                var parts = DERReader(attribute.content, code: .malformedCSR)
                _ = try parts.objectIdentifier()
                _ = try parts.element(.set)
                try parts.finish("an attribute")
                return attribute
            }
            if attribute.encoded.lexicographicallyPrecedes(before) { isSorted = false }
            before = attribute.encoded
        }
        if !isSorted { quirks.append(.attributesNotSorted) }
    }

    /// Throws `possession_not_proven`.
    func checkSignature(by key: CertifiableKey) throws(Rejection) {
        do throws(Rejection) {
            try key.key.verify(signature, by: kind, over: signed)
        } catch {
            if error.code.builtIn == .unsupportedAlgorithm {
                throw Rejection(
                    .possessionNotProven,
                    "the request's signature algorithm \(algorithm.algorithm) is not supported, or has parameters")
            }
            guard isECDSASignature else {
                let raw =
                    signature.count == 2 * key.width
                    ? ": \(signature.count) bytes, as r and s without DER have" : ""
                throw Rejection(.possessionNotProven, "the request's signature is not an ECDSA signature in DER\(raw)")
            }
            throw Rejection(.possessionNotProven, "the request is not signed by the key in it")
        }
    }

    private var isECDSASignature: Bool {
        let numbers = try? DERReader.parse(signature, code: .malformedCSR) { outer throws(Rejection) in
            try outer.sequence { parts throws(Rejection) in (try parts.integer(), try parts.integer()) }
        }
        return numbers != nil
    }

    /// Names the field that cannot be read.
    private static func field<T>(_ name: String, _ read: () throws(Rejection) -> T) throws(Rejection) -> T {
        do throws(Rejection) { return try read() } catch {
            throw Rejection(error.code, "\(name): \(error.detail)", offset: error.offset)
        }
    }
}
