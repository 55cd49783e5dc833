import AssayCore
import AssayEncoding
import Crypto
import Foundation

/// A compact JWS read by Foundation alone: another reader of RFC 7515 than the ones that are tested.
struct ForeignJWS {
    let header: [String: Any]
    let claims: [String: Any]
    let signingInput: [UInt8]
    let signature: [UInt8]

    init(_ token: [UInt8]) throws {
        let parts = String(decoding: token, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Missing(what: "three parts") }
        header = try Self.object(try Self.decoded(parts[0]))
        claims = try Self.object(try Self.decoded(parts[1]))
        signature = Array(try Self.decoded(parts[2]))
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
    }

    static func decoded(_ part: Substring) throws -> Data {
        let standard = part.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return try found(Data(base64Encoded: standard + padding), "base64url")
    }

    private static func object(_ data: Data) throws -> [String: Any] {
        try found(try JSONSerialization.jsonObject(with: data) as? [String: Any], "an object")
    }

    /// Whether the key of P-256 signed it.
    func isSigned(by publicKey: [UInt8]) throws -> Bool {
        let key = try P256.Signing.PublicKey(derRepresentation: publicKey)
        return key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signingInput)
    }
}

/// JSON in one spelling, so that objects can be compared.
func canonical(_ object: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
}

/// A data item in diagnostic notation (RFC 8949 §8), with members in the order in which they are written.
func diagnostic(_ item: CBORItem) throws -> String {
    switch item.kind {
    case .unsigned, .negative: return String(try found(item.integer, "an integer"))
    case .byteString: return "h'\(Hex.encode(item.content))'"
    case .textString: return "\"\(String(decoding: item.content, as: UTF8.self))\""
    case .array:
        var elements: [CBORItem] = []
        try item.elements("an array") { element throws(Rejection) in elements.append(element) }
        return "[" + (try elements.map(diagnostic)).joined(separator: ", ") + "]"
    case .map:
        var members: [(CBORItem, CBORItem)] = []
        try item.pairs("a map") { key, value throws(Rejection) in members.append((key, value)) }
        return "{" + (try members.map { try diagnostic($0.0) + ": " + diagnostic($0.1) }).joined(separator: ", ") + "}"
    case .simple: return item.argument == 21 ? "true" : item.argument == 20 ? "false" : "simple(\(item.argument))"
    case .tag: return "tag(\(item.argument))"
    }
}

/// A COSE_Sign1 under tag 18, read by ``CBORReader`` alone.
struct ForeignMessage {
    let protected: CBORItem
    let payload: ArraySlice<UInt8>
    let signature: [UInt8]
    let signingInput: [UInt8]

    init(_ message: [UInt8]) throws {
        guard message.first == 0xD2 else { throw Missing(what: "tag 18") }
        let item = try CBORReader.parse(message[1...], code: .malformedToken, depth: 9)
        var elements: [CBORItem] = []
        try item.elements("a message") { element throws(Rejection) in elements.append(element) }
        guard elements.count == 4, elements[1].encoded.elementsEqual([0xA0]) else { throw Missing(what: "four elements") }
        protected = try CBORReader.parse(elements[0].content, code: .malformedToken, depth: 9)
        (payload, signature) = (elements[2].content, Array(elements[3].content))
        // ["Signature1", protected, h'', payload]
        signingInput =
            [0x84, 0x6A] + Array("Signature1".utf8) + Array(elements[0].encoded) + [0x40] + Array(elements[2].encoded)
    }

    func isSigned(by publicKey: [UInt8]) throws -> Bool {
        let key = try P256.Signing.PublicKey(derRepresentation: publicKey)
        return key.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: signature), for: signingInput)
    }
}
