/// A rejection of evidence. `code` is the contract; `detail` is for people and never parsed.
///
/// Two rejections are equal if their codes are.
public struct Rejection: Error, Hashable, Sendable, CustomStringConvertible {
    public let code: FailureCode
    /// One sentence without secrets or personal identifiers, visible characters alone: it reaches callers, records, logs and terminals.
    public let detail: String
    /// The reader's offset in the bytes as received; `nil` if an offset has no meaning.
    public let offset: Int?
    /// What the relying party may do next.
    public let retry: RetryClass
    /// What of its place `detail` names.
    private let place: Place

    private struct Place {
        /// The detail begins with a name.
        var isNamed = false
        /// The detail ends with the offset.
        var hasOffset = false
    }

    public init(_ code: ReasonCode, _ detail: String, offset: Int? = nil) {
        (self.code, self.detail, self.offset, retry) = (FailureCode(code), detail.visible, offset, code.retry)
        place = Place()
    }

    /// - Parameter retry: for a code that is not built in; `nil`: `contactOperator`. A built-in code has that of its table.
    public init(_ code: FailureCode, _ detail: String, retry: RetryClass? = nil, offset: Int? = nil) {
        (self.code, self.detail, self.offset) = (code, detail.visible, offset)
        self.retry = code.builtIn?.retry ?? retry ?? .contactOperator
        place = Place()
    }

    private init(_ other: Rejection, _ detail: String, _ place: Place) {
        (code, self.detail, offset, retry) = (other.code, detail, other.offset, other.retry)
        self.place = place
    }

    /// The same rejection with the name of a field before its sentence. Names nest, the outermost first: "hardware-enforced [704]
    /// root_of_trust: an OCTET STRING where a SEQUENCE is due".
    @usableFromInline
    package func at(_ name: String) -> Rejection {
        var named = place
        named.isNamed = true
        return Rejection(self, name + (place.isNamed ? " " : ": ") + detail, named)
    }

    /// The same rejection with its offset in a structure after its sentence, once.
    ///
    /// - Parameter bytes: those of the structure, of which the offset is one.
    package func locating(in bytes: ArraySlice<UInt8>, _ structure: String) -> Rejection {
        guard !place.hasOffset, let offset, (bytes.startIndex...bytes.endIndex).contains(offset) else { return self }
        var located = place
        located.hasOffset = true
        return Rejection(self, detail + " (byte \(offset - bytes.startIndex) of \(structure))", located)
    }

    public var description: String { "\(code.rawValue): \(detail)" }
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The code of a failure: a built-in ``ReasonCode``, or another one that a verifier outside this package states.
///
/// A code is text of 1 to 64 bytes of `a`-`z`, `0`-`9`, `_`, `.`, `/` and `-`, so that it can go into every verdict and log line.
public struct FailureCode: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: Hashable, Sendable {
        case builtIn(ReasonCode)
        case other(String)
    }
    private let kind: Kind

    /// The longest code, in bytes.
    public static let lengthLimit = 64

    /// Stands for the code of a finding that is not of the form of a code.
    public static let malformed = FailureCode(kind: .other("malformed_code"))

    private init(kind: Kind) { self.kind = kind }

    public init(_ code: ReasonCode) { kind = .builtIn(code) }

    /// The built-in code with this text, or another one. `nil` if the text is not of the form of a code.
    public init?(rawValue: String) {
        if let code = ReasonCode(rawValue: rawValue) {
            kind = .builtIn(code)
        } else if (1...Self.lengthLimit).contains(rawValue.utf8.count),
            rawValue.utf8.allSatisfy({ $0.isOfName || $0 == UInt8(ascii: "/") })
        {
            kind = .other(rawValue)
        } else {
            return nil
        }
    }

    /// The text on the wire.
    public var rawValue: String {
        switch kind {
        case .builtIn(let code): code.rawValue
        case .other(let text): text
        }
    }

    /// `nil` for a code that is not built in.
    public var builtIn: ReasonCode? { if case .builtIn(let code) = kind { code } else { nil } }

    public var description: String { rawValue }

    public static func == (a: FailureCode, b: ReasonCode) -> Bool { a.builtIn == b }
    public static func != (a: FailureCode, b: ReasonCode) -> Bool { a.builtIn != b }
}

/// What a relying party may do after a rejection.
public enum RetryClass: String, CaseIterable, Hashable, Sendable {
    /// The same evidence can never be accepted.
    case never
    /// Ask for a new challenge and let the device sign again with the same key.
    case newChallenge = "new_challenge"
    /// Let the device make and attest a new key. A device of a fleet, which no platform attests, is readmitted and provisioned again.
    case reAttest = "re_attest"
    /// Nothing is wrong with the evidence; try again later.
    case later
    /// Only an operator can help: by a change of policy or configuration, or by a decision about the device.
    case contactOperator = "contact_operator"
}

extension ReasonCode {
    /// The code with its summary.
    package var rejection: Rejection { Rejection(self, summary) }
}
