/// The outcome of one check.
public struct Finding: Sendable {
    public enum Outcome: Int, Sendable {
        case pass = 1
        case fail, unavailable, skipped, note
    }

    /// `[a-z0-9_]{1,64}`, such as `signature`.
    public let check: String
    public let outcome: Outcome
    /// The reason of `fail` and `unavailable`, the word of `note`.
    public let code: ReasonCode?
    /// A sentence with expected and found values, for the caller; empty for a check that passed.
    public let detail: String
}

/// What was measured for a signal of the confidence, in the place of the app's own word.
public struct Measurement: Sendable {
    public enum Outcome: Int, Sendable {
        /// It speaks for the capture.
        case pass = 1
        /// It speaks against the capture, which alone rejects nothing.
        case fail
        /// It could not be measured.
        case unavailable
    }

    /// One of the format's `measures`.
    public let signal: String
    public let outcome: Outcome
    /// A sentence with the numbers.
    public let detail: String
}

/// How strong evidence is. The verdict's is at most what the catalog's entry allows.
public enum Assurance: Int, Sendable {
    case none = 0
    case software, platform, hardware, secureElement
}

/// The value of a claim, of the kind that the format declares.
public enum ClaimValue: Sendable, Equatable {
    /// At most 4096 bytes of UTF-8.
    case text(String)
    case integer(Int64)
    case boolean(Bool)
    /// At most 4096.
    case bytes([UInt8])
    /// At most 64.
    case texts([String])
    /// Milliseconds since 1970.
    case time(Int64)

    var kind: ClaimDeclaration.Kind {
        switch self {
        case .text: .text
        case .integer: .integer
        case .boolean: .boolean
        case .bytes: .bytes
        case .texts: .texts
        case .time: .time
        }
    }

    var isWithinLimits: Bool {
        switch self {
        case .text(let text): text.utf8.count <= 4096
        case .bytes(let bytes): bytes.count <= 4096
        case .texts(let texts): texts.count <= 64 && texts.allSatisfy { $0.utf8.count <= 4096 }
        case .integer, .boolean, .time: true
        }
    }
}
