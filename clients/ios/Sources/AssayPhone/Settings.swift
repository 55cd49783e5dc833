/// Times and numbers, with good defaults.
public struct Settings: Hashable, Sendable {
    /// How calls are repeated, to Apple's service and to the backend.
    public var backoff = Backoff()
    /// How long one call of Apple's service may take.
    public var appleTimeLimit = Duration.seconds(60)
    /// For how long an attestation is tried again over the same challenge, after `DCError.serverUnavailable`. Less than the daemon's
    /// `challenge.ttl` of the app (5 minutes unless configured): after that a new challenge is fetched, for the same key.
    public var challengeLifetime = Duration.seconds(240)
    /// How many keys are made in 24 hours, for each user. Apple limits attestations, and counts keys in a device's risk metric.
    public var keysPerDay = 3
    /// How many challenges one upload takes, if the backend asks for a new one each time.
    public var challengesPerUpload = 3

    public init() {}
}
