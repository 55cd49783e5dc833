/// The input of an appraisal beside the evidence: expectation, fetched facts and time.
public struct AppraisalContext: Sendable {
    /// The bytes that the device was expected to sign.
    public let binding: Binding
    /// What was fetched of the needs that `locate` stated.
    public let facts: Facts
    /// The key that another piece of the same request attests, once that piece has passed.
    public let attestedKey: AttestedKey?
    public let now: Timestamp
    /// The mode for inspection; `nil` for a verdict.
    public let examination: Examination?

    public init(
        binding: Binding, facts: Facts = Facts(), attestedKey: AttestedKey? = nil, now: Timestamp,
        examination: Examination? = nil
    ) {
        self.binding = binding
        self.facts = facts
        self.attestedKey = attestedKey
        self.now = now
        self.examination = examination
    }
}
