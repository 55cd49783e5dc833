package import AssayCertificates
package import AssayCore
import AssayEncoding

/// The statement of Apple's service about an attested key (Apple, "Assessing fraud risk"): the payload of a receipt.
///
///     SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }
///
/// Fields are in any order; the octets are the value itself. Unknown types are skipped, and no type may occur twice.
package struct Receipt: Sendable {
    /// Fields of one receipt. The longest list seen has 10.
    static let fieldLimit = 32
    /// Longest text field, in bytes.
    static let textLimit = 512

    /// The kind of receipt: field 6.
    package enum Kind: String, Hashable, Sendable {
        /// Part of an attestation.
        case attest = "ATTEST"
        /// From an exchange, with a risk metric.
        case receipt = "RECEIPT"
    }

    /// Field 2: `PREFIX.bundle.id`.
    package let appID: String
    /// Field 3: the attested key as an X9.62 point. The field holds its whole certificate, or its SubjectPublicKeyInfo.
    package let publicKey: ArraySlice<UInt8>
    /// Field 3 if it is a certificate, in DER: that of the attestation with which the receipt came.
    let certificate: ArraySlice<UInt8>?
    /// Field 4: the client data hash passed to `attestKey`. Not identical in every genuine RECEIPT: in some each byte that is
    /// not UTF-8 was replaced.
    package let clientHash: ArraySlice<UInt8>?
    /// Field 5: opaque; equal in an ATTEST and the RECEIPTs that follow it.
    package let token: ArraySlice<UInt8>?
    /// Field 6 as received; `kind` for the two known values.
    package let type: String
    /// Field 7: `sandbox` or `production`. Undocumented, so it may be absent.
    package let environment: String?
    /// Field 12.
    package let creationTime: Timestamp
    /// Field 17: about how many keys the app attested on this device in 30 days. Only in a RECEIPT.
    package let riskMetric: Int64?
    /// Field 19: before this time the exchange returns no newer receipt. Only in a RECEIPT.
    package let notBefore: Timestamp?
    /// Field 21.
    package let expirationTime: Timestamp

    package var kind: Kind? { Kind(bytesOf: type) }

    /// Throws `malformed_receipt`.
    ///
    /// - Parameter known: a certificate that was parsed before. It is not parsed again if the receipt repeats it.
    package init(payload: ArraySlice<UInt8>, attested known: Certificate? = nil) throws(Rejection) {
        let fields = try ReceiptFields(payload)
        appID = try fields.text(2)
        (publicKey, certificate) = try Self.key(try fields.required(3), known)
        clientHash = fields[4]
        token = fields[5]
        type = try fields.text(6)
        environment = fields[7] == nil ? nil : try fields.text(7)
        creationTime = try fields.time(12)
        expirationTime = try fields.time(21)
        let isReceipt = Kind(bytesOf: type) == .receipt
        riskMetric = isReceipt || fields[17] != nil ? try fields.number(17) : nil
        notBefore = isReceipt || fields[19] != nil ? try fields.time(19) : nil
    }

    private static func key(
        _ value: ArraySlice<UInt8>, _ known: Certificate?
    ) throws(Rejection) -> (publicKey: ArraySlice<UInt8>, certificate: ArraySlice<UInt8>?) {
        if let known, known.der.equals(value) { return (known.publicKey.keyBytes, known.der) }
        if let certificate = try? Certificate(der: value) { return (certificate.publicKey.keyBytes, certificate.der) }
        return (try SubjectPublicKeyInfo(der: value, code: .malformedReceipt).keyBytes, nil)
    }
}

extension Receipt {
    /// The receipt's fields as claims.
    var claims: Claims {
        var claims = Claims()
        claims.reserveCapacity(10)
        claims.add("app_id", .text(appID))
        claims.add("public_key_x963", .bytes(Array(publicKey)))
        claims.add("client_hash", clientHash.map { .bytes(Array($0)) })
        claims.add("token_length", token.map { .integer(Int64($0.count)) })
        claims.add("type", .text(type))
        claims.add("environment", environment.map { .text($0) })
        claims.add("creation_time", .time(creationTime))
        claims.add("risk_metric", riskMetric.map { .integer($0) })
        claims.add("not_before", notBefore.map { .time($0) })
        claims.add("expiration_time", .time(expirationTime))
        return claims
    }
}

/// The fields of a receipt by their numbers, not yet interpreted.
struct ReceiptFields {
    private struct Field {
        let type: Int
        let value: ArraySlice<UInt8>
    }

    /// Few, so that looking through them is faster than a dictionary.
    private let fields: [Field]
    private static let usualFields = 16

    init(_ payload: ArraySlice<UInt8>) throws(Rejection) {
        fields = try DERReader.parse(payload, code: .malformedReceipt) { outer throws(Rejection) in
            try outer.scope(.set) { list throws(Rejection) in
                var fields: [Field] = []
                fields.reserveCapacity(Self.usualFields)
                while !list.isAtEnd {
                    guard fields.count < Receipt.fieldLimit else {
                        throw list.rejection("more than \(Receipt.fieldLimit) fields")
                    }
                    let next = try list.sequence { field throws(Rejection) in
                        let type = try field.field("a field's type") { part throws(Rejection) in try part.smallInteger() }
                        // The version, 1 in every receipt seen; other values are undocumented.
                        _ = try field.field("field \(type) version") { part throws(Rejection) in try part.smallInteger() }
                        let value = try field.field("field \(type) value") { part throws(Rejection) in try part.octetString() }
                        return Field(type: type, value: value)
                    }
                    guard !fields.contains(where: { $0.type == next.type }) else {
                        throw list.rejection("field \(next.type) stands twice")
                    }
                    fields.append(next)
                }
                return fields
            }
        }
    }

    subscript(type: Int) -> ArraySlice<UInt8>? { fields.first { $0.type == type }?.value }

    func required(_ type: Int) throws(Rejection) -> ArraySlice<UInt8> {
        guard let value = self[type] else { throw Rejection(.malformedReceipt, "field \(type) is missing") }
        return value
    }

    func text(_ type: Int) throws(Rejection) -> String {
        let value = try required(type)
        guard value.count <= Receipt.textLimit, let text = String(validating: value, as: UTF8.self) else {
            throw Rejection(.malformedReceipt, "field \(type) is no text, or a long one")
        }
        return text
    }

    /// RFC 3339 in UTC.
    func time(_ type: Int) throws(Rejection) -> Timestamp {
        guard let time = Timestamp(rfc3339: try text(type)) else {
            throw Rejection(.malformedReceipt, "field \(type) is no time in UTC")
        }
        return time
    }

    /// Decimal digits, at most nine.
    func number(_ type: Int) throws(Rejection) -> Int64 {
        let digits = try required(type)
        guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Rejection(.malformedReceipt, "field \(type) is no number")
        }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
