import AssayCore
import AssayTesting
import Foundation
import Testing

/// One file of Project Wycheproof's vectors: groups of tests that share a key.
struct WycheproofFile: Decodable {
    let numberOfTests: Int
    let testGroups: [Group]

    /// What the tests of a group share. Each file has the members of its algorithm.
    struct Group: Decodable {
        let comment: String?
        /// SubjectPublicKeyInfo, hexadecimal.
        let publicKeyDer: String?
        /// In bits.
        let keySize: Int?
        let tagSize: Int?
        let ivSize: Int?
        /// JSON Web Keys: of the public key, or the key that both sides have.
        let `public`: WebKey?
        let `private`: WebKey?
        let tests: [Vector]

        /// Whether its keys are JSON Web Key Sets.
        var hasWebKeySet: Bool { [`public`, `private`].contains { $0?.keys != nil } }

        // ML-DSA's files also have the bare public key, others an object with its parts.
        private enum CodingKeys: String, CodingKey {
            case comment, publicKeyDer, keySize, tagSize, ivSize, `public`, `private`, tests
        }
    }

    /// The members of a JSON Web Key that are read here (RFC 7517). Binary values are base64url.
    struct WebKey: Decodable {
        let kty, crv, x, y, n, e, k: String?
        /// The keys of a set.
        let keys: [WebKey]?
    }

    /// One test. Binary values are hexadecimal.
    struct Vector: Decodable {
        let tcId: Int
        let comment: String
        let flags: [String]
        let result: Result
        let msg, sig, ctx, key, iv, aad, ct, tag: String?
        let ikm, salt, info, okm: String?
        let size: Int?
        let password, dk: String?
        let iterationCount, dkLen: Int?
        let jws, jwe: Token?
        let `public`, `private`, shared: String?
    }

    /// A token: a text, or an object in the JSON serialization, which becomes its text.
    struct Token: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self.text = text
            } else {
                text = String(decoding: try JSONEncoder().encode(JSONTree(from: decoder)), as: UTF8.self)
            }
        }
    }

    enum Result: String, Decodable {
        case valid
        case invalid
        /// Implementations may differ: a weak or unusual value.
        case acceptable
    }

    static func read(_ name: String) throws -> Self {
        let folder = try #require(SharedVectors.folder("wycheproof"))
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appending(path: name + ".json")))
    }
}

extension String? {
    /// The bytes of a member in hexadecimal, which the file must have.
    var bytes: [UInt8] {
        get throws {
            let text = try #require(self)
            return try #require(Hex.decode(text))
        }
    }

    /// The bytes of a member in base64url.
    var base64URL: [UInt8] {
        get throws {
            let text = try #require(self)
            return try #require(Base64.url.decode(text))
        }
    }
}

/// Objects, lists and texts of JSON.
private enum JSONTree: Codable {
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONTree].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }
}
