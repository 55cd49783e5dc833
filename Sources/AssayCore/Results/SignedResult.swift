/// What came of a result that was asked for: a token, or why there is none. The verdict beside it is durable in both cases.
public struct SignedResult: Hashable, Sendable {
    public let shape: ResultShape
    public let audience: String
    public let outcome: Outcome

    public enum Outcome: Hashable, Sendable {
        /// - Parameters:
        ///   - token: ASCII text, or bytes if the shape is binary.
        ///   - identifier: `jti` or `cti`, for logs.
        case signed(token: [UInt8], identifier: [UInt8], expiresAt: Timestamp)
        /// Nothing was signed, and the verdict holds without it.
        case refused(ResultProblem)
    }

    public init(shape: ResultShape, audience: String, outcome: Outcome) {
        (self.shape, self.audience, self.outcome) = (shape, audience, outcome)
    }
}

/// Why an accepted verdict has no signed result.
public enum ResultProblem: String, CaseIterable, Error, Hashable, Sendable {
    /// The app's configuration does not allow the shape, or no longer; or it does not say what the shape names.
    case notAllowed = "result_not_allowed"
    /// The key cannot be used just now: a token is gone, or has as many signatures to make as it may. The same request under its idempotency
    /// key is signed later.
    case unavailable = "results_unavailable"
    /// No key of this kind may sign now.
    case keyUnavailable = "result_key_unavailable"
    /// The verdict rests on a test root, and no issuer of simulated results is configured.
    case simulated = "result_of_simulated_device"
    /// The device's assurance is below what the app's configuration asks for such a token.
    case assurance = "result_assurance_too_low"
    /// The device has as many session tokens that have not ended as the app allows.
    case tooMany = "result_too_many"
    /// The shape binds a key, and the verdict is about no key that can be bound.
    case noKey = "result_without_device_key"
    /// The verdict was given too long ago: a repeated answer is signed within its result's lifetime.
    case tooOld = "result_of_old_verdict"
    /// The device was blocked or forgotten after the verdict.
    case deviceBlocked = "result_of_blocked_device"
    /// The verdict is ACCEPTED only because the app does not enforce its rejections.
    case notEnforced = "result_of_unenforced_verdict"
}

extension ResultProblem {
    /// What the word means, as a sentence for the caller.
    public var sentence: String {
        switch self {
        case .unavailable:
            "the key could not be used just now; the same request under its idempotency key is signed once it can"
        case .notAllowed:
            "the app's configuration does not allow the shape, or not any more, or does not say what the shape names"
        case .keyUnavailable: "no key of the issuer may sign now"
        case .simulated: "the verdict rests on a test root, and no issuer of simulated results is configured"
        case .assurance: "the device's assurance is below the one that the app's configuration asks for"
        case .tooMany: "the device has as many session tokens that have not ended as the app allows"
        case .noKey: "the token binds a device's key, and no key of the verdict can be bound"
        case .tooOld: "the verdict was given too long ago: a repeated answer is signed within its result's lifetime"
        case .deviceBlocked: "the device was blocked or forgotten after the verdict"
        case .notEnforced: "the evidence was rejected, and answered ACCEPTED because the app does not enforce its verdicts"
        }
    }
}
