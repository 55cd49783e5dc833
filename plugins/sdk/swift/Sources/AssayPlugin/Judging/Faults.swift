/// Why a call cannot be made. Thrown by the author; the daemon's caller is answered UNAVAILABLE, never with a verdict.
public struct Fault: Error, Sendable {
    let status: Status

    /// Something that the plugin depends on does not answer. `reason` is a lower-case word for machines, `sentence` is for the
    /// operator: no secrets. `retryAfterMilliseconds` says when trying again may help.
    public static func unavailable(_ reason: String, _ sentence: String, retryAfterMilliseconds: UInt32 = 0) -> Fault {
        Fault(status: Status(.unavailable, reason, sentence, retryAfterMilliseconds: retryAfterMilliseconds))
    }

    /// A fault of the plugin's own.
    public static func `internal`(_ reason: String, _ sentence: String) -> Fault {
        Fault(status: Status(.internal, reason, sentence))
    }

    static func notImplemented(_ method: String) -> Fault {
        Fault(status: Status(.unimplemented, "unknown_method", "the plugin does not implement \(method)"))
    }
}

/// What came from outside cannot be read. In `locate` and `prepare` it refuses the body; in `appraise` it is a failed check
/// `form`.
public struct Refusal: Error, Sendable {
    public let code: ReasonCode
    /// A sentence with expected and found values, for the caller: no secrets.
    public let sentence: String

    public init(_ code: ReasonCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}
