import Crypto

/// The keys under which challenges are valid now. A value: rotation makes another one.
public struct ChallengeKeyring: Sendable {
    /// Oldest first.
    public let keys: [ChallengeKey]

    public init(keys: [ChallengeKey]) { self.keys = keys.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) } }

    public func key(_ id: UInt32) -> ChallengeKey? { keys.first { $0.id == id } }

    /// The key for issuing at `now`: the newest that was published at least `lead` milliseconds ago, so that every replica
    /// knows it; the oldest, if all are newer.
    public func issuing(at now: Timestamp, lead: Int64) -> ChallengeKey? {
        keys.last { now.milliseconds(since: $0.createdAt) >= lead } ?? keys.first
    }

    /// Authenticates a challenge for an app, purpose and context at `now`, in documented order: issued here
    /// (`challenge_invalid`), purpose (`challenge_wrong_purpose`), expiry (`challenge_expired`). It spends nothing.
    public func open(
        _ challenge: Challenge, app: AppID, purpose: Purpose, context: [UInt8], now: Timestamp
    ) throws(Rejection) {
        try authenticate(challenge, app: app, context: context)
        try challenge.check(purpose: purpose, now: now)
    }

    /// Throws `challenge_invalid` for a challenge that was not issued here for the app and context.
    package func authenticate(_ challenge: Challenge, app: AppID, context: [UInt8]) throws(Rejection) {
        guard let key = key(challenge.keyID), key.authenticates(challenge, app: app, context: context) else {
            // The tag covers the app too; the prefix only helps to give the reason.
            let isForeign = !challenge.isFor(app)
            throw Rejection(
                .challengeInvalid,
                isForeign
                    ? "the challenge was issued for another app" : "the challenge was not issued here for this app and context")
        }
    }
}

extension Challenge {
    /// Compares what the challenge says of itself: purpose (`challenge_wrong_purpose`), then expiry (`challenge_expired`).
    package func check(purpose: Purpose, now: Timestamp) throws(Rejection) {
        guard self.purpose == purpose else {
            throw Rejection(
                .challengeWrongPurpose, "the challenge was issued for \(self.purpose.name) and is used for \(purpose.name)"
            )
        }
        guard now < expiry else {
            throw Rejection(.challengeExpired, "the challenge expired at \(expiry), now is \(now)")
        }
    }
}

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
        app: AppID, purpose: Purpose, context: [UInt8], expiry: Timestamp, random: [UInt8] = SecureRandom.identifier()
    ) -> [UInt8] {
        issue(for: ChallengeScope(app), purpose: purpose, context: context, expiry: expiry, random: random[...])
    }

    /// The same for an app of which many are issued. `random` has 16 bytes.
    package func issue(
        for scope: ChallengeScope, purpose: Purpose, context: [UInt8], expiry: Timestamp, random: ArraySlice<UInt8>
    ) -> [UInt8] {
        precondition(random.count >= Challenge.randomLength)
        return .filled(capacity: Challenge.length) { memory, count in
            let bytes = UnsafeMutableRawBufferPointer(memory)
            bytes[0] = Challenge.version
            bytes[1] = purpose.rawValue
            bytes.storeBytes(of: id.bigEndian, toByteOffset: 2, as: UInt32.self)
            bytes.storeBytes(of: expiry.unixMilliseconds.bigEndian, toByteOffset: 6, as: Int64.self)
            bytes.storeBytes(of: scope.prefix, toByteOffset: 14, as: UInt64.self)
            random.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: bytes[22...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(Challenge.randomLength)))
            }
            let signed = UnsafeRawBufferPointer(rebasing: bytes[..<Challenge.signedLength])
            tag(over: signed, app: scope.app, context: context).withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: bytes[Challenge.signedLength...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(Challenge.tagLength)))
            }
            count = Challenge.length
        }
    }

    /// Whether the challenge was issued under this key, for this app and context.
    func authenticates(_ challenge: Challenge, app: AppID, context: [UInt8]) -> Bool {
        challenge.bytes.withUnsafeBytes { bytes in
            let signed = UnsafeRawBufferPointer(rebasing: bytes.prefix(Challenge.signedLength))
            let expected = tag(over: signed, app: app, context: context)
            // Compared in constant time: a correct tag is secret from those who do not have it.
            return expected.withUnsafeBytes { expected in
                zip(expected.prefix(Challenge.tagLength), bytes.dropFirst(Challenge.signedLength)).reduce(0) {
                    $0 | ($1.0 ^ $1.1)
                } == 0
            }
        }
    }

    private static let digestOfNothing = SHA256.bytes(of: [])

    /// HMAC-SHA-256, of which a challenge has the first `Challenge.tagLength` bytes.
    private func tag(over signed: UnsafeRawBufferPointer, app: AppID, context: [UInt8]) -> SHA256.Digest {
        mac.tag { hash in
            hash.update(bufferPointer: signed)
            var name = app.text
            name.withUTF8 { name in
                withUnsafeBytes(of: UInt16(truncatingIfNeeded: name.count).bigEndian) { hash.update(bufferPointer: $0) }
                hash.update(bufferPointer: UnsafeRawBufferPointer(name))
            }
            let context = context.isEmpty ? Self.digestOfNothing : SHA256.bytes(of: context)
            context.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
    }
}

/// An app, and the form of it that a challenge contains.
package struct ChallengeScope: Sendable {
    let app: AppID
    /// The 8 bytes of ``prefix(of:)`` as they lie in memory.
    let prefix: UInt64

    package init(_ app: AppID) {
        self.app = app
        prefix = Self.prefix(of: app).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    /// First 8 bytes of SHA-256(app id).
    static func prefix(of app: AppID) -> ArraySlice<UInt8> { SHA256.bytes(of: Array(app.text.utf8)).prefix(8) }
}
