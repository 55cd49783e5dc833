import Crypto

/// A key that authenticates challenges, and the algorithm of their tag.
public final class ChallengeKey: Sendable {
    public let id: UInt32
    public let createdAt: Timestamp
    /// The MAC with key and label absorbed: each tag continues from a copy.
    private let mac: PreparedMAC

    /// The secret has 32 bytes.
    public init(id: UInt32, secret: [UInt8], createdAt: Timestamp) {
        self.id = id
        self.createdAt = createdAt
        mac = PreparedMAC(key: secret, prefix: Challenge.tagLabel)
    }

    /// Issues a challenge. `context` has at most `Challenge.contextLimit` bytes; `random` has 16.
    public func issue(
        app: AppID, purpose: Purpose, context: [UInt8], expiry: Timestamp, random: [UInt8] = SecureRandom.bytes(16)
    ) -> [UInt8] {
        var bytes: [UInt8] = [Challenge.version, purpose.rawValue]
        bytes.reserveCapacity(Challenge.length)
        withUnsafeBytes(of: id.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: expiry.unixMilliseconds.bigEndian) { bytes.append(contentsOf: $0) }
        bytes += ChallengeScope.prefix(of: app)
        bytes += random.prefix(16)
        bytes += tag(over: bytes[...], app: app, context: context).prefix(Challenge.tagLength)
        return bytes
    }

    /// Whether the challenge was issued under this key, for this app and context.
    func authenticates(_ challenge: Challenge, app: AppID, context: [UInt8]) -> Bool {
        let expected = tag(over: challenge.bytes.prefix(Challenge.signedLength), app: app, context: context)
        // Compared in constant time: a correct tag is secret from those who do not have it.
        return zip(expected.prefix(Challenge.tagLength), challenge.bytes.dropFirst(Challenge.signedLength)).reduce(0) {
            $0 | ($1.0 ^ $1.1)
        } == 0
    }

    private static let digestOfNothing = SHA256.bytes(of: [])

    /// HMAC-SHA-256, of which a challenge has the first `Challenge.tagLength` bytes.
    private func tag(over signed: ArraySlice<UInt8>, app: AppID, context: [UInt8]) -> SHA256.Digest {
        var input: [UInt8] = []
        input.reserveCapacity(Challenge.signedLength + 2 + 64 + SHA256.byteCount)
        input += signed
        let name = app.text.utf8
        input.append(UInt8(truncatingIfNeeded: name.count >> 8))
        input.append(UInt8(truncatingIfNeeded: name.count))
        input += name
        input += context.isEmpty ? Self.digestOfNothing : SHA256.bytes(of: context)
        return mac.tag(over: input)
    }
}

/// The app in the form that a challenge contains.
enum ChallengeScope {
    /// First 8 bytes of SHA-256(app id).
    static func prefix(of app: AppID) -> ArraySlice<UInt8> { SHA256.bytes(of: Array(app.text.utf8)).prefix(8) }
}
