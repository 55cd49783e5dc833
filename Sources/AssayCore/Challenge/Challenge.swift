/// A challenge, read but not yet authenticated. 54 bytes, big-endian:
///
///     offset  length
///          0       1  version, 1
///          1       1  purpose
///          2       4  key id
///          6       8  expiry, milliseconds since 1970
///         14       8  first 8 bytes of SHA-256(app id)
///         22      16  random
///         38      16  tag: first 16 bytes of HMAC-SHA-256(key,
///                     "assay.challenge.v1" ‖ bytes 0..<38 ‖ u16 length and app id ‖ SHA-256(context))
public struct Challenge: Hashable, Sendable {
    public static let length = 54
    static let signedLength = 38
    static let tagLength = 16
    package static let randomLength = 16
    static let version: UInt8 = 1
    static let tagLabel = Array("assay.challenge.v1".utf8)
    /// The longest context, in bytes.
    public static let contextLimit = 64

    public let bytes: [UInt8]
    public let purpose: Purpose
    public let keyID: UInt32
    public let expiry: Timestamp

    /// The random part, 16 bytes.
    public var random: ArraySlice<UInt8> { bytes[22..<38] }

    /// Not a field: a challenge is one reference, and is passed on often.
    var appPrefix: ArraySlice<UInt8> { bytes[14..<22] }

    /// The part that the ledger keeps when the challenge is spent: the random part.
    public var nonce: [UInt8] { Array(random) }

    /// Reads the fields. Throws `challenge_invalid` unless the bytes are 54 bytes of version 1 with a known purpose.
    public init(parsing bytes: [UInt8]) throws(Rejection) {
        guard bytes.count == Self.length else {
            throw Rejection(.challengeInvalid, "a challenge has \(Self.length) bytes, this has \(bytes.count)")
        }
        guard bytes[0] == Self.version, let purpose = Purpose(rawValue: bytes[1]) else {
            throw Rejection(.challengeInvalid, "unknown version or purpose")
        }
        self.bytes = bytes
        self.purpose = purpose
        keyID = bytes[2..<6].reduce(0) { $0 << 8 | UInt32($1) }
        expiry = Timestamp(unixMilliseconds: Int64(bitPattern: bytes[6..<14].reduce(0) { $0 << 8 | UInt64($1) }))
    }
}

extension Challenge {
    /// Whether it names this app, by the first 8 bytes of SHA-256(app id). Only the tag proves it.
    public func isFor(_ app: AppID) -> Bool { appPrefix.elementsEqual(ChallengeScope.prefix(of: app)) }

    /// Explains the fields of a challenge, in the layout of `Challenge`.
    public static func explain(_ bytes: [UInt8]) -> Explanation {
        var explanation = Explanation("challenge", of: bytes[...])
        explanation.read { (explanation) throws(Rejection) in
            let challenge = try Challenge(parsing: bytes)
            explanation.add("version", .integer(Int64(version)))
            explanation.add("purpose", .text(challenge.purpose.name))
            explanation.add("key_id", .integer(Int64(challenge.keyID)), "the daemon's key that authenticates it")
            explanation.add("expiry", .time(challenge.expiry))
            explanation.add("app_prefix", challenge.appPrefix, "the first 8 bytes of SHA-256(app id)")
            explanation.add("random", challenge.random, "what the ledger remembers when it is spent")
            explanation.add("tag", bytes[signedLength...], "the first 16 bytes of an HMAC-SHA-256 by the daemon's key")
        }
        return explanation
    }
}

/// The purpose of a challenge and of the device's signature over it. The raw value is the byte in challenge and client data.
public enum Purpose: UInt8, CaseIterable, Hashable, Sendable {
    /// A new key is attested and the device registered.
    case register = 1
    /// A registered device proves itself.
    case assert = 2
    /// A device certificate is issued.
    case provision = 3
    /// A device certificate is renewed.
    case renew = 4

    public var name: String {
        switch self {
        case .register: "register"
        case .assert: "assert"
        case .provision: "provision"
        case .renew: "renew"
        }
    }
}
