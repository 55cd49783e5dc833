import Crypto

/// A key that authenticates challenges, and the algorithm of their tag.
public struct ChallengeKey: Sendable {
    public let id: UInt32
    public let createdAt: Timestamp
    /// The MAC with its key and label absorbed: each tag goes on from a copy.
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
        bytes += tag(over: bytes, app: app, context: context)
        return bytes
    }

    /// Whether the challenge was issued under this key, for this app and context.
    func authenticates(_ challenge: Challenge, app: AppID, context: [UInt8]) -> Bool {
        let expected = tag(over: Array(challenge.bytes.prefix(Challenge.signedLength)), app: app, context: context)
        // Compared without an early exit: the tag is a secret until it is right.
        return zip(expected, challenge.bytes.dropFirst(Challenge.signedLength)).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func tag(over signed: [UInt8], app: AppID, context: [UInt8]) -> ArraySlice<UInt8> {
        var input = signed
        input.reserveCapacity(Challenge.signedLength + 2 + 64 + SHA256.byteCount)
        let name = app.text.utf8
        input.append(UInt8(truncatingIfNeeded: name.count >> 8))
        input.append(UInt8(truncatingIfNeeded: name.count))
        input += name
        input += SHA256.bytes(of: context)
        return mac.tag(over: input)[..<16]
    }
}

/// The app as a challenge names it.
enum ChallengeScope {
    /// First 8 bytes of SHA-256(app id).
    static func prefix(of app: AppID) -> ArraySlice<UInt8> { SHA256.bytes(of: Array(app.text.utf8)).prefix(8) }
}
