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
        } else if (1...Self.lengthLimit).contains(rawValue.utf8.count), rawValue.utf8.allSatisfy(Self.allows) {
            kind = .other(rawValue)
        } else {
            return nil
        }
    }

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"):
            true
        default: false
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
