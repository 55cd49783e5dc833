/// The fetched facts of one appraisal. With the evidence, the binding and the time they determine the appraisal, so facts that
/// are stored (``encoded()``) can be judged again.
public struct Facts: Hashable, Sendable {
    /// The registered device that was needed; `nil` if there is none.
    public var device: Device?
    /// How many other devices were registered under the attestation key that was needed; `nil` unless one was.
    public var attestationKeyUse: AttestationKeyUse?
    /// The revocation list, or why there is none.
    public var revocation: RevocationKnowledge
    /// What the answer source says about the evidence; `nil` if none is asked.
    public var outsideAnswer: OutsideAnswer?

    public init(
        device: Device? = nil, attestationKeyUse: AttestationKeyUse? = nil, revocation: RevocationKnowledge = .notConsulted,
        outsideAnswer: OutsideAnswer? = nil
    ) {
        self.device = device
        self.attestationKeyUse = attestationKeyUse
        self.revocation = revocation
        self.outsideAnswer = outsideAnswer
    }

    /// The same facts with the revocation list's entries for these serial numbers alone: what an appraisal of a chain with them
    /// reads of the list. A whole list has thousands of entries.
    public func keepingEntries(for serials: [[UInt8]]) -> Facts {
        guard case .snapshot(let list) = revocation else { return self }
        var facts = self
        facts.revocation = .snapshot(list.keepingEntries(for: serials))
        return facts
    }
}

/// How many distinct devices were registered under one attestation key, in all apps of the ledger.
public struct AttestationKeyUse: Hashable, Sendable {
    /// Counting stops here.
    public static let limit = 10_000

    /// Devices registered in the preceding 24 hours, at most `limit`.
    public let lastDay: Int
    public init(lastDay: Int) { self.lastDay = lastDay }
}
