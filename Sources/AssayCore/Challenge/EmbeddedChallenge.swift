/// The place of the challenge in an app's own client data: one place, one encoding.
///
/// The challenge is encoded and compared; nothing from outside is decoded.
public struct EmbeddedChallenge: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// A member of a JSON object, by the names of the path to it.
        case jsonMember([String])
        /// An offset in bytes.
        case offset(Int)
    }

    public enum Encoding: String, CaseIterable, Hashable, Sendable {
        /// The 54 bytes themselves; only at an offset.
        case raw
        /// Without padding.
        case base64url
        /// With padding.
        case base64
        /// Lower case.
        case hex
    }

    /// The longest accepted client data, in bytes.
    public static let clientDataLimit = 65_536

    public let place: Place
    public let encoding: Encoding

    /// `nil` for raw bytes in JSON, which cannot contain them, for an empty path, and for a negative offset.
    public init?(place: Place, encoding: Encoding) {
        switch place {
        case .jsonMember(let path): guard !path.isEmpty, encoding != .raw else { return nil }
        case .offset(let offset): guard offset >= 0 else { return nil }
        }
        (self.place, self.encoding) = (place, encoding)
    }

    /// Throws `client_data_mismatch` unless the challenge is at the place.
    public func find(_ challenge: [UInt8], in clientData: [UInt8]) throws(Rejection) {
        guard clientData.count <= Self.clientDataLimit else {
            throw Rejection(.clientDataMismatch, "client data of \(clientData.count) bytes, limit \(Self.clientDataLimit)")
        }
        let expected = encoded(challenge)
        switch place {
        case .offset(let offset):
            guard offset <= clientData.count, clientData.dropFirst(offset).starts(with: expected) else {
                throw Rejection(.clientDataMismatch, "the challenge does not stand at offset \(offset)")
            }
        case .jsonMember(let path):
            guard try JSONMember.text(at: path, in: clientData) == expected else {
                throw Rejection(.clientDataMismatch, "the challenge is not the member \(path.joined(separator: "."))")
            }
        }
    }

    private func encoded(_ challenge: [UInt8]) -> [UInt8] {
        switch encoding {
        case .raw: challenge
        case .base64url: Array(Base64.url.encode(challenge).utf8)
        case .base64: Array(Base64.standard.encode(challenge).utf8)
        case .hex: Array(Hex.encode(challenge).utf8)
        }
    }
}

/// One text member of a JSON object.
enum JSONMember {
    /// The bytes of the text at `path`, unescaped. The whole document must be strict JSON. Throws `client_data_mismatch` if it
    /// is not, or has no text there.
    static func text(at path: [String], in document: [UInt8]) throws(Rejection) -> [UInt8] {
        var value = try JSONReader.parse(document[...], code: .clientDataMismatch)
        for name in path {
            guard case .object(let object) = value, let next = object[name.utf8] else { throw missing(path) }
            value = next
        }
        guard case .string(let text) = value else { throw missing(path) }
        return text
    }

    private static func missing(_ path: [String]) -> Rejection {
        Rejection(.clientDataMismatch, "client data has no text at \(path.joined(separator: "."))")
    }
}
