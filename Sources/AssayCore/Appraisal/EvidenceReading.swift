/// What a verifier has read of evidence to state what it needs, for its appraisal of the same evidence, which then need not read the bytes again.
///
/// It follows from the evidence and from what is fixed for the verifier, and from nothing else: no time, no fact of a store, no request. So an
/// appraisal with it and one without it come to the same. Each verifier knows its own type, and reads evidence itself that comes without one.
public protocol EvidenceReading: AnyObject, Sendable {}

extension Needs {
    /// A reading beside the needs. It is none of them: needs are equal whatever was read.
    public struct Reading: Hashable, Sendable {
        public let value: (any EvidenceReading)?

        public init(_ value: (any EvidenceReading)?) { self.value = value }

        public static func == (a: Reading, b: Reading) -> Bool { true }
        public func hash(into hasher: inout Hasher) {}
    }
}
