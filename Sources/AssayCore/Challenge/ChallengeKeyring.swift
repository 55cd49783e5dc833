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
        guard let key = key(challenge.keyID), key.authenticates(challenge, app: app, context: context) else {
            // The tag covers the app too; the prefix only helps to give the reason.
            let isForeign = challenge.appPrefix != ChallengeScope.prefix(of: app)
            throw Rejection(
                .challengeInvalid,
                isForeign
                    ? "the challenge was issued for another app" : "the challenge was not issued here for this app and context")
        }
        guard challenge.purpose == purpose else {
            throw Rejection(.challengeWrongPurpose, "issued for \(challenge.purpose.name), used for \(purpose.name)")
        }
        guard now < challenge.expiry else { throw Rejection(.challengeExpired, "expired at \(challenge.expiry)") }
    }
}
