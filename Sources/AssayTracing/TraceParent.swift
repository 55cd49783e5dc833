/// The span that a call belongs to, as its caller names it: the field `traceparent` of W3C Trace Context, Level 1 and 2.
package struct TraceParent: Hashable, Sendable {
    /// The key of a call's metadata.
    package static let key = "traceparent"

    package let traceID: TraceID
    package let spanID: SpanID
    /// Whether the caller records the trace.
    package let isSampled: Bool
    /// Whether the low bytes of the trace id are random (Level 2).
    package let isRandom: Bool

    package init(traceID: TraceID, spanID: SpanID, isSampled: Bool, isRandom: Bool = false) {
        (self.traceID, self.spanID, self.isSampled, self.isRandom) = (traceID, spanID, isSampled, isRandom)
    }

    /// Reads `00-<32 digits>-<16 digits>-<2 digits>`, hexadecimal and in lower case. Of a later version the same parts are read; what
    /// follows them after another `-` is ignored, as W3C Trace Context demands ("Versioning of traceparent").
    package init(parsing text: String) throws(TraceParentProblem) {
        var rest = text.utf8[...]
        let version = try Self.number(&rest, digits: 2)
        guard version != 0xFF else { throw .forbiddenVersion }
        try Self.dash(&rest)
        let (high, low) = (try Self.number(&rest, digits: 16), try Self.number(&rest, digits: 16))
        try Self.dash(&rest)
        let parent = try Self.number(&rest, digits: 16)
        try Self.dash(&rest)
        let flags = try Self.number(&rest, digits: 2)
        if version == 0 {
            guard rest.isEmpty else { throw .tooLong }
        } else {
            guard rest.first ?? UInt8(ascii: "-") == UInt8(ascii: "-") else { throw .wrongSeparator }
        }
        guard let traceID = TraceID(high: high, low: low) else { throw .traceIDZero }
        guard let spanID = SpanID(parent) else { throw .parentIDZero }
        (self.traceID, self.spanID) = (traceID, spanID)
        (isSampled, isRandom) = (flags & 1 != 0, flags & 2 != 0)
    }

    private static func dash(_ rest: inout Substring.UTF8View) throws(TraceParentProblem) {
        guard let byte = rest.popFirst() else { throw .tooShort }
        guard byte == UInt8(ascii: "-") else { throw .wrongSeparator }
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) throws(TraceParentProblem) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<digits {
            guard let byte = rest.popFirst() else { throw .tooShort }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: throw .notHexadecimal
            }
            value = value << 4 | UInt64(digit)
        }
        return value
    }
}

extension TraceParent: CustomStringConvertible {
    /// In the form of version 00.
    package var description: String { "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) | (isRandom ? 2 : 0))" }
}

/// Why a text is no trace parent.
package enum TraceParentProblem: String, Error, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    case tooShort
    case tooLong
    case wrongSeparator
    case notHexadecimal
    case forbiddenVersion
    case traceIDZero
    case parentIDZero

    package var description: String {
        switch self {
        case .tooShort: "it is shorter than 55 characters"
        case .tooLong: "version 00 has 55 characters, this has more"
        case .wrongSeparator: "its parts are not separated by \"-\""
        case .notHexadecimal: "its parts are not of hexadecimal digits in lower case"
        case .forbiddenVersion: "there is no version ff"
        case .traceIDZero: "the trace id is zero"
        case .parentIDZero: "the parent id is zero"
        }
    }
}
