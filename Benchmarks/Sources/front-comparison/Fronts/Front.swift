import AssayTesting

/// A caller of one daemon over one protocol. One call at a time.
protocol Front: Sendable {
    var name: String { get }
    /// Throws if what comes is no answer of the protocol.
    func call(_ request: RecordedRequest) async throws -> CallOutcome
}

/// How a call ended.
enum CallOutcome: Sendable {
    /// Serialised.
    case answer([UInt8])
    case error(TestCallStatus)
}

/// What came is not what the protocol allows.
struct ProtocolFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
