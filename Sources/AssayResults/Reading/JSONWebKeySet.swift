import AssayCertificates
import AssayCore

/// The keys by which the results of one issuer are checked: a JWK Set (RFC 7517 §5).
package struct JSONWebKeySet: Sendable {
    /// The longest set that is read, in bytes, and the most keys.
    package static let sizeLimit = 65_536
    package static let keyLimit = 64

    private struct Entry {
        let identifier: OpaqueText
        let key: JSONWebKey
        /// Of a key that may certify others.
        let certificate: Certificate?
    }

    private let keys: [Entry]

    /// Reads a set. Keys of kinds that are not known here are passed over (§5), and so are those that are not for signatures; the others have a
    /// `kid` each of its own, and no secret member. A key may certify others if the first certificate of its `x5c` makes a CA of it.
    package init(parsing text: [UInt8]) throws(ResultFault) {
        guard text.count <= Self.sizeLimit else { throw ResultFault(.tooLarge, "keys", "more than \(Self.sizeLimit) bytes") }
        let value: JSONValue
        do throws(Rejection) {
            value = try JSONReader.parse(text[...], code: .malformedToken)
        } catch {
            throw ResultFault(.malformed, "keys", error.detail)
        }
        guard case .object(let object) = value, case .array(let elements)? = object["keys".utf8] else {
            throw ResultFault(.malformed, "keys", "is not a list")
        }
        guard elements.count <= Self.keyLimit else {
            throw ResultFault(.tooLarge, "keys", "\(elements.count) keys, limit \(Self.keyLimit)")
        }
        var keys: [Entry] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let object) = element else {
                throw ResultFault(.malformed, "keys[\(index)]", "is not an object")
            }
            guard let key = try Self.key(ClaimFields(object, at: "keys[\(index)]")) else { continue }
            guard !keys.contains(where: { $0.identifier == key.identifier }) else {
                throw ResultFault(.malformed, "keys[\(index)].kid", "is that of another key too")
            }
            keys.append(key)
        }
        self.keys = keys
    }

    private static func key(_ fields: ClaimFields) throws(ResultFault) -> Entry? {
        guard let key = try JSONWebKey(fields) else { return nil }
        if let use = try fields.optionalText("use"), OpaqueText(use) != "sig" { return nil }
        if let algorithm = try fields.optionalText("alg"), !key.algorithms.contains(OpaqueText(algorithm)) {
            throw ResultFault(.wrongAlgorithm, fields.place("alg"), "is not that of such a key")
        }
        let identifier = OpaqueText(try fields.filledText("kid"))
        return Entry(identifier: identifier, key: key, certificate: authority(fields.object, key))
    }

    /// The certificate by which a key certifies others; `nil` where there is none, also where it cannot be read: the key itself is good all the same.
    private static func authority(_ object: JSONObject, _ key: JSONWebKey) -> Certificate? {
        guard case .array(let chain)? = object["x5c".utf8], case .string(let text)? = chain.first,
            let der = Base64.standard.decode(utf8: text), let certificate = try? Certificate(der: der[...]),
            certificate.publicKey.der.elementsEqual(key.subjectPublicKeyInfo), certificate.unknownCriticalExtension == nil,
            (try? certificate.basicConstraints())?.isCA == true,
            (try? certificate.keyUsage())?.contains(.keyCertSign) == true
        else { return nil }
        return certificate
    }

    /// The key with this `kid`.
    func key(_ identifier: String) -> JSONWebKey? { keys.first { $0.identifier == OpaqueText(identifier) }?.key }

    /// Whether the key is in the set, whatever its `kid`.
    func contains(_ key: JSONWebKey) -> Bool { keys.contains { $0.key == key } }

    /// The keys that may certify others, each with the certificate that says so.
    var authorities: [(key: JSONWebKey, certificate: Certificate)] {
        keys.compactMap { entry in entry.certificate.map { (entry.key, $0) } }
    }
}
